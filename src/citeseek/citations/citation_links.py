"""The links of an answer's citations: what a mark becomes, its target, and where it stands.

Who writes a link knows its place, so that nobody has to look for it: the spans go with the answer,
and each surface draws its own links by them. :func:`linked_numbers` is for text that came without.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from citeseek.citations import marks
from citeseek.citations.marks import label_key
from citeseek.citations.registry import CitationRegistry, Source

_LINK = re.compile(r"\[\[(\d{1,9})(?:, [^\[\]()\n]{1,200})?\]\]\(([^\s()<>]*)\)")
# What stands in the brackets of a link or mark: the number, and the place in a document behind it.
_SHOWN = re.compile(r"\[+([^\[\]]*)\]")
_WEB = re.compile(r"https?://[^\s/?#\\<>\"|`]+(?:[/?#]|\Z)", re.IGNORECASE)
# What could end the target, split a table cell, or open code, math or HTML around it.
_UNSAFE = re.compile(
    r"[\s\x00-\x20\x7f-\x9f\\<>()\"|`$^{}\u200b-\u200f\u2028-\u202e\ud800-\udfff\ufeff]"
)
_ENTITY = re.compile(r"&(?=#?\w+;)")
_log = logging.getLogger(__package__)


class Span(msgspec.Struct, frozen=True):
    """The characters from ``start`` to ``end`` of a text link the source ``number``."""

    start: int
    end: int
    number: int

    def move(self, by: int) -> Span:
        """Return the span in a text with so many characters more before it."""
        return Span(self.start + by, self.end + by, self.number)


def redrawn(text: str, spans: Iterable[Span], draw: Callable[[int], str]) -> str:
    """Return ``text`` with what ``draw`` makes of each number in the place of its link."""
    return redrawn_marks(text, spans, lambda number, _: draw(number))


def redrawn_marks(text: str, spans: Iterable[Span], draw: Callable[[int, str], str]) -> str:
    """Do what :func:`redrawn` does; ``draw`` gets what stands behind the number too: ``, p. 2``."""
    parts: list[str] = []
    at = 0
    for span in spans:
        _, comma, place = _shown(text, span).partition(",")
        parts += [text[at : span.start], draw(span.number, comma + place)]
        at = span.end
    return "".join([*parts, text[at:]])


def _shown(text: str, span: Span) -> str:
    found = _SHOWN.match(text, span.start, span.end)
    return found[1] if found else ""


def strip_links(text: str, spans: Iterable[Span]) -> str:
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


def link_target(url: str) -> str | None:
    """Return ``url`` so that every Markdown reader takes it whole, None when it must not be linked.

    Only addresses of the web are linked. Characters that mean something to a reader are
    percent-encoded, all others stay as they are.
    """
    try:
        linkable = _WEB.match(url) and urlsplit(url).hostname
        written = _UNSAFE.sub(_percent_encode, url)
    except ValueError:  # a host that cannot be one, or half a character
        return None
    return _ENTITY.sub("&amp;", written) if linkable else None


def _percent_encode(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode())


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a mark becomes: ``text`` with links at ``spans``; ``missing`` numbers have none.

    When nothing links, ``text`` is the mark as it was written.
    """

    text: str
    spans: tuple[Span, ...]
    missing: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that it links."""
        return tuple(span.number for span in self.spans)

    def labels(self, written: str) -> set[str]:
        """Return the labels whose definition would take ``written`` or ``text`` apart."""
        own = label_key(written.lstrip("!")[1:-1])
        return {own, *(label_key(_shown(self.text, span)) for span in self.spans)}


def convert_mark(written: str, registry: CitationRegistry) -> Conversion:
    """Return what the mark ``written``, perhaps after a ``!``, becomes.

    Each member of a group gets its own link. A range links only when all its numbers do. The mark
    of a footnote has no number and stays.
    """
    mark = written.lstrip("!")
    # An exclamation mark before a link would make it an image.
    text = "\\!" if mark != written else ""
    spans: list[Span] = []
    missing: list[str] = []
    if marks.is_footnote(mark):
        return Conversion(written, (), (mark[1:-1],))
    for item in marks.items(mark):
        written_as = {number: _write(number, item, registry) for number in item.numbers}
        if written_as and all(written_as.values()):
            for number, citation in written_as.items():
                start = len(text)
                text += citation
                spans.append(Span(start, len(text), number))
        else:
            text += f"[{item.written}]"
            missing.append(item.text)
    if not spans or (missing and marks.like_thousands(mark)):
        return Conversion(written, (), tuple(missing))
    return Conversion(text, tuple(spans), tuple(missing))


def _write(number: int, item: marks.Item, registry: CitationRegistry) -> str:
    """Return the citation of ``number``, empty when it has no source that can be cited.

    A file of one's own is cited and has no address that a link could lead to. Of a range that has
    places the last number keeps them.
    """
    source = _look_up(number, registry)
    if source is None:
        return ""
    places = item.places if number == item.last else ()
    shown = ", ".join((str(number), *places))
    if url := link_target(source.url):
        return f"[[{shown}]]({url})"
    return f"[{shown}]" if source.is_file else ""


def linkable(number: int, registry: CitationRegistry) -> str | None:
    """Return the link target of ``number``'s source, None when it has none."""
    source = _look_up(number, registry)
    return link_target(source.url) if source else None


def _look_up(number: int, registry: CitationRegistry) -> Source | None:
    try:
        return registry.get(number)
    except Exception:  # noqa: BLE001 - whatever breaks costs its link, not the answer
        _log.exception("Citation [%s] could not be looked up", number)
        return None
