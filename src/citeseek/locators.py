"""Where in a document a passage stands: its page, slide, sheet, chapter or minute."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from citeseek.i18n import Catalogue

LocatorKind: TypeAlias = Literal["page", "slide", "sheet", "chapter", "time"]


class Locator(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a document that can be named in a citation.

    ``number`` counts from 1, for ``time`` the seconds from 0. ``name`` is that of a sheet or a
    chapter, and the clock of a time.
    """

    kind: LocatorKind
    number: int
    name: str = ""

    def write(self, say: Catalogue) -> str:
        """Return what it is called in the language of ``say``: p. 14."""
        return say(f"js.locator_{self.kind}", number=self.number, name=self.name or self.number)


class PageStart(msgspec.Struct, frozen=True):
    """The part at ``locator`` begins with the character ``start`` of the document's text."""

    start: int
    locator: Locator


def mark(number: int, locators: Sequence[Locator], say: Catalogue) -> str:
    """Return the number of a source with the parts of it that are cited: [2, p. 14]."""
    return f"[{', '.join((str(number), *(one.write(say) for one in locators)))}]"


def locate(starts: Sequence[PageStart], at: int) -> Locator | None:
    """Return the part that the character ``at`` stands in; ``starts`` are in the text's order."""
    place = bisect_right(starts, at, key=lambda one: one.start)
    return starts[place - 1].locator if place else None


def join_pieces(
    pieces: Iterable[tuple[int, str]], starts: Sequence[PageStart], between: str
) -> tuple[str, tuple[PageStart, ...]]:
    """Return pieces of a text, each with its place in it, as one text that knows its parts.

    ``starts`` are those of the whole text.
    """
    text, found = "", list[PageStart]()
    for start, piece in pieces:
        text += between if text else ""
        if here := locate(starts, start):
            found.append(PageStart(len(text), here))
        found += [
            PageStart(len(text) + one.start - start, one.locator)
            for one in starts
            if start < one.start < start + len(piece)
        ]
        text += piece
    return text, tuple(found)
