"""What is right about the site: who answers what, who copies whom, who cannot be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Self

import msgspec

from .page import SitePage
from .topics import Fact, topics

# Kinds that hold an article once more.
COPIES = frozenset({"article", "mirror", "print", "syndicated", "moved"})


class Question(msgspec.Struct, frozen=True):
    """A question about a subject, the paths that answer it, and those that answer it wrongly."""

    topic: str
    fact: Fact
    answered_by: frozenset[str]
    denied_by: frozenset[str]

    @property
    def text(self) -> str:
        """The question as somebody would ask it."""
        return self.fact.question


class Truth(msgspec.Struct, frozen=True):
    """``copies`` are groups of paths that hold one text, ``failures`` the codes of broken paths."""

    questions: tuple[Question, ...]
    copies: tuple[frozenset[str], ...]
    failures: Mapping[str, str]

    @classmethod
    def of(cls, pages: Sequence[SitePage]) -> Self:
        """Return the truth about ``pages``."""
        groups: dict[str, set[str]] = defaultdict(set)
        for page in pages:
            if page.kind in COPIES:
                groups[page.topic].add(page.path)
        return cls(
            questions=tuple(
                Question(
                    topic.slug,
                    fact,
                    answered_by=_with(fact.value, topic.slug, pages),
                    denied_by=_with(fact.wrong, topic.slug, pages),
                )
                for topic in topics()
                for fact in topic.facts
            ),
            copies=tuple(map(frozenset, groups.values())),
            failures={page.path: page.failure for page in pages if page.failure},
        )

    def copies_of(self, path: str) -> frozenset[str]:
        """Return the paths that hold the text of ``path``, itself included."""
        return next((group for group in self.copies if path in group), frozenset({path}))


def _with(value: str, topic: str, pages: Sequence[SitePage]) -> frozenset[str]:
    return frozenset(
        page.path
        for page in pages
        if page.topic == topic and page.is_readable and value in page.text
    )
