"""What the site writes about: one subject each, with three facts that nobody else has."""

from __future__ import annotations

from pathlib import Path

import msgspec

_FILES = ("topics_en.json", "topics_zh.json")


class Fact(msgspec.Struct, frozen=True, array_like=True):
    """A question and its right answer, told twice in other words; ``wrong`` is what rumours say.

    ``value`` is the part of ``sentence`` and of ``restated`` that answers.
    """

    question: str
    sentence: str
    restated: str
    value: str
    wrong: str

    @property
    def rumour(self) -> str:
        """The sentence with the wrong value."""
        return self.sentence.replace(self.value, self.wrong)


class Topic(msgspec.Struct, frozen=True):
    """A subject. ``body`` is what its article says beside the facts, ``other`` a title and text."""

    slug: str
    lang: str
    site: str
    title: str
    facts: tuple[Fact, Fact, Fact]
    body: tuple[str, ...]
    other: tuple[str, str]

    @property
    def is_english(self) -> bool:
        """Whether it is written in English; else it is in Chinese."""
        return self.lang == "en"

    @property
    def article(self) -> tuple[str, ...]:
        """The paragraphs of its article, facts and other things in turn."""
        one, two, three = (fact.sentence for fact in self.facts)
        gap = " " if self.is_english else ""
        first, *rest = self.body
        return (f"{one}{gap}{two}", first, f"{three}{gap}{rest[0]}", *rest[1:])


def topics() -> list[Topic]:
    """Return all subjects, the English ones first."""
    here = Path(__file__).parent
    return [
        topic
        for file in _FILES
        for topic in msgspec.json.decode((here / file).read_bytes(), type=list[Topic])
    ]
