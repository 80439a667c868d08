"""Google's results by the API of serper.dev."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed
from citeseek.models import (
    Beside,
    DirectAnswer,
    Hit,
    ImageDetails,
    Page,
    PaperDetails,
    Request,
    VideoDetails,
)
from citeseek.parsing.iso_dates import duration, parse_date, read_sent_at
from citeseek.parsing.json_body import count, inner, json_fields, json_object, read_list, string
from citeseek.query import Category, DateRange, Period, Query

SIGNUP = "https://serper.dev"
MAX_COUNT = 10
PATHS: dict[Category, str] = {
    "web": "search",
    "news": "news",
    "images": "images",
    "videos": "videos",
    "papers": "scholar",
}
PERIODS: dict[Period, str] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
# Languages that Google tells apart by region, and the one that stands for all.
REGIONAL = {"zh": "zh-cn", "pt": "pt-br"}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for results of one kind; papers have no time span."""
    body: dict[str, Any] = {"q": query.text_with_site, "num": min(query.count, MAX_COUNT)}
    language, _, region = query.language.lower().partition("-")
    if query.page > 1:
        body["page"] = query.page
    if language != "auto":
        body["hl"] = _language(language, region)
    if country := query.region:
        body["gl"] = country
    if query.category == "papers":
        return _ask(query, options, body)
    if isinstance(query.freshness, DateRange):
        first, last = query.freshness.first, query.freshness.last
        body["tbs"] = f"cdr:1,cd_min:{first:%m/%d/%Y},cd_max:{last:%m/%d/%Y}"
    elif query.freshness:
        body["tbs"] = PERIODS[query.freshness]
    return _ask(query, options, body)


def _ask(query: Query, options: EngineOptions, body: dict[str, Any]) -> Request:
    return Request(
        url=f"{options.base_url}/{PATHS[query.category]}",
        json=body,
        headers={"X-API-KEY": options.api_key or ""},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results."""
    return [_hit(page, result) for result in _results(page, "organic")]


def parse_news(page: Page) -> list[Hit]:
    """Return the articles."""
    return [_hit(page, result) for result in _results(page, "news")]


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures; the address of each is that of the page that shows it."""
    found = []
    for result in _results(page, "images"):
        hit = _hit(page, result)
        hit.thumbnail = string(result.get("thumbnailUrl")) or None
        hit.image = ImageDetails(
            url=string(result.get("imageUrl")),
            width=count(result.get("imageWidth")),
            height=count(result.get("imageHeight")),
        )
        found.append(hit)
    return found


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos."""
    found = []
    for result in _results(page, "videos"):
        hit = _hit(page, result)
        hit.video = VideoDetails(
            seconds=duration(result.get("duration")),
            channel=string(result.get("channel")) or None,
        )
        found.append(hit)
    return found


def parse_papers(page: Page) -> list[Hit]:
    """Return the papers that Google Scholar finds; of their date it knows the year."""
    found = []
    for result in _results(page, "organic"):
        hit = _hit(page, result)
        hit.published_at = string(result.get("year")) or None
        # "A Author, B Author - Journal, 2026 - publisher"
        names, _, _ = string(result.get("publicationInfo")).partition(" - ")
        hit.paper = PaperDetails(
            authors=tuple(filter(None, (name.strip(" …") for name in names.split(",")))),
            citations=count(result.get("citedBy")),
            pdf_url=string(result.get("pdfUrl")) or None,
        )
        found.append(hit)
    return found


def _results(page: Page, name: str) -> list[dict[str, Any]]:
    answer = json_object(page)
    if name not in answer and isinstance(answer.get("searchParameters"), dict):
        # An answer to a search, which found nothing.
        return []
    return read_list(answer, name, "Serper's")


def _hit(page: Page, result: dict[str, Any]) -> Hit:
    return Hit(
        title=string(result.get("title")),
        url=string(result.get("link")),
        snippet=string(result.get("snippet")),
        published_at=parse_date(string(result.get("date")), read_sent_at(page)),
        site_name=string(result.get("source")) or None,
        thumbnail=string(result.get("imageUrl")) or None,
    )


def beside(page: Page) -> Beside:
    """Return the box above the results, and the searches that Google suggests."""
    answer = json_fields(page, "answerBox", "relatedSearches")
    box = answer.get("answerBox")
    said = box if isinstance(box, dict) else {}
    text = string(said.get("answer")) or string(said.get("snippet"))
    related = answer.get("relatedSearches")
    queries = (
        [string(inner(each, "query")) for each in related] if isinstance(related, list) else []
    )
    return Beside(
        suggestions=tuple(filter(None, queries)),
        answers=(DirectAnswer(text=text, url=string(said.get("link"))),) if text else (),
    )


def refusal(page: Page) -> SearchFailed | None:
    """Tell a used-up account apart, for which the API has words but no code."""
    if page.status != 400 or b"credits" not in page.body:  # noqa: PLR2004 - HTTP's number
        return None
    return AuthError(
        "The credits of this Serper account are used up.",
        hint=f"Buy credits at {SIGNUP}, or set another engine.",
        detail_code="quota_exceeded",
        values={"case": "serper", "signup": str(SIGNUP)},
    )


def _language(language: str, region: str) -> str:
    if language not in REGIONAL:
        return language
    return f"{language}-{region}" if region else REGIONAL[language]


ENGINE = Engine(
    id="serper",
    label="Serper (Google)",
    index="google",
    base_url="https://google.serper.dev",
    request=request,
    parse=parse,
    refusal=refusal,
    beside=beside,
    key=Key(
        signup_url=SIGNUP,
        price="2,500 free searches once, then from $1 per 1,000 (2026)",
    ),
    supports=frozenset({"page", "language", "country", "freshness", "site"}),
    categories={
        "news": parse_news,
        "images": parse_images,
        "videos": parse_videos,
        "papers": parse_papers,
    },
)
