"""Parts of a passage that speak of one subject, which stands at their beginning."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.verification import words
from citeseek.verification.tokens import Token

JOINTS = frozenset({"和", "与", "及", "and", "|"})
EACH = frozenset({"分别", "依次", words.stem("respectively")})


def segment(source: Sequence[Token], place: int) -> tuple[int, int]:
    """Return where the part of ``source`` around ``place`` begins and ends."""
    ends = [at for at, one in enumerate(source) if one.key == "||"]
    begin = max((at + 1 for at in ends if at < place), default=0)
    return begin, min((at for at in ends if at >= place), default=len(source))


def clause_start(source: Sequence[Token], clause: int) -> int:
    """Return the place of the first token of ``clause``."""
    return next(at for at, one in enumerate(source) if one.clause == clause)


def is_each(source: Sequence[Token], place: int) -> bool:
    """Whether something is said of several things in their order around ``place``."""
    begin, end = segment(source, place)
    return any(one.key in EACH for one in source[begin:end])
