"""Pages in a trace that an engine did not understand, or that refused it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from citeseek.errors import SearchFailed
from citeseek.replay.damage import reading
from citeseek.searching.failed_pages import keep
from citeseek.trace.record import Part, Trace
from citeseek.trace.recorded_failures import error_of

_ABOUT_A_PAGE = frozenset({"WebParseError", "WebBlocked", "AuthError", "BadGateway"})


def unread(trace: Trace) -> Iterator[SearchFailed]:
    """Yield each failure that came with a page, and the page with it."""
    for part in (trace.call, *trace.call.inner("engine"), *trace.call.inner("fetch")):
        if part.kind not in ("engine", "fetch") or part.failure is None:
            continue
        error = error_of(part.failure)
        answers = [exchange.answer for exchange in part.exchanges if exchange.answer]
        if part.failure.type in _ABOUT_A_PAGE and answers and isinstance(error, SearchFailed):
            error.page = answers[-1].page
            error.engine = error.engine or _named(part)
            yield error


@reading()
def write_pages(trace: Trace, folder: Path) -> list[Path]:
    """Write those pages into ``folder``, each with what is known of it, and return their paths."""
    return [path for error in unread(trace) if (path := keep(error, folder)) is not None]


def _named(part: Part) -> str:
    return "page" if part.kind == "fetch" else part.name
