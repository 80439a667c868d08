"""From an engine's hits to items that are fit to show."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from citeseek import trace
from citeseek.models import Hit, SearchItem
from citeseek.text import plain_line
from citeseek.urls import Wrapper, target

# Longer texts are no titles and no snippets.
TITLE_CHARS = 1_000
SNIPPET_CHARS = 10_000
# So many results are named in the log; an engine may give any number without an address.
LOGGED = 3

log = logging.getLogger(__name__)


def normalize(
    hits: Iterable[Hit],
    *,
    provider: str,
    page_url: str = "",
    wrappers: tuple[Wrapper, ...] = (),
) -> list[SearchItem]:
    """Return the hits that have an http or https address, ranked from 1.

    Wrappers are undone once and the address is otherwise kept as it is. Texts become one line
    without control characters, so that none fakes a line or speaks to a terminal. What cannot be
    used is dropped and logged: the first ones with position and reason, the others by their number.
    """
    items: list[SearchItem] = []
    dropped: list[int] = []
    for position, hit in enumerate(hits, start=1):
        url = target(hit.url, page_url, wrappers)
        if url is None:
            dropped.append(position)
            trace.note("dropped", place=position, hit=hit, why="no web address")
            continue
        items.append(
            SearchItem(
                title=plain_line(hit.title)[:TITLE_CHARS],
                url=url,
                snippet=plain_line(hit.snippet)[:SNIPPET_CHARS],
                provider=provider,
                rank=len(items) + 1,
                published_at=hit.published_at,
                site_name=hit.site_name and plain_line(hit.site_name)[:TITLE_CHARS],
                source=hit.engines[0] if hit.engines else None,
                engines=hit.engines,
            )
        )
    for position in dropped[:LOGGED]:
        log.warning("%s: result %d dropped: no web address", provider, position)
    if more := len(dropped[LOGGED:]):
        log.warning("%s: %d more results dropped: no web address", provider, more)
    return items
