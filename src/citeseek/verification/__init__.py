"""Whether the sources of an answer say what it cites them for."""

from citeseek.verification.answer_check import CitationCheck, check_answer
from citeseek.verification.check import Support, Verdict, support
from citeseek.verification.claims import Claim, claims
from citeseek.verification.source_text import SourceText

__all__ = [
    "CitationCheck",
    "Claim",
    "SourceText",
    "Support",
    "Verdict",
    "check_answer",
    "claims",
    "support",
]
