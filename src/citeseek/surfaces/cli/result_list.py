"""The results of a search as people read them, at a terminal and in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

from citeseek.i18n import Catalogue
from citeseek.models import SearchResponse
from citeseek.surfaces.cli.drawn_lines import BOLD, CYAN, DIM, YELLOW, DrawnLine, print_lines
from citeseek.surfaces.cli.written_dates import write_day
from citeseek.text import plain_line
from citeseek.tools.search_formats import details_of


def print_results(response: SearchResponse, say: Catalogue) -> None:
    """Print the results, one block each; where they are from and who failed are notes."""
    print_lines(result_lines(response, say), sys.stdout)
    if sys.stderr is not None:
        with suppress(OSError):
            print_lines(_note_lines(response, say), sys.stderr)


def result_lines(response: SearchResponse, say: Catalogue) -> Iterator[DrawnLine]:
    """Yield what is printed of the results: title, address and what is known of each."""
    if not response.items:
        yield DrawnLine(say("tool.nothing_found"))
    details = details_of(response, say, dated=False)
    for item, known in zip(response.items, details, strict=True):
        marker = f"{item.rank}. "
        indent = " " * len(marker)
        yield DrawnLine(item.title or item.domain, marker, BOLD)
        yield DrawnLine(item.url, indent, CYAN, link=item.url)
        published = write_day(item.published_at or "", say)
        about = " · ".join(filter(None, (published, known, item.snippet)))
        if about:
            yield DrawnLine(about, indent)


def found_line(count: int, provider: str, took_ms: int | None, say: Catalogue) -> str:
    """Return in one line how many results came, from whom, and how soon; None: from the cache."""
    key = "cli.found_one" if count == 1 else "cli.found"
    took = say("cli.from_cache") if took_ms is None else say("cli.took", ms=took_ms)
    return plain_line(say(key, count=count, provider=provider, took=took))


def _note_lines(response: SearchResponse, say: Catalogue) -> Iterator[DrawnLine]:
    """Yield where the results are from, then each engine that failed."""
    took = None if response.cached else response.took_ms
    yield DrawnLine(found_line(response.count, response.provider, took, say), style=DIM)
    for failure in response.errors:
        reason, _ = say.explain(failure)
        said = say("cli.engine_failed", engine=failure.engine, reason=reason)
        yield DrawnLine(plain_line(said), style=YELLOW)
