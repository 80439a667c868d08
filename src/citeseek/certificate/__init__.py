"""Certificates: an answer, what was read for it and what each citation came to, signed, in a file.

They are made by :mod:`citeseek.certificate.issue`. See docs/certificates.md for the format, and for
what a certificate shows and what it does not.
"""

from citeseek.certificate.certificate_file import read, write
from citeseek.certificate.deviation import Deviation
from citeseek.certificate.record import Certificate, read_content
from citeseek.certificate.repeat import Repeated, repeat

__all__ = ["Certificate", "Deviation", "Repeated", "read", "read_content", "repeat", "write"]
