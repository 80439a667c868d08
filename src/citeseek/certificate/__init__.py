"""Certificates: an answer, what was read for it and what each citation came to, signed, in a file.

See docs/certificates.md for the format and for what a certificate shows and what it does not.
"""

from citeseek.certificate.file import read, write
from citeseek.certificate.issue import certify_answer, certify_report
from citeseek.certificate.page_reads import PageReads
from citeseek.certificate.record import Certificate
from citeseek.certificate.repeat import Finding, Repeated, repeat

__all__ = [
    "Certificate",
    "Finding",
    "PageReads",
    "Repeated",
    "certify_answer",
    "certify_report",
    "read",
    "repeat",
    "write",
]
