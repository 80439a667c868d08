"""Copies: pages that say the same in the same words.

Pages are compared by the share of their runs of terms (shingles: A. Z. Broder, On the resemblance
and containment of documents, 1997). A copy in which a number was changed is no copy: it is the
thing that a reader must see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from citeseek.research.pages import ReadPage
from citeseek.research.versions import Statement, is_version
from citeseek.text import sentences, terms

SHINGLE = 4
# Which part of the shorter text must stand in the longer one, and how much shorter it may be: a
# quotation in a long article is no copy of it.
SAME = 0.85
SHORTER = 0.5


class Distinct(msgspec.Struct, frozen=True):
    """A page, and the addresses of its copies that were read as well."""

    page: ReadPage
    copies: tuple[str, ...] = ()


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
    return any(is_version(mine[form], theirs[form]) for form in mine.keys() & theirs.keys())


def _statements(text: str) -> Mapping[tuple[str, ...], Statement]:
    return {said.form: said for said in map(Statement.of, sentences(text))}
