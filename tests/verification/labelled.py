"""The labelled claims, and what the check and a plain overlap of terms say of them.

A label is what a careful reader says: ``supported`` when the source states the claim, ``partial``
when it states a part of it or something weaker, ``unsupported`` else. Only the first must be
called supported. Sources that are held out were not looked at while the check was built.

Two more sets have pages of the length of real ones, one of them written by somebody who had not
read the code. They tell ``contradicted`` (the page says what cannot be true beside the claim) from
``unsupported`` (it says neither).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from citeseek.text import terms
from citeseek.verification import SourceText, support

FILE = Path(__file__).with_name("claims.json")
PAGES = Path(__file__).with_name("page_claims.json")
NEWCOMER = Path(__file__).with_name("newcomer_claims.json")
# Of all thresholds this one tells supported from not supported best, over the whole set.
OVERLAP = 0.95


class Pair(NamedTuple):
    """A claim, the source that it cites, and what is right."""

    claim: str
    source: SourceText
    label: str
    kind: str
    held_out: bool


def pairs() -> Iterator[Pair]:
    """Yield the labelled pairs of ``FILE``."""
    labelled = json.loads(FILE.read_bytes())
    for one in labelled["claims"]:
        source = labelled["sources"][one["source"]]
        text = SourceText(source["text"], title=source["title"])
        yield Pair(one["claim"], text, one["label"], one["kind"], source["held_out"])


def pairs_of_pages(path: Path) -> Iterator[Pair]:
    """Yield the labelled pairs of ``PAGES`` or ``NEWCOMER``."""
    labelled = json.loads(path.read_bytes())
    for one in labelled["pairs"]:
        page = labelled["pages"][one["page"]]
        source = SourceText(page["text"], title=page["title"])
        yield Pair(one["claim"], source, one["label"], one["kind"], held_out=False)


def checked(pair: Pair) -> str:
    """Return the verdict of the check."""
    return support(pair.claim, pair.source).verdict


def by_overlap(pair: Pair) -> str:
    """Return what an overlap of terms with the whole text says."""
    mine, theirs = set(terms(pair.claim)), set(terms(pair.source.text))
    return "supported" if len(mine & theirs) >= OVERLAP * len(mine) else "unsupported"


class Confusion:
    """How often each label got each verdict."""

    def __init__(self, of: list[Pair], judge: Callable[[Pair], str]) -> None:
        self.counts = Counter((pair.label, judge(pair)) for pair in of)

    def precision(self, verdict: str) -> float:
        """Return which part of those with ``verdict`` deserve it."""
        given = sum(n for (_, said), n in self.counts.items() if said == verdict)
        return self.counts[verdict, verdict] / given if given else 0.0

    def accused(self) -> float:
        """Return which part of the true claims are told to be contradicted, absent or the like."""
        there = sum(n for (said, _), n in self.counts.items() if said == "supported")
        denials = ("contradicted", "absent", "unsupported")
        return sum(self.counts["supported", one] for one in denials) / (there or 1)

    def contradicted(self) -> float:
        """Return which part of the claims that are told to be contradicted are false."""
        given = sum(n for (_, said), n in self.counts.items() if said == "contradicted")
        # The first set has one label for what a page denies and what it does not tell.
        right = sum(self.counts[label, "contradicted"] for label in ("contradicted", "unsupported"))
        return right / given if given else 1.0

    def recall(self, label: str) -> float:
        """Return which part of those with ``label`` are found."""
        there = sum(n for (said, _), n in self.counts.items() if said == label)
        return self.counts[label, label] / there if there else 0.0
