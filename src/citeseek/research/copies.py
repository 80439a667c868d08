"""Copies: pages that say the same in the same words, and statements that differ in a number alone.

Pages are compared by the share of their runs of terms (shingles: A. Z. Broder, On the resemblance
and containment of documents, 1997). A copy in which a number was changed is no copy: it is the
thing that a reader must see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from citeseek.research.pages import ReadPage
from citeseek.text import sentences, terms

SHINGLE = 4
# Which part of the shorter text must stand in the longer one, and how much shorter it may be: a
# quotation in a long article is no copy of it.
SAME = 0.85
SHORTER = 0.5
# Shorter sentences ("Updated 3 March") differ in their numbers and mean nothing by it.
STATEMENT_TERMS = 6

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class Distinct(msgspec.Struct, frozen=True):
    """A page, and the addresses of its copies that were read as well."""

    page: ReadPage
    copies: tuple[str, ...] = ()


class Difference(msgspec.Struct, frozen=True):
    """Two sentences of two pages (by their places) that differ in their numbers alone."""

    one: int
    said: str
    other: int
    against: str


def collapsed(pages: Iterable[ReadPage]) -> list[Distinct]:
    """Return the pages that are no copy of an earlier one, each with its copies."""
    kept: list[tuple[Distinct, frozenset[tuple[str, ...]]]] = []
    for page in pages:
        mine = _shingles(page.text)
        for at, (earlier, theirs) in enumerate(kept):
            if _same(mine, theirs) and not _contradicts(page.text, earlier.page.text):
                with_copy = Distinct(earlier.page, (*earlier.copies, page.final_url))
                kept[at] = (with_copy, theirs)
                break
        else:
            kept.append((Distinct(page), mine))
    return [distinct for distinct, _ in kept]


def differences(pages: Sequence[ReadPage], told: Iterable[tuple[int, str]]) -> list[Difference]:
    """Return where another page says what stands in ``told`` (place of the page, text) otherwise.

    Each pair of sentences is given once.
    """
    statements = [_statements(page.text) for page in pages]
    found: dict[frozenset[tuple[int, str]], Difference] = {}
    for place, text in told:
        for form, said in _statements(text).items():
            for other, theirs in enumerate(statements):
                against = theirs.get(form)
                if other != place and against is not None and _numbers(against) != _numbers(said):
                    pair = frozenset({(place, said), (other, against)})
                    found.setdefault(pair, Difference(place, said, other, against))
    return list(found.values())


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    own = terms(text)
    return frozenset(zip(*(own[at:] for at in range(SHINGLE)), strict=False)) or frozenset(
        {tuple(own)}
    )


def _same(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    shorter, longer = sorted((len(one), len(other)))
    return shorter >= SHORTER * longer and len(one & other) >= SAME * shorter


def _contradicts(one: str, other: str) -> bool:
    mine, theirs = _statements(one), _statements(other)
    return any(
        _numbers(mine[form]) != _numbers(theirs[form]) for form in mine.keys() & theirs.keys()
    )


def _statements(text: str) -> Mapping[str, str]:
    """Return the sentences that hold a number, by what they are without it."""
    return {
        _NUMBER.sub("0", sentence): sentence
        for sentence in sentences(text)
        if _NUMBER.search(sentence) and len(terms(sentence)) >= STATEMENT_TERMS
    }


def _numbers(sentence: str) -> list[str]:
    return _NUMBER.findall(sentence)
