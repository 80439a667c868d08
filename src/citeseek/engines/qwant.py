"""Qwant, by the JSON that its own pages ask for: its index and Bing's.

Made from what is publicly known of that JSON, and not tried against the live site.
"""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions
from citeseek.errors import SearchFailed, WebBlocked, WebParseError, WebProviderError
from citeseek.models import Hit, ImageDetails, Page, Request, VideoDetails
from citeseek.parsing.json_body import (
    count,
    dicts,
    inner,
    json_object,
    moment,
    plain,
    read_list,
    string,
)
from citeseek.query import Category, Query

# What one answer holds, and how far its pages go.
COUNTS: dict[Category, int] = {"web": 10, "news": 10, "images": 50, "videos": 10}
MAX_OFFSET = 200
SAFESEARCH = {"off": "0", "moderate": "1", "strict": "2"}
# The region that speaks for a language without one.
HOME = {"en": "US", "zh": "CN", "ja": "JP", "ko": "KR", "da": "DK", "sv": "SE", "cs": "CZ"}
TOO_MANY = 24


def request(query: Query, options: EngineOptions) -> Request:
    """Ask as the page's own script does."""
    size = COUNTS[query.category]
    params = {"q": query.text_with_site, "count": str(size), "locale": _locale(query)}
    if query.page > 1:
        params["offset"] = str(min((query.page - 1) * size, MAX_OFFSET))
    if query.safesearch:
        params["safesearch"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/v3/search/{query.category}",
        params=params,
        headers={"Accept": "application/json", "Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the web results; advertisements stand in blocks of another type."""
    items = _items(page)
    if not isinstance(items, dict):
        raise WebParseError(
            "Qwant's answer holds no results.", detail_code="drift", values={"case": "qwant"}
        )
    blocks = read_list(items, "mainline", "Qwant's")
    pages = [each for block in blocks if block.get("type") == "web" for each in _list(block)]
    return [_hit(each) for each in pages]


def parse_news(page: Page) -> list[Hit]:
    """Return the articles."""
    found = []
    for item in _found(page):
        hit = _hit(item)
        hit.site_name = plain(item.get("press_name")) or None
        media = dicts(item.get("media"))
        hit.thumbnail = string(inner(media[0], "pict", "url")) or None if media else None
        found.append(hit)
    return found


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures; the address of each is that of the page that shows it."""
    found = []
    for item in _found(page):
        hit = _hit(item)
        hit.image = ImageDetails(
            url=string(item.get("media")),
            width=count(item.get("width")),
            height=count(item.get("height")),
        )
        found.append(hit)
    return found


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos; their length is in milliseconds."""
    found = []
    for item in _found(page):
        hit = _hit(item)
        length = count(item.get("duration"))
        hit.site_name = plain(item.get("source")) or None
        hit.video = VideoDetails(
            seconds=length // 1000 if length else None, channel=plain(item.get("channel")) or None
        )
        found.append(hit)
    return found


def refusal(page: Page) -> SearchFailed | None:
    """Read 403 as a refusal of the client: there is no key that could be wrong."""
    if page.status != 403:  # noqa: PLR2004 - HTTP's number
        return None
    return WebBlocked(
        "Qwant refuses this client (HTTP 403).",
        hint="Set a proxy or another engine.",
        detail_code="http_403",
        values={"case": "qwant"},
    )


def _items(page: Page) -> Any:
    """Return what the answer holds; raise what it says instead."""
    answer = json_object(page)
    data = answer.get("data")
    if answer.get("status") == "success":
        return inner(data, "result", "items")
    if inner(data, "error_data", "captchaUrl"):
        raise WebBlocked(
            "The site asks for a CAPTCHA.",
            hint="Set a proxy or another engine.",
            detail_code="captcha_required",
            values={"case": "qwant"},
        )
    if inner(data, "error_code") == TOO_MANY:
        raise WebBlocked(
            "Too many requests for Qwant.",
            hint="Search less often.",
            detail_code="http_429",
            values={"case": "qwant"},
        )
    if answer.get("status") == "error":
        raise WebProviderError(
            "Qwant refused the search.", detail_code="api_error", values={"case": "qwant"}
        )
    raise WebParseError(
        "Qwant's answer holds no results.", detail_code="drift", values={"case": "qwant"}
    )


def _found(page: Page) -> list[dict[str, Any]]:
    return read_list({"items": _items(page)}, "items", "Qwant's")


def _list(block: dict[str, Any]) -> list[dict[str, Any]]:
    return read_list(block, "items", "Qwant's")


def _hit(item: dict[str, Any]) -> Hit:
    return Hit(
        title=plain(item.get("title")),
        url=string(item.get("url")),
        snippet=plain(item.get("desc")),
        published_at=moment(item.get("date")),
        thumbnail=string(item.get("thumbnail")) or None,
    )


def _locale(query: Query) -> str:
    language = query.language.partition("-")[0]
    if language == "auto":
        return f"en_{(query.country or 'us').upper()}"
    region = query.region or HOME.get(language, language)
    return f"{language}_{region.upper()}"


ENGINE = Engine(
    id="qwant",
    label="Qwant",
    index="bing",
    base_url="https://api.qwant.com",
    request=request,
    parse=parse,
    refusal=refusal,
    supports=frozenset({"page", "language", "country", "safesearch", "site"}),
    categories={"news": parse_news, "images": parse_images, "videos": parse_videos},
)
