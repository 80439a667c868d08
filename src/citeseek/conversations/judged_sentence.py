"""A sentence of an answer that the gate compared with what was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from citeseek.verification import CitationCheck
from citeseek.verification.answer_sentences import numbers_of

Fate: TypeAlias = Literal["kept", "struck", "repaired", "unjudged"]


class JudgedSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that cites, as it stands in the answer, and what came of comparing it.

    ``text`` is as the model wrote it. ``checks`` are those of its citations. It was ``kept``; or
    ``struck`` through, since a page contradicts it; or it was ``repaired``: it stands in the place
    of ``before``, ``against`` which are those checks. One that is ``unjudged`` has no checks: there
    was no time, or it had no end.
    """

    text: str
    fate: Fate
    checks: tuple[CitationCheck, ...] = ()
    before: str = ""
    against: tuple[CitationCheck, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that it cites, in order."""
        return numbers_of(self.text)

    @property
    def contradictions(self) -> tuple[CitationCheck, ...]:
        """The checks that say what a page has instead, of what was struck or repaired."""
        checks = self.against or (self.checks if self.fate == "struck" else ())
        return tuple(check for check in checks if check.verdict == "contradicted")


def is_contradicted(checks: Iterable[CitationCheck]) -> bool:
    """Whether a claim is contradicted by one of its sources and supported by none."""
    verdicts: defaultdict[str, set[str]] = defaultdict(set)
    for check in checks:
        verdicts[check.claim].add(check.verdict)
    return any("contradicted" in each and "supported" not in each for each in verdicts.values())
