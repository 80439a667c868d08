"""What a reader of Markdown sees: rendered as CommonMark with tables and raw HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


@dataclass
class Link:
    """A link with its visible text."""

    href: str
    attributes: set[str]
    text: str = ""

    @property
    def number(self) -> int | None:
        """The number that a citation shows, None for any other link."""
        digits = self.text.strip().strip("[]")
        return int(digits) if digits.isdecimal() else None


class Rendered(HTMLParser):
    """The visible ``text``, ``links``, ``tags``, table ``cells`` by row, and list ``entries``.

    An entry is the number that its row shows, and the address of its first link.
    """

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.cells: list[list[str]] = []
        self.entries: list[tuple[int, str]] = []
        self.list_rows = 0
        self._open: list[str] = []
        self._number = 0
        self.feed(_MARKDOWN.render(markdown))
        self.close()

    @property
    def citations(self) -> list[Link]:
        """The links whose visible text is a number."""
        return [link for link in self.links if link.number is not None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of what begins."""
        values = dict(attrs)
        self.tags.append(tag)
        self._open.append(tag)
        if tag == "ol":
            self._number = int(values.get("start") or 1) - 1
        elif tag == "li":
            self._number += 1
            self.list_rows += 1
        elif tag == "tr":
            self.cells.append([])
        elif tag in ("td", "th"):
            self.cells[-1].append("")
        elif tag == "a":
            href = values.get("href") or ""
            self.links.append(Link(href, set(values)))
            if "li" in self._open and (not self.entries or self.entries[-1][0] != self._number):
                self.entries.append((self._number, href))

    def handle_endtag(self, tag: str) -> None:
        """Close what ends."""
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Add visible text to everything that it is a part of."""
        self.text += data
        if "a" in self._open:
            self.links[-1].text += data
        if "td" in self._open or "th" in self._open:
            self.cells[-1][-1] += data
