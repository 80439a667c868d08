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


class Version(msgspec.Struct, frozen=True):
    """A sentence, and the places of the pages that have it."""

    text: str
    pages: tuple[int, ...]


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


def disagreements(pages: Sequence[ReadPage], told: Iterable[str]) -> list[tuple[Version, ...]]:
    """Return the statements of ``told`` that pages make with different numbers.

    Each is given once, with all its versions in the order of the pages.
    """
    statements = [_statements(page.text) for page in pages]
    found: dict[str, tuple[Version, ...]] = {}
    for text in told:
        for form in _statements(text).keys() - found.keys():
            versions: dict[str, list[int]] = {}
            for place, of_page in enumerate(statements):
                if form in of_page:
                    versions.setdefault(of_page[form], []).append(place)
            if len(versions) > 1:
                found[form] = tuple(Version(said, tuple(by)) for said, by in versions.items())
    return sorted(found.values(), key=lambda versions: versions[0].pages)


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
