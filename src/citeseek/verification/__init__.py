"""Whether the sources of an answer say what it cites them for."""

from citeseek.verification.answer_check import CitationCheck, check_answer
from citeseek.verification.check import SourceText, Support, Verdict, support
from citeseek.verification.claims import Claim, claims
from citeseek.verification.judgement import Judge, JudgeUse, judge_unclear

__all__ = [
    "CitationCheck",
    "Claim",
    "Judge",
    "JudgeUse",
    "SourceText",
    "Support",
    "Verdict",
    "check_answer",
    "claims",
    "judge_unclear",
    "support",
]
