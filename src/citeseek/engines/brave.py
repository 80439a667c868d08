"""Brave's own index, by the Brave Search API (api-dashboard.search.brave.com/documentation)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed, WebParseError
from citeseek.models import Hit, ImageDetails, Page, Request, VideoDetails
from citeseek.parsing.iso_dates import duration
from citeseek.parsing.json_body import count, inner, json_object, plain, read_list, string
from citeseek.query import Category, DateRange, Period, Query

# The most that each kind of search gives at once.
MAX_COUNTS: dict[Category, int] = {"web": 20, "news": 50, "images": 100, "videos": 50}
PERIODS: dict[Period, str] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
# The API refuses any other value (HTTP 422).
COUNTRIES = frozenset(
    "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE "
    "CH TW TR GB US".split()
)
LANGUAGES = frozenset(
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko "
    "lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi".split()
)
RENAMED_LANGUAGES = {
    "ja": "jp",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-hk": "zh-hant",
    "zh-mo": "zh-hant",
    "zh-tw": "zh-hant",
}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for one kind of results, of the web with the further excerpts of each page.

    Pictures have no pages, no time span, and no moderate level.
    """
    is_image = query.category == "images"
    params = {
        "q": query.text_with_site,
        "count": str(min(query.count, MAX_COUNTS[query.category])),
    }
    if query.category == "web":
        params |= {"result_filter": "web", "extra_snippets": "true"}
    if query.page > 1 and not is_image:
        params["offset"] = str(query.page - 1)
    if language := _language(query.language):
        params["search_lang"] = language
    if country := (query.region or "").upper():
        params["country"] = country if country in COUNTRIES else "ALL"
    if isinstance(query.freshness, DateRange) and not is_image:
        params["freshness"] = f"{query.freshness.first}to{query.freshness.last}"
    elif isinstance(query.freshness, str) and not is_image:
        params["freshness"] = PERIODS[query.freshness]
    if query.safesearch and not (is_image and query.safesearch == "moderate"):
        params["safesearch"] = query.safesearch
    return Request(
        url=f"{options.base_url}/res/v1/{query.category}/search",
        params=params,
        headers={"Accept": "application/json", "X-Subscription-Token": options.api_key or ""},
    )


def parse(page: Page) -> list[Hit]:
    """Return the web results; an answer to a search without a web part found nothing."""
    answer = json_object(page)
    web = answer.get("web")
    if web is None and ("web" in answer or answer.get("type") == "search"):
        return []
    results = read_list(web if isinstance(web, dict) else {}, "results", "Brave's")
    return [_hit(result, string(inner(result, "profile", "name"))) for result in results]


def parse_news(page: Page) -> list[Hit]:
    """Return the articles."""
    results = read_list(json_object(page), "results", "Brave's")
    return [_hit(result, plain(inner(result, "meta_url", "hostname"))) for result in results]


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures; the address of each is that of the page that shows it."""
    return [
        Hit(
            title=plain(result.get("title")),
            url=string(result.get("url")),
            site_name=plain(result.get("source")) or None,
            thumbnail=_thumbnail(result),
            image=ImageDetails(
                url=string(inner(result, "properties", "url")),
                width=count(inner(result, "properties", "width")),
                height=count(inner(result, "properties", "height")),
            ),
        )
        for result in read_list(json_object(page), "results", "Brave's")
    ]


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos."""
    return [
        _hit(
            result,
            plain(inner(result, "video", "publisher")),
            VideoDetails(
                seconds=duration(inner(result, "video", "duration")),
                channel=plain(inner(result, "video", "creator")) or None,
                views=count(inner(result, "video", "views")),
            ),
        )
        for result in read_list(json_object(page), "results", "Brave's")
    ]


def refusal(page: Page) -> SearchFailed | None:
    """Tell a bad key from a bad parameter, which share a status, and an empty plan from haste."""
    error = _error(page)
    code = string(error.get("code"))
    if code.startswith("SUBSCRIPTION_TOKEN"):
        return AuthError(
            f"Brave does not accept the key (HTTP {page.status}).",
            hint="Check BRAVE_API_KEY.",
            detail_code=f"http_{page.status}",
            values={"case": "brave_key", "status": str(page.status)},
        )
    if code == "OPTION_NOT_IN_PLAN":
        return AuthError(
            "The plan of this Brave key does not include this search.",
            hint="Use a key of the plan Search.",
            detail_code="plan",
            values={"case": "brave_plan"},
        )
    if _is_used_up(error.get("meta")):
        return AuthError(
            "The Brave plan's requests of this month are used up.",
            hint="Wait for the next month, or set another plan or engine.",
            detail_code="quota_exceeded",
            values={"case": "brave_quota"},
        )
    return None


def _language(language: str) -> str | None:
    code = language.lower()
    for name in (code, code.partition("-")[0]):
        known = RENAMED_LANGUAGES.get(name, name)
        if known in LANGUAGES:
            return known
    return None


def _hit(result: dict[str, Any], site: str, video: VideoDetails | None = None) -> Hit:
    """Return what pages, articles and videos have alike; ``site`` names where it stands."""
    return Hit(
        title=plain(result.get("title")),
        url=string(result.get("url")),
        snippet=_snippet(result),
        published_at=string(result.get("page_age")) or None,
        site_name=site or None,
        thumbnail=_thumbnail(result),
        video=video,
    )


def _snippet(result: dict[str, Any]) -> str:
    more = result.get("extra_snippets")
    texts = [result.get("description"), *(more if isinstance(more, list) else [])]
    return " … ".join(filter(None, map(plain, texts)))


def _thumbnail(result: dict[str, Any]) -> str | None:
    return string(inner(result, "thumbnail", "src")) or None


def _error(page: Page) -> dict[str, Any]:
    try:
        error = json_object(page).get("error")
    except WebParseError:
        return {}
    return error if isinstance(error, dict) else {}


def _is_used_up(meta: object) -> bool:
    if not isinstance(meta, dict):
        return False
    limit, current = meta.get("quota_limit"), meta.get("quota_current")
    # A limit of 0 means a plan without one.
    return isinstance(limit, int) and isinstance(current, int) and 0 < limit <= current


ENGINE = Engine(
    id="brave",
    label="Brave Search API",
    index="brave",
    base_url="https://api.search.brave.com",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url="https://api-dashboard.search.brave.com",
        price="$5 of free credit a month, then $5 per 1,000 searches (2026)",
    ),
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    categories={"news": parse_news, "images": parse_images, "videos": parse_videos},
    max_chars=400,
    max_words=50,
)
