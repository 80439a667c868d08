"""Where the links of an answer's citations stand in its text, so that nobody has to look for them.

Who writes a link knows its place: the spans go with the answer, and each surface draws its own
links by them. :func:`linked_numbers` is for text that came without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from citeseek.citations.registry import Source
from citeseek.citations.target import link_target

_LINK = re.compile(r"\[\[(\d{1,9})\]\]\(([^\s()<>]*)\)")


class Span(msgspec.Struct, frozen=True):
    """The characters from ``start`` to ``end`` of a text link the source ``number``."""

    start: int
    end: int
    number: int

    def moved(self, by: int) -> Span:
        """Return the span in a text with so many characters more before it."""
        return Span(self.start + by, self.end + by, self.number)


def redrawn(text: str, spans: Iterable[Span], draw: Callable[[int], str]) -> str:
    """Return ``text`` with what ``draw`` makes of each number in the place of its link."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [text[at : span.start], draw(span.number)]
        at = span.end
    return "".join([*parts, text[at:]])


def unlinked(text: str, spans: Iterable[Span]) -> str:
    """Return ``text`` without the links of its citations."""
    return redrawn(text, spans, lambda _: "")


def linked_numbers(markdown: str, sources: Iterable[Source] | None = None) -> tuple[Span, ...]:
    """Return where ``markdown``, which came without its spans, links a number: ``[[n]](url)``.

    Such text was sent back by a client, or kept by a version that had no spans. With ``sources``
    only what leads to the source of this number counts.
    """
    targets = None if sources is None else {each.number: link_target(each.url) for each in sources}
    return tuple(
        Span(link.start(), link.end(), int(link[1]))
        for link in _LINK.finditer(markdown)
        if targets is None or targets.get(int(link[1])) == link[2]
    )
