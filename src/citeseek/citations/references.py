"""The section 参考文献 at the end of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from citeseek.citations.citation_links import link_target
from citeseek.citations.registry import CitationRegistry, Round, Source
from citeseek.citations.stream import CitationStream
from citeseek.i18n import Catalogue, catalogue

# In whose words it is written for readers whose language is not known.
_USUAL = "zh"

_MARKDOWN = re.compile(r"[\\`*_{}\[\]|~$^=]")
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_HTML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
# A list counts on from its first number. A definition shows nothing and ends the list, so that the
# next row begins a new one with its own number.
_LIST_END = "\n[//]: #\n"


def references(
    cited: str | Iterable[int],
    registry: CitationRegistry,
    rounds: Sequence[Round] | None = None,
    *,
    read: Collection[int] = (),
    open_fence: str = "",
    say: Catalogue | None = None,
) -> str:
    """Return the section to append to an answer, empty when it cites no source.

    ``cited`` is the answer, or its numbers as :attr:`CitationStream.cited` gives them; in that
    case ``open_fence`` is the stream's property of this name. Without ``rounds`` (Chat) the
    section lists the cited sources. With the rounds of this answer (Agent) it lists every source
    of each round once, those not cited marked as such, then the cited ones that were ``read``
    without being found, then the cited sources of earlier answers. It is in the words of ``say``,
    by default in Chinese.
    """
    say = say or catalogue(_USUAL)
    if isinstance(cited, str):
        stream = CitationStream(registry, warn=False)
        stream.feed(cited)
        stream.finish()
        cited, open_fence = stream.cited, stream.open_fence
    numbers = {number for number in cited if registry.get(number)}
    if not numbers:
        return ""
    if rounds is None:
        body = _rows(numbers, numbers, registry, say)
    else:
        body = "\n\n".join(_groups(numbers, rounds, read, registry, say))
    fence = f"\n{open_fence}" if open_fence else ""
    return f"{fence}\n\n---\n\n## {say('references.heading')}\n\n{body}\n"


def _groups(
    cited: set[int],
    rounds: Sequence[Round],
    read: Collection[int],
    registry: CitationRegistry,
    say: Catalogue,
) -> list[str]:
    groups = []
    listed: set[int] = set()
    for place, search in enumerate(rounds, start=1):
        new = set(search.numbers) - listed
        listed |= new
        note = say("references.listed" if search.numbers else "references.nothing")
        rows = _rows(new, cited, registry, say) if new else note
        heading = say("references.round", place=place, query=escape_line(search.query))
        groups.append(f"### {heading}\n\n{rows}")
    if opened := cited.intersection(read) - listed:
        groups.append(f"### {say('references.read')}\n\n{_rows(opened, cited, registry, say)}")
    if earlier := cited - listed.union(read):
        rows = _rows(earlier, cited, registry, say)
        groups.append(f"### {say('references.earlier')}\n\n{rows}")
    return groups


def _rows(numbers: set[int], cited: set[int], registry: CitationRegistry, say: Catalogue) -> str:
    rows: list[str] = []
    previous = 0
    for source in filter(None, map(registry.get, sorted(numbers))):
        if rows and source.number != previous + 1:
            rows.append(_LIST_END)
        row = source_row(source, say)
        if source.number not in cited:
            note = say("references.uncited")
            # A full-width bracket brings its own space.
            row += note if note.startswith("（") else f" {note}"
        rows.append(row)
        previous = source.number
    return "\n".join(rows)


def source_row(source: Source, say: Catalogue | None = None) -> str:
    """Return the row of ``source``: number, linked title, domain, and the pages that are cited.

    Pages are in the words of ``say``, by default in Chinese.
    """
    say = say or catalogue(_USUAL)
    url = link_target(source.url)
    name = escape_line(source.name)
    name = f"[{name}]({url})" if url else name
    pages = "".join(f", {escape_line(page.write(say))}" for page in source.pages)
    return f"{source.number}. {name} - {escape_line(source.domain)}{pages}"


def escape_line(text: str) -> str:
    """Return Markdown that shows ``text`` as it is, on one line."""
    line = " ".join(_INVISIBLE.sub("", " ".join(text.split())).split())
    return _MARKDOWN.sub(r"\\\g<0>", line.translate(_HTML))
