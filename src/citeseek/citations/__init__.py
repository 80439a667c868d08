"""Citations: numbers for sources, ``[n]`` made into links, and the list of references."""

from citeseek.citations.processor import CitationProcessor
from citeseek.citations.references import escaped, references, source_row
from citeseek.citations.registry import CitationRegistry, Round, Source
from citeseek.citations.spans import Span, linked_numbers, redrawn, unlinked
from citeseek.citations.stream import CitationStream, cited_numbers, convert
from citeseek.citations.target import link_target

__all__ = [
    "CitationProcessor",
    "CitationRegistry",
    "CitationStream",
    "Round",
    "Source",
    "Span",
    "cited_numbers",
    "convert",
    "escaped",
    "link_target",
    "linked_numbers",
    "redrawn",
    "references",
    "source_row",
    "unlinked",
]
