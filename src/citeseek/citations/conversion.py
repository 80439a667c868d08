"""One citation mark becomes links to its sources."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from citeseek.citations import marks
from citeseek.citations.events import label_key
from citeseek.citations.registry import CitationRegistry, Source
from citeseek.citations.target import link_target

_log = logging.getLogger(__package__)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a mark becomes: ``text`` links ``numbers``; the numbers in ``missing`` have no link.

    When nothing links, ``text`` is the mark as it was written.
    """

    text: str
    numbers: tuple[int, ...]
    missing: tuple[str, ...]

    def labels(self, written: str) -> set[str]:
        """Return the labels whose definition would take ``written`` or ``text`` apart."""
        own = label_key(written.lstrip("!")[1:-1])
        return {own, *map(str, self.numbers)}


def converted(written: str, registry: CitationRegistry) -> Conversion:
    """Return what the mark ``written``, perhaps after a ``!``, becomes.

    Each member of a group gets its own link. A range links only when all its numbers do.
    """
    mark = written.lstrip("!")
    parts: list[str] = []
    numbers: list[int] = []
    missing: list[str] = []
    for item in marks.items(mark):
        targets = {number: linkable(number, registry) for number in item.numbers}
        if targets and all(targets.values()):
            parts += [f"[[{number}]]({url})" for number, url in targets.items()]
            numbers += targets
        else:
            parts.append(f"[{item.text}]")
            missing.append(item.text)
    if not numbers or (missing and marks.like_thousands(mark)):
        return Conversion(written, (), tuple(missing))
    # An exclamation mark before a link would make it an image.
    bang = "\\!" if mark != written else ""
    return Conversion(bang + "".join(parts), tuple(numbers), tuple(missing))


def unlinked(answer: str, sources: Iterable[Source], *, mark: str = "") -> str:
    """Return a converted ``answer`` without the links of its citations of ``sources``.

    ``mark`` stands in their place; ``{}`` in it is the number.
    """
    for source in sources:
        if url := link_target(source.url):
            answer = answer.replace(f"[[{source.number}]]({url})", mark.format(source.number))
    return answer


def linkable(number: int, registry: CitationRegistry) -> str | None:
    """Return the link target of ``number``'s source, None when it has none."""
    try:
        source = registry.get(number)
        return link_target(source.url) if source else None
    except Exception:  # noqa: BLE001 - whatever breaks costs its link, not the answer
        _log.exception("Citation [%s] could not be looked up", number)
        return None
