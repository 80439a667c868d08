"""One citation mark becomes links to its sources."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from citeseek.citations import marks
from citeseek.citations.events import label_key
from citeseek.citations.registry import CitationRegistry
from citeseek.citations.spans import Span
from citeseek.citations.target import link_target

_log = logging.getLogger(__package__)


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
        return {own, *map(str, self.numbers)}


def converted(written: str, registry: CitationRegistry) -> Conversion:
    """Return what the mark ``written``, perhaps after a ``!``, becomes.

    Each member of a group gets its own link. A range links only when all its numbers do.
    """
    mark = written.lstrip("!")
    # An exclamation mark before a link would make it an image.
    text = "\\!" if mark != written else ""
    spans: list[Span] = []
    missing: list[str] = []
    for item in marks.items(mark):
        targets = {number: linkable(number, registry) for number in item.numbers}
        if targets and all(targets.values()):
            for number, url in targets.items():
                start = len(text)
                text += f"[[{number}]]({url})"
                spans.append(Span(start, len(text), number))
        else:
            text += f"[{item.text}]"
            missing.append(item.text)
    if not spans or (missing and marks.like_thousands(mark)):
        return Conversion(written, (), tuple(missing))
    return Conversion(text, tuple(spans), tuple(missing))


def linkable(number: int, registry: CitationRegistry) -> str | None:
    """Return the link target of ``number``'s source, None when it has none."""
    try:
        source = registry.get(number)
        return link_target(source.url) if source else None
    except Exception:  # noqa: BLE001 - whatever breaks costs its link, not the answer
        _log.exception("Citation [%s] could not be looked up", number)
        return None
