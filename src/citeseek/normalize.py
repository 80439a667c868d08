"""From an engine's hits to items that are fit to show."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from msgspec import structs

from citeseek.models import Hit, SearchItem
from citeseek.urls import Wrapper, same_page_key, target

log = logging.getLogger(__name__)


def normalize(
    hits: Iterable[Hit],
    *,
    provider: str,
    page_url: str = "",
    wrappers: tuple[Wrapper, ...] = (),
) -> list[SearchItem]:
    """Return the hits that have an http or https address, ranked from 1.

    Wrappers are undone once and the address is otherwise kept as it is. What cannot be used is
    dropped and logged with its position and reason.
    """
    items: list[SearchItem] = []
    for position, hit in enumerate(hits, start=1):
        url = target(hit.url, page_url, wrappers)
        if url is None:
            log.warning("%s: result %d dropped: no web address", provider, position)
            continue
        items.append(
            SearchItem(
                title=hit.title,
                url=url,
                snippet=hit.snippet,
                provider=provider,
                rank=len(items) + 1,
                published_at=hit.published_at,
                site_name=hit.site_name,
                source=hit.engines[0] if hit.engines else None,
                engines=hit.engines,
            )
        )
    return items


def distinct(items: Sequence[SearchItem], limit: int) -> tuple[SearchItem, ...]:
    """Return the first item of each page, at most ``limit``, ranked from 1 again."""
    seen: set[str] = set()
    kept: list[SearchItem] = []
    for item in items:
        key = same_page_key(item.url)
        if key in seen:
            continue
        seen.add(key)
        rank = len(kept) + 1
        kept.append(item if item.rank == rank else structs.replace(item, rank=rank))
        if len(kept) == limit:
            break
    return tuple(kept)
