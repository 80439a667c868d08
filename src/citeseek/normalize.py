"""From an engine's hits to items that are fit to show."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from citeseek.models import Hit, SearchItem
from citeseek.urls import Wrapper, target

log = logging.getLogger(__name__)


def normalize(
    hits: Iterable[Hit],
    *,
    provider: str,
    page_url: str = "",
    wrappers: tuple[Wrapper, ...] = (),
) -> list[SearchItem]:
    """Return the hits that have an http or https address, ranked from 1.

    Wrappers are undone once and the address is otherwise kept as it is; white space in texts is
    folded, so that a text never fakes a line of its own. What cannot be used is dropped and logged
    with its position and reason.
    """
    items: list[SearchItem] = []
    for position, hit in enumerate(hits, start=1):
        url = target(hit.url, page_url, wrappers)
        if url is None:
            log.warning("%s: result %d dropped: no web address", provider, position)
            continue
        items.append(
            SearchItem(
                title=" ".join(hit.title.split()),
                url=url,
                snippet=" ".join(hit.snippet.split()),
                provider=provider,
                rank=len(items) + 1,
                published_at=hit.published_at,
                site_name=hit.site_name,
                source=hit.engines[0] if hit.engines else None,
                engines=hit.engines,
            )
        )
    return items
