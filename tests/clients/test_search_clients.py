"""Clients of Tavily and Firecrawl, and LiteLLM's search, each as it comes from its registry."""

from __future__ import annotations

import pytest
from tests.clients.conftest import Run
from tests.loopback import replies
from tests.rest.serving import Served

pytestmark = [pytest.mark.clients, pytest.mark.release, pytest.mark.timeout(400)]

PAGES = [
    ["Title 1", "https://site1.example/page", "Summary 1."],
    ["Title 2", "https://site2.example/page", "Summary 2."],
]
URLS = [url for _, url, _ in PAGES]
TEXT = "Tea is made of the leaves of a shrub that grows in the hills. "


@pytest.fixture
def page(at: Served) -> str:
    """Give the address of a page."""
    html = f"<title>Tea</title><article><h1>Tea</h1><p>{TEXT * 10}</p></article>"
    at.engine.on("/page", replies.html(html))
    return at.engine.url("/page")


def test_tavily_in_python(at: Served, run: Run, page: str) -> None:
    told = run("tavily", "tavily_client.py", PAGE=page)
    found = told["found"]
    results = found["results"]
    assert [[each["title"], each["url"], each["content"]] for each in results] == PAGES
    assert [each["score"] for each in results] == [1.0, 0.5]
    assert results[0]["published_date"] == "2026-03-01"
    assert (found["query"], found["answer"], found["images"]) == ("tea", None, [])
    assert at.engine.requests[0].param("time_range") == "week"
    (read,) = told["extracted"]["results"]
    assert read["url"] == page
    assert TEXT.strip() in read["raw_content"]
    (failed,) = told["extracted"]["failed_results"]
    assert failed["url"] == "http://nowhere.invalid/"
    assert "/v1/responses" in told["refused"]
    assert told["unknown"]


def test_tavily_in_javascript(at: Served, run: Run, page: str) -> None:
    told = run("node", "tavily_client.mjs", PAGE=page)
    assert [each["url"] for each in told["found"]] == URLS
    assert TEXT.strip() in told["extracted"][0]["rawContent"]


def test_firecrawl_in_python(at: Served, run: Run, page: str) -> None:
    told = run("firecrawl", "firecrawl_client.py", PAGE=page)
    assert told["found"] == [[title, url, text] for title, url, text in PAGES]
    assert told["old_found"] == [[title, url] for title, url, _ in PAGES]
    assert TEXT.strip() in told["markdown"]
    assert TEXT.strip() in told["old_markdown"]
    assert told["title"] == "Tea"
    assert "markdown" in told["refused"]


def test_firecrawl_in_javascript(at: Served, run: Run, page: str) -> None:
    told = run("node", "firecrawl_client.mjs", PAGE=page)
    assert told["found"] == told["old"] == URLS
    assert TEXT.strip() in told["markdown"]
    assert TEXT.strip() in told["oldMarkdown"]


def test_litellm_searches(at: Served, run: Run) -> None:
    told = run("litellm", "litellm_search.py")
    assert told["searxng"] == told["tavily"] == told["firecrawl"] == PAGES
