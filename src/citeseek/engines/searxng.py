"""A SearXNG instance of one's own, by its JSON API (docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeseek.engine import Engine, EngineOptions, Key, Markers
from citeseek.errors import AuthError, BadGateway, SearchFailed, WebBlocked, WebProviderError
from citeseek.models import (
    Beside,
    CodeDetails,
    DirectAnswer,
    Hit,
    ImageDetails,
    Page,
    PaperDetails,
    Request,
    VideoDetails,
)
from citeseek.parsing.iso_dates import duration
from citeseek.parsing.json_body import (
    count,
    each_entry,
    json_fields,
    plain,
    string,
    strings,
)
from citeseek.query import Category, Query
from citeseek.text import plain_line, shorten
from citeseek.urls import domain

CATEGORIES: dict[Category, str] = {
    "news": "news",
    "images": "images",
    "videos": "videos",
    "papers": "science",
    "code": "it",
}
# "1920 x 1080", "1920×1080 px"
SIZE = re.compile(r"(\d{1,6})\s*[x×]\s*(\d{1,6})")
SAFESEARCH = {"off": "0", "moderate": "1", "strict": "2"}
# Guards that public instances stand behind.
MARKERS = Markers(
    blocked={
        "script[src^='/check/']": "captcha_required",
        "script[src*='/cdn-cgi/challenge-platform/']": "captcha_required",
        "script[id=anubis_challenge]": "captcha_required",
    }
)
JSON_HINT = (
    "If no key is needed, JSON is not enabled: add `json` to `search.formats` in settings.yml and "
    "restart SearXNG; else check SEARXNG_API_KEY."
)
LIMITER_HINT = "Set `server.limiter: false` in settings.yml or put this address on its pass list."
# Its bot detection wants to know whom it answers; a proxy before it has to say so.
BOT_HINT = (
    "Its bot detection may miss the address of the client: let the proxy before it set X-Real-IP "
    "and X-Forwarded-For, or set `server.limiter: false` in settings.yml."
)
# `!!g words` would send us to another host instead of answering.
EXTERNAL_BANG = re.compile(r"(?<!\S)!!\S+\s*")


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for JSON; the language is always sent, since an instance guesses from headers alone."""
    text = EXTERNAL_BANG.sub("", query.text_with_site).strip() or query.text.lstrip("!")
    params = {"q": text, "format": "json", "language": query.language, "pageno": str(query.page)}
    if category := CATEGORIES.get(query.category):
        params["categories"] = category
    if isinstance(query.freshness, str):
        params["time_range"] = query.freshness
    if query.safesearch:
        params["safesearch"] = SAFESEARCH[query.safesearch]
    headers = {
        "Accept": "application/json, text/html;q=0.9",
        "Accept-Language": query.accept_language,
    }
    if options.api_key:
        headers["Authorization"] = f"Bearer {options.api_key}"
    return Request(url=f"{options.base_url}/search", params=params, headers=headers)


def parse(page: Page) -> Iterator[Hit]:
    """Yield the results; raise BadGateway when there are none because its engines failed.

    It shows those of all its engines in one list, of which hardly anybody wants all.
    """
    result = None
    for result in each_entry(page, "results", "SearXNG's"):
        yield Hit(
            title=plain(result.get("title")) or domain(string(result.get("url"))),
            url=string(result.get("url")),
            snippet=plain(result.get("content")),
            published_at=string(result.get("publishedDate")) or None,
            engines=_engines(result),
            thumbnail=_thumbnail(result),
            image=_image(result),
            video=_video(result),
            paper=_paper(result),
            code=_code(result),
        )
    silent = json_fields(page, "unresponsive_engines") if result is None else {}
    if failures := _failures(silent.get("unresponsive_engines")):
        raise BadGateway(
            f"SearXNG could not search: {failures}.",
            hint="Its own engines failed; see its preferences and logs.",
            detail_code="engines_failed",
            values={"case": "own_engines", "failures": str(failures)},
        )


def beside(page: Page) -> Beside:
    """Return what the instance says beside its results; older ones have answers as bare texts."""
    answer = json_fields(page, "answers", "suggestions", "corrections")
    answers = answer.get("answers")
    found = [_answer(each) for each in answers] if isinstance(answers, list) else []
    return Beside(
        suggestions=tuple(map(plain, strings(answer.get("suggestions")))),
        corrections=tuple(map(plain, strings(answer.get("corrections")))),
        answers=tuple(each for each in found if each.text),
    )


def _answer(given: object) -> DirectAnswer:
    if not isinstance(given, dict):
        return DirectAnswer(text=plain(given))
    return DirectAnswer(
        text=plain(given.get("answer")),
        url=string(given.get("url")),
        engine=string(given.get("engine")),
    )


def refusal(page: Page) -> SearchFailed | None:
    """Tell the refusals of an instance apart."""
    if page.status in (401, 403):
        return AuthError(
            f"SearXNG refused the request (HTTP {page.status}).",
            hint=JSON_HINT,
            detail_code=f"http_{page.status}",
            values={"case": "searxng", "status": str(page.status)},
        )
    # Of a parameter that it does not know it says so.
    if page.status == 400 and b"parameter" not in page.body:  # noqa: PLR2004 - HTTP's number
        return WebProviderError(
            "SearXNG refused the request (HTTP 400).",
            hint=BOT_HINT,
            detail_code="http_400",
            values={"case": "searxng_bot"},
        )
    if page.status == 429:  # noqa: PLR2004 - HTTP's number
        return WebBlocked(
            "SearXNG's limiter refused the request (HTTP 429).",
            hint=LIMITER_HINT,
            detail_code="http_429",
            values={"case": "searxng_limiter"},
        )
    return None


def _engines(result: dict[str, object]) -> tuple[str, ...]:
    listed = result.get("engines")
    names = listed if isinstance(listed, list) else [result.get("engine")]
    return tuple(name for name in names if isinstance(name, str) and name)


def _thumbnail(result: dict[str, object]) -> str | None:
    names = ("thumbnail_src", "thumbnail", "img_src")
    return next(filter(None, (string(result.get(name)) for name in names)), None)


def _image(result: dict[str, object]) -> ImageDetails | None:
    if result.get("category") != "images" or not (address := string(result.get("img_src"))):
        return None
    size = SIZE.search(string(result.get("resolution")))
    width, height = map(int, size.groups()) if size else (None, None)
    return ImageDetails(url=address, width=width, height=height)


def _video(result: dict[str, object]) -> VideoDetails | None:
    if result.get("category") != "videos":
        return None
    return VideoDetails(
        seconds=duration(result.get("length")),
        channel=plain(result.get("author")) or None,
        views=count(result.get("views")),
    )


def _paper(result: dict[str, object]) -> PaperDetails | None:
    authors, doi = strings(result.get("authors")), string(result.get("doi"))
    if not authors and not doi:
        return None
    return PaperDetails(
        authors=authors,
        venue=plain(result.get("journal")) or None,
        doi=doi or None,
        pdf_url=string(result.get("pdf_url")) or None,
    )


def _code(result: dict[str, object]) -> CodeDetails | None:
    if not result.get("package_name"):
        return None
    return CodeDetails(
        license=plain(result.get("license_name")) or None, tags=strings(result.get("tags"))
    )


def _short(value: object) -> str:
    return shorten(plain_line(string(value)[:200]), 60)


def _failures(value: object) -> str:
    pairs = value if isinstance(value, list) else []
    return ", ".join(
        f"{_short(pair[0])} ({_short(pair[1])})"
        for pair in pairs[:5]
        if isinstance(pair, list) and len(pair) > 1
    )


ENGINE = Engine(
    id="searxng",
    label="SearXNG",
    base_url="http://localhost:8080",
    request=request,
    parse=parse,
    refusal=refusal,
    beside=beside,
    markers=MARKERS,
    key=Key(signup_url="", price="free, self-hosted", required=False),
    supports=frozenset({"page", "language", "freshness", "safesearch", "site"}),
    categories=dict.fromkeys(CATEGORIES, parse),
)
