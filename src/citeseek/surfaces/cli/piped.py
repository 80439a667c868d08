"""What goes into a pipe: text without colours, and without the library that draws at terminals.

That costs 40 ms, and a program that reads results waits for each of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from citeseek.catalogue import Catalogue
from citeseek.models import SearchResponse
from citeseek.text import how_many, plain_line
from citeseek.tools.search_formats import details_of

# Each makes a pipe a terminal for the library, if it says anything; see its ``Console``.
_FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def is_piped() -> bool:
    """Whether neither standard output nor standard error is, or passes for, a terminal."""
    streams = (sys.stdout, sys.stderr)
    forced = any(os.environ.get(name) for name in _FORCED)
    return not forced and not any(stream is not None and stream.isatty() for stream in streams)


def print_results(response: SearchResponse, say: Catalogue) -> None:
    """Print the results, one block each; where they are from and who failed are notes."""
    print("\n".join(result_lines(response, say)))
    if sys.stderr is not None:
        for told in result_notes(response, say):
            print(plain_line(told), file=sys.stderr)


def result_lines(response: SearchResponse, say: Catalogue) -> Iterator[str]:
    """Yield the lines of the results."""
    if not response.items:
        yield say("tool.nothing_found")
    details = details_of(response, say, dated=False)
    for item, known in zip(response.items, details, strict=True):
        marker = f"{item.rank}. "
        about = " · ".join(filter(None, (item.published_at, known, item.snippet)))
        yield f"{marker}{item.title or item.domain}"
        yield from (f"{' ' * len(marker)}{line}" for line in (item.url, about) if line)


def result_notes(response: SearchResponse, say: Catalogue) -> Iterator[str]:
    """Yield where the results are from, then each engine that failed."""
    source = "cache" if response.cached else f"{response.took_ms} ms"
    yield f"{how_many(response.count, 'result')} from {response.provider}, {source}"
    for failure in response.errors:
        reason, _ = say.explain(failure)
        yield say("cli.engine_failed", engine=failure.engine, reason=reason)
