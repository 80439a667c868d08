"""Citations: numbers for sources, ``[n]`` made into links, and the list of references.

:class:`CitationProcessor` does all of it for one answer or one session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeseek.citations.citation_links import (
    Span,
    link_target,
    linked_numbers,
    redrawn,
    redrawn_marks,
    strip_links,
)
from citeseek.citations.references import escape_line, references, source_row
from citeseek.citations.registry import CitationRegistry, Round, Source
from citeseek.citations.stream import CitationStream, cited_numbers, convert
from citeseek.models import SearchItem
from citeseek.urls import same_page_key

__all__ = [
    "CitationProcessor",
    "CitationRegistry",
    "CitationStream",
    "Round",
    "Source",
    "Span",
    "cited_numbers",
    "convert",
    "escape_line",
    "link_target",
    "linked_numbers",
    "redrawn",
    "redrawn_marks",
    "references",
    "source_row",
    "strip_links",
]


class CitationProcessor:
    """What the functions of this package do, for the sources of one answer or one session.

    ``results`` are numbered from 1 on in their order. To go on with the numbers of a session, give
    its registry instead; results that are added to it later count as well.
    """

    def __init__(self, results: Iterable[SearchItem] | CitationRegistry = ()) -> None:
        if isinstance(results, CitationRegistry):
            self.sources = results
        else:
            self.sources = CitationRegistry(same_page_key=same_page_key)
            self.sources.add(results)

    def parse(self, answer: str) -> tuple[int, ...]:
        """Return the numbers with a source that ``answer`` cites, ascending, each once."""
        return cited_numbers(answer, self.sources)

    def convert(self, answer: str) -> str:
        """Return ``answer`` with its marks as links; what cannot be converted stays as it is."""
        return convert(answer, self.sources)

    def references(self, answer: str, rounds: Sequence[Round] | None = None) -> str:
        """Return the section 参考文献 to append, empty when ``answer`` cites no source.

        With the ``rounds`` of this answer (Agent) it lists all their sources, else (Chat) the cited
        ones. The answer may be converted already.
        """
        return references(answer, self.sources, rounds)

    def stream(self) -> CitationStream:
        """Return what converts an answer while it arrives."""
        return CitationStream(self.sources)
