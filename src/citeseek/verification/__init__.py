"""Whether the sources of an answer say what it cites them for."""

from citeseek.verification.answer_check import CitationCheck, check_answer, check_claims
from citeseek.verification.answer_sentences import AnswerSentence, SentenceStream
from citeseek.verification.check import SourceText, Support, Verdict, find_page, prepare, support
from citeseek.verification.claims import Claim, claims
from citeseek.verification.judgement import Judge, JudgeUse, judge_unclear

__all__ = [
    "AnswerSentence",
    "CitationCheck",
    "Claim",
    "Judge",
    "JudgeUse",
    "SentenceStream",
    "SourceText",
    "Support",
    "Verdict",
    "check_answer",
    "check_claims",
    "claims",
    "find_page",
    "judge_unclear",
    "prepare",
    "support",
]
