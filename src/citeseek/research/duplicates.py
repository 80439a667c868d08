"""Copies: pages that say the same in the same words.

A copy in which a number, a name or a "not" was changed is no copy: it is the thing that a reader
must see.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from citeseek.answering.copies import is_copy, shingles
from citeseek.research.pages import ReadPage
from citeseek.research.variants import plain_numbers
from citeseek.text import sentences, terms

# A sentence that shares so much with another, and differs in so few terms, was changed. Shorter
# ones ("Updated 3 March") differ and mean nothing by it.
ALIKE = 0.75
CHANGED = 8
STATEMENT_TERMS = 6
# Copies have few sentences of their own.
COMPARED = 100


class Distinct(msgspec.Struct, frozen=True):
    """A page, and the addresses of its copies that were read as well."""

    page: ReadPage
    copies: tuple[str, ...] = ()


def collapse(pages: Iterable[ReadPage]) -> list[Distinct]:
    """Return the pages that are no copy of an earlier one, each with its copies."""
    kept: list[tuple[Distinct, frozenset[tuple[str, ...]]]] = []
    for page in pages:
        mine = shingles(page.text)
        for at, (earlier, theirs) in enumerate(kept):
            if is_copy(mine, theirs) and not _differs(page.text, earlier.page.text):
                with_copy = Distinct(earlier.page, (*earlier.copies, page.final_url))
                kept[at] = (with_copy, theirs)
                break
        else:
            kept.append((Distinct(page), mine))
    return [distinct for distinct, _ in kept]


def _differs(one: str, other: str) -> bool:
    """Whether a sentence of one text stands in the other with a few words changed."""
    mine, theirs = _statements(one), _statements(other)
    ours = sorted(mine - theirs)[:COMPARED]
    others = sorted(theirs - mine)[:COMPARED]
    return any(_is_changed(set(a), set(b)) for a in ours for b in others)


def _is_changed(one: set[str], other: set[str]) -> bool:
    shared, changed = len(one & other), len(one ^ other)
    return 0 < changed <= CHANGED and shared >= ALIKE * max(len(one), len(other))


def _statements(text: str) -> frozenset[tuple[str, ...]]:
    found = (tuple(terms(plain_numbers(sentence))) for sentence in sentences(text))
    return frozenset(said for said in found if len(said) >= STATEMENT_TERMS)
