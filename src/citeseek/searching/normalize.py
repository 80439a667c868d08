"""From an engine's hits to items that are fit to show."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from msgspec import structs

from citeseek import observing
from citeseek.models import CodeDetails, Hit, ImageDetails, PaperDetails, SearchItem, VideoDetails
from citeseek.parsing.iso_dates import find_date
from citeseek.text import how_many, plain_line
from citeseek.urls import Wrapper, is_web, join_url, target, without_user

# Longer texts are no titles and no snippets.
TITLE_CHARS = 1_000
SNIPPET_CHARS = 10_000
# Names of upstream engines, dates.
NAME_CHARS, MAX_ENGINES = 100, 50
# Names of authors, tags.
MAX_NAMES = 50
MOST = 10**12
_PART_OF_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:-(\d\d))?", re.ASCII)
_MONTHS = 12
# Engines write it bare, behind "doi:", or as an address.
_DOI = re.compile(r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
Details = TypeVar("Details", ImageDetails, VideoDetails, PaperDetails, CodeDetails)

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
    without control characters, so that none fakes a line or speaks to a terminal, and are valid
    Unicode. What cannot be used is dropped, and logged as one line.
    """
    items: list[SearchItem] = []
    dropped: list[int] = []
    for position, hit in enumerate(hits, start=1):
        url = target(hit.url, page_url, wrappers)
        if url is None:
            dropped.append(position)
            observing.note("dropped", place=position, hit=hit, why="no web address")
            continue
        engines = tuple(map(_name, hit.engines[:MAX_ENGINES]))
        items.append(
            SearchItem(
                title=_line(hit.title, TITLE_CHARS),
                url=url,
                snippet=_line(hit.snippet, SNIPPET_CHARS),
                provider=provider,
                rank=len(items) + 1,
                published_at=_date(hit.published_at) if hit.published_at else None,
                site_name=(hit.site_name and _line(hit.site_name, TITLE_CHARS)) or None,
                source=engines[0] if engines else None,
                engines=engines,
                thumbnail=_address(hit.thumbnail, page_url) if hit.thumbnail else None,
                image=hit.image and _clean(hit.image, page_url),
                video=hit.video and _clean(hit.video, page_url),
                paper=hit.paper and _clean(hit.paper, page_url),
                code=hit.code and _clean(hit.code, page_url),
            )
        )
    if dropped:
        first = dropped[0]
        log.warning(
            "%s: %s dropped: no web address (the first is number %d)",
            provider,
            how_many(len(dropped), "result"),
            first,
        )
    return items


@lru_cache(maxsize=256)
def _name(engine: str) -> str:
    return _line(engine, NAME_CHARS)


@lru_cache(maxsize=256)
def _date(text: str) -> str | None:
    """Return ``text`` as ISO 8601: a year, a month, a day or a moment; None for what is none."""
    line = _line(text, NAME_CHARS)
    if match := _PART_OF_YEAR.fullmatch(line):
        return line if match[1] is None or 1 <= int(match[1]) <= _MONTHS else None
    try:
        datetime.fromisoformat(line)
    except ValueError:
        return find_date(line)
    return line


def _doi(text: str) -> str | None:
    match = _DOI.fullmatch(_line(text, TITLE_CHARS))
    return match[1] if match else None


def _line(text: str, most: int) -> str:
    # Cut first: what is thrown away need not be cleaned.
    return plain_line(text[: 2 * most])[:most]


def _address(href: str, page_url: str) -> str | None:
    """Return the address of something that belongs to a result, None when it is no web address."""
    is_whole = href.startswith(("https://", "http://"))
    url = without_user(href if is_whole else join_url(page_url, href) or "")
    return url if is_web(url) else None


def _clean(details: Details, page_url: str) -> Details | None:
    """Return ``details`` with what is fit to show; None when there is nothing left of them."""
    kept = {name: _fit(name, value, page_url) for name, value in structs.asdict(details).items()}
    is_empty = all(value in (None, ()) for value in kept.values())
    # A picture is its address.
    return None if is_empty or kept.get("url", "") is None else type(details)(**kept)


def _fit(name: str, value: Any, page_url: str) -> Any:
    if name == "doi":
        return _doi(value or "")
    if isinstance(value, str):
        is_address = name in ("url", "pdf_url")
        if is_address:
            return _address(value, page_url) if value else None
        return _line(value, TITLE_CHARS) or None
    if isinstance(value, tuple):
        return tuple(filter(None, (_line(each, NAME_CHARS) for each in value[:MAX_NAMES])))
    if isinstance(value, bool):
        return value
    return value if isinstance(value, int) and 0 <= value <= MOST else None
