"""Bocha (博查), an index for Chinese pages, by its Web Search API (open.bocha.cn)."""

from __future__ import annotations

import re
from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.models import Hit, ImageDetails, Page, Request, VideoDetails
from citeseek.parsing.iso_dates import duration
from citeseek.parsing.json_body import count, inner, json_object, read_list, string
from citeseek.query import Period, Query

SIGNUP = "https://open.bocha.cn"
SUCCESS = "200"
CODE = re.compile("[1-9][0-9]{2}")
PERIODS: dict[Period, str] = {
    "day": "oneDay",
    "week": "oneWeek",
    "month": "oneMonth",
    "year": "oneYear",
}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask with summaries: without them the API leaves out the publication date as well."""
    body: dict[str, Any] = {"query": query.text, "count": query.count, "summary": True}
    if isinstance(query.freshness, str):
        body["freshness"] = PERIODS[query.freshness]
    elif query.freshness:
        body["freshness"] = str(query.freshness)
    if query.site:
        body["include"] = query.site.partition("/")[0]
    return Request(
        url=f"{options.base_url}/v1/web-search",
        json=body,
        headers={"Authorization": f"Bearer {options.api_key}"},
    )


def parse(page: Page) -> list[Hit]:
    """Return the web pages; raise what the envelope's code says, whatever the HTTP status."""
    return [
        Hit(
            title=_fold(entry.get("name")),
            url=string(entry.get("url")),
            snippet=_fold(entry.get("summary")) or _fold(entry.get("snippet")),
            published_at=_published_at(entry),
            site_name=string(entry.get("siteName")) or None,
        )
        for entry in _web_pages(_answer(page))
    ]


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures of the same answer."""
    return [
        Hit(
            title=_fold(entry.get("name")),
            url=string(entry.get("hostPageUrl")),
            thumbnail=string(entry.get("thumbnailUrl")) or None,
            image=ImageDetails(
                url=string(entry.get("contentUrl")),
                width=count(entry.get("width")),
                height=count(entry.get("height")),
            ),
        )
        for entry in _beside(_answer(page), "images")
    ]


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos of the same answer."""
    return [
        Hit(
            title=_fold(entry.get("name")),
            url=string(entry.get("hostPageUrl")),
            snippet=_fold(entry.get("description")),
            published_at=string(entry.get("datePublished")) or None,
            thumbnail=string(entry.get("thumbnailUrl")) or None,
            video=VideoDetails(
                seconds=duration(entry.get("duration")), views=count(entry.get("viewCount"))
            ),
        )
        for entry in _beside(_answer(page), "videos")
    ]


def refusal(page: Page) -> SearchFailed:
    """Read a status like the code of an envelope; 400 may mean that the key is missing."""
    try:
        message = string(json_object(page).get("message"))
    except WebParseError:
        message = ""
    return _failure(str(page.status), message)


def _answer(page: Page) -> dict[str, Any]:
    answer = json_object(page)
    code = string(answer.get("code")) or SUCCESS
    if code != SUCCESS:
        message = string(answer.get("msg")) or string(answer.get("message"))
        raise _failure(code, message)
    return answer


def _beside(answer: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return what is found beside the web pages; an answer without such a part found none."""
    _web_pages(answer)
    part = inner(answer, "data", name) or answer.get(name)
    return read_list(part, "value", "Bocha's") if isinstance(part, dict) else []


def _web_pages(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is found in the envelope's ``data`` or, without an envelope, at the top."""
    if "code" in answer and answer.get("data", "") is None:
        return []
    for place in (answer.get("data"), answer):
        if isinstance(place, dict) and "webPages" in place:
            found = place["webPages"]
            if isinstance(found, dict):
                return read_list(found, "value", "Bocha's")
            return read_list(place, "webPages", "Bocha's")
    raise WebParseError(
        "Bocha's answer holds no web pages.", detail_code="drift", values={"case": "bocha"}
    )


def _failure(code: str, message: str) -> SearchFailed:
    if not CODE.fullmatch(code):
        return WebParseError(
            "Bocha's answer has an unknown code.",
            detail_code="drift",
            values={"case": "bocha_code"},
        )
    detail_code = f"http_{code}"
    if code == "401" or (code == "400" and "key" in message.casefold()):
        return AuthError(
            f"Bocha does not accept the key (code {code}).",
            hint="Check BOCHA_API_KEY.",
            detail_code=detail_code,
            values={"case": "bocha_key", "code": str(code)},
        )
    if code == "403":
        return AuthError(
            "The balance of the Bocha account is used up.",
            hint=f"Top up at {SIGNUP}, or set another engine.",
            detail_code="quota_exceeded",
            values={"case": "bocha", "signup": SIGNUP},
        )
    if code == "429":
        return WebBlocked(
            "Too many requests for Bocha (code 429).",
            hint="Wait, or search less often.",
            detail_code=detail_code,
            values={"case": "bocha_rate"},
        )
    if code.startswith("5"):
        return BadGateway(
            f"Bocha failed (code {code}).",
            detail_code=detail_code,
            values={"case": "bocha_failed", "code": str(code)},
        )
    return WebProviderError(
        f"Bocha refused the request (code {code}).",
        detail_code=detail_code,
        values={"case": "bocha", "code": str(code)},
    )


def _fold(text: object) -> str:
    return " ".join(string(text).split())


def _published_at(entry: dict[str, Any]) -> str | None:
    if published := string(entry.get("datePublished")):
        return published
    # In spite of its name and its Z this is the publication time in China.
    crawled = string(entry.get("dateLastCrawled"))
    return f"{crawled[:-1]}+08:00" if crawled.endswith("Z") else crawled or None


ENGINE = Engine(
    id="bocha",
    label="Bocha 博查",
    index="bocha",
    base_url="https://api.bocha.cn",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(signup_url=SIGNUP, price="prepaid, about ¥0.036 a search (2025)"),
    supports=frozenset({"freshness", "site"}),
    categories={"images": parse_images, "videos": parse_videos},
)
