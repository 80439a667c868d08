"""Programs that speak to Tavily speak to Citeseek: what is asked, found, refused, and fails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.assistant.chatting import found, result
from tests.loopback import Reply, replies
from tests.rest.serving import Served, served

TEXT = "Tea is made of the leaves of a shrub. "


@pytest.fixture
def at() -> Iterator[Served]:
    env = {"WEB_SEARCH_BACKEND": "searxng", "WEB_FETCH_ALLOW": "127.0.0.0/8"}
    with served(found(result(1), result(2)), **env) as running:
        yield running


def asked(at: Served, path: str = "/search", **body: Any) -> Any:
    answer = at.http("POST", path, body)
    assert answer.status == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("path", ["/search", "/tavily/search"])
def test_a_search_is_one_with_json_and_a_form_is_for_searxng(at: Served, path: str) -> None:
    assert len(asked(at, path, query="tea", api_key="old")["results"]) == 2
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert at.http("POST", "/search", b"q=tea&format=json", form).json()["query"] == "tea"


def test_filters_reach_the_engine(at: Served) -> None:
    asked(at, query="tea", topic="news", language="de", include_domains=["a.example"])
    request = at.engine.requests[-1]
    assert request.param("categories") == "news"
    assert request.param("language") == "de"
    assert "site:a.example" in (request.param("q") or "")
    asked(at, query="tea", time_range="m", safe_search=True)
    request = at.engine.requests[-1]
    assert (request.param("time_range"), request.param("safesearch")) == ("month", "2")


def test_pages_that_were_found_are_read_where_that_is_wanted(at: Served) -> None:
    at.engine.on("/page", replies.html(f"<p>{TEXT * 20}</p>"))
    here, gone = at.engine.url("/page"), at.engine.url("/gone")
    at.engine.on("/search", found(result(1, url=here), result(2, url=gone)))
    first, second = asked(at, query="tea", include_raw_content="text")["results"]
    assert TEXT.strip() in first["raw_content"]
    assert second["raw_content"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"include_answer": "advanced"},
        {"include_images": True},
        {"include_domains": ["a.example", "b.example"]},
        {"exclude_domains": ["a.example"]},
        {"max_results": 21},
        {"topic": "finance"},
        {"country": "united states"},
        {"unheard_of": 1},
        {"time_range": "day", "days": 3},
    ],
)
def test_what_cannot_be_given_is_refused_by_its_name(at: Served, wrong: dict[str, Any]) -> None:
    refused = at.http("POST", "/search", {"query": "tea", **wrong})
    assert refused.status == 400
    assert next(iter(wrong)) in refused.json()["detail"]["error"]
    assert not at.engine.requests


def test_a_search_that_failed_is_an_error_and_nothing_found_is_none() -> None:
    with served(Reply(403, {}, b"no"), WEB_SEARCH_BACKEND="searxng") as at:
        failed = at.http("POST", "/search", {"query": "tea"})
        assert failed.status >= 500
        assert failed.json()["detail"]["error"]
    with served(found(), WEB_SEARCH_BACKEND="searxng") as empty:
        assert asked(empty, query="tea")["results"] == []


def test_days_are_a_span_that_ends_today(at: Served) -> None:
    # SearXNG has no such span, and says nothing of it; the span itself is checked where it is made.
    today = datetime.now(UTC).date()
    assert asked(at, query="tea", days=3)["query"] == "tea"
    wrong = at.http("POST", "/search", {"query": "tea", "start_date": "soon"})
    assert wrong.status == 400
    spanning = {"start_date": str(today - timedelta(days=9)), "end_date": str(today)}
    assert len(asked(at, query="tea", **spanning)["results"]) == 2


def test_an_unknown_path_is_said_in_the_same_words(at: Served) -> None:
    assert at.http("POST", "/tavily/crawl", {}).json()["detail"]["error"]
