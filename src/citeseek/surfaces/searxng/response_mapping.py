"""Our answer in a SearXNG's words."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlparse

from citeseek.errors import SearchFailed
from citeseek.models import Failure, SearchItem, SearchResponse
from citeseek.surfaces.searxng.shapes import Result, Results

_REASONS = {
    "Timeout": "timeout",
    "NetworkError": "HTTP connection error",
    "BadGateway": "HTTP error",
    "AuthError": "access denied",
    "WebBlocked": "access denied",
    "WebParseError": "parsing error",
}
_BY_DETAIL = {
    "captcha_required": "CAPTCHA",
    "http_429": "too many requests",
    "rate_limited_here": "too many requests",
}
_CRASH = "unexpected crash"
# The nearest of its words for an engine that lacks a part here, or whose site does not take us.
_CANNOT = "server API error"


def answer_of(text: str, response: SearchResponse) -> Results:
    """Return ``response`` to the search for ``text``.

    A page that the engines cannot turn to has no results, as behind the last page: they would be
    those of the first.
    """
    names = response.provider.split("+")
    ignored = set(response.ignored)
    stays = response.query.page > 1 and (
        "page" in ignored or all(f"{name}.page" in ignored for name in names)
    )
    return _results(text, () if stays else response.items, response.errors)


def failed(text: str, error: SearchFailed) -> Results:
    """Return the answer to a search that did not work: no result, and who failed."""
    return _results(text, (), map(Failure.of, (*error.earlier, error)))


def _results(text: str, items: Iterable[SearchItem], errors: Iterable[Failure]) -> Results:
    results = [_result(item) for item in items]
    return Results(
        query=text,
        number_of_results=len(results),
        results=results,
        unresponsive_engines=[[error.engine, _reason(error)] for error in errors],
    )


def _result(item: SearchItem) -> Result:
    engines = list(item.engines or (item.provider,))
    return Result(
        url=item.url,
        title=item.title,
        content=item.snippet,
        engine=engines[0],
        engines=engines,
        positions=[item.rank],
        score=round(1 / item.rank, 6),
        parsed_url=list(urlparse(item.url)),
        publishedDate=item.published_at,
    )


def _reason(error: Failure) -> str:
    """Return a SearXNG's words for ``error``, with our own behind where they say too little."""
    if error.type == "WebProviderError" and error.detail_code not in ("", "internal"):
        return f"{_CANNOT}: {error.message} {error.hint}".rstrip()
    return _BY_DETAIL.get(error.detail_code, _REASONS.get(error.type, _CRASH))
