"""Versions of a statement: sentences that are one but for their numbers, or for one name.

A reader must see them: one of the sources is mistaken, or they speak of different times. Only
sentences that are the same in every other word are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

import msgspec

# Shorter sentences ("Updated 3 March") differ and mean nothing by it.
MIN_TOKENS = 6
# Two sentences that share less than this beside a name are about different things.
MIN_SHARED = 8
MAX_NAME_TOKENS = 4

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_NUMBER = re.compile(rf"\d+(?:[.,:]\d+)*|\b(?:{_MONTHS})\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_HAN = "\u3400-\u9fff"
_TOKEN = re.compile(rf"{_NUMBER.pattern}|[{_HAN}]|[^\W\d_{_HAN}]+")
_NAME = re.compile(rf"[{_HAN}]|[^\W\d_a-z{_HAN}][^\W\d_]*")


class Statement(msgspec.Struct, frozen=True):
    """A sentence, taken apart: its tokens, and the same with every number masked."""

    text: str
    tokens: tuple[str, ...]
    form: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the statement that ``text`` makes."""
        tokens = tuple(_TOKEN.findall(plain_numbers(text)))
        return cls(text, tokens, tuple("0" if _NUMBER.fullmatch(t) else t for t in tokens))


def plain_numbers(text: str) -> str:
    """Return ``text`` with its numbers in one notation: 1,642 is 1642."""
    return _THOUSANDS.sub("", text)


def is_version(one: Statement, other: Statement) -> bool:
    """Whether the two are one statement, with other numbers or another name."""
    return bool(own_part(one, other))


def own_part(one: Statement, other: Statement) -> tuple[str, ...]:
    """Return what ``one`` says that ``other`` says otherwise; nothing unless they are versions."""
    if one.tokens == other.tokens:
        return ()
    if one.form == other.form:
        if len(one.form) < MIN_TOKENS:
            return ()
        return tuple(
            mine for mine, theirs in zip(one.tokens, other.tokens, strict=True) if mine != theirs
        )
    return _name(one.tokens, other.tokens)


def _name(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the one name of ``one`` that ``other`` replaces, if that is all they differ in."""
    if abs(len(one) - len(other)) > MAX_NAME_TOKENS:
        return ()
    shortest = min(len(one), len(other))
    first = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    last = next(
        (at for at in range(shortest - first) if one[-1 - at] != other[-1 - at]), shortest - first
    )
    mine, theirs = one[first : len(one) - last], other[first : len(other) - last]
    are_names = all(
        1 <= len(part) <= MAX_NAME_TOKENS and all(map(_NAME.fullmatch, part))
        for part in (mine, theirs)
    )
    # A single sign of Chinese is a direction or a size more often than a name.
    says_enough = max(len("".join(mine)), len("".join(theirs))) > 1
    return tuple(mine) if are_names and says_enough and first + last >= MIN_SHARED else ()
