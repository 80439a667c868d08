"""What the sources of an answer come to: the values that they give where they differ."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from citeseek.answering import Assessment, PageText, Voice, assess
from citeseek.citations import Source
from citeseek.text import day_of


class SaidValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that sources give for the question, letter by letter, and the first one's sentence.

    ``sources`` are their numbers; they come to ``origins`` different texts: copies are one.
    ``published_at`` are the days of those that have one, first to last. ``about`` is what they call
    the thing that they speak of, where sources that differ seem to speak of different ones.
    """

    value: str
    quote: str
    sources: tuple[int, ...]
    origins: int = 1
    published_at: tuple[str, ...] = ()
    about: str = ""


def assess_sources(question: str, sources: Sequence[Source]) -> Assessment:
    """Return what ``sources`` come to for ``question``, each by its title and snippet."""
    return assess(question, [PageText(source.title, source.snippet) for source in sources])


def values_of(found: Assessment, sources: Sequence[Source]) -> tuple[SaidValue, ...]:
    """Return the values that ``sources`` were found to give where they differ, else nothing."""
    if not found.differs:
        return ()
    return tuple(_describe(voice, sources, with_name=found.are_apart) for voice in found.voices)


def _describe(voice: Voice, sources: Sequence[Source], *, with_name: bool) -> SaidValue:
    mine = [sources[at] for at in voice.pages]
    return SaidValue(
        value=voice.value,
        quote=voice.text,
        sources=tuple(source.number for source in mine),
        origins=voice.origins,
        published_at=tuple(sorted({day_of(source.published_at) for source in mine} - {""})),
        about=voice.about if with_name else "",
    )
