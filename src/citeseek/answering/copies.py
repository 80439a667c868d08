"""Whether two texts are one text, by the share of their runs of terms.

Runs of terms are called shingles: A. Z. Broder, On the resemblance and containment of documents,
1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from citeseek.text import terms

Shingles: TypeAlias = frozenset[tuple[str, ...]]

SHINGLE = 4
# Which part of the shorter text must stand in the longer one, and how much shorter it may be: a
# quotation in a long article is no copy of it.
SAME = 0.85
SHORTER = 0.5


def shingles(text: str) -> Shingles:
    """Return the runs of four terms of ``text``; one of fewer terms is one run."""
    own = terms(text)
    return frozenset(zip(*(own[at:] for at in range(SHINGLE)), strict=False)) or frozenset(
        {tuple(own)}
    )


def is_copy(one: Shingles, other: Shingles) -> bool:
    """Whether nearly all of the shorter text stands in the other, which is not much longer."""
    shorter, longer = sorted((len(one), len(other)))
    return shorter >= SHORTER * longer and len(one & other) >= SAME * shorter


def origins(texts: Sequence[str]) -> int:
    """Return how many different texts there are among ``texts``: copies are one."""
    if len(texts) == 1:
        return 1
    found: list[Shingles] = []
    for mine in map(shingles, texts):
        if not any(is_copy(mine, theirs) for theirs in found):
            found.append(mine)
    return len(found)
