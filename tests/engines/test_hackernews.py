"""What only Hacker News does; the contract suite and the pages test the rest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.hackernews import ENGINE
from citeseek.models import Hit, Page
from citeseek.query import Query

STORY = {"objectID": "70", "title": "Ask HN: a < b?", "created_at": "2026-02-01T10:00:00Z"}


def only_hit(story: dict[str, Any]) -> Hit:
    [hit] = ENGINE.parse(
        Page(url="https://h.example/", body=msgspec.json.encode({"hits": [story]}))
    )
    return hit


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=50), {"hitsPerPage": "50"}),
        (Query.of("tea", page=2), {"page": "1"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://h.example"))
    assert request.url == "https://h.example/api/v1/search"
    assert request.params == {"query": "tea", "tags": "story", "hitsPerPage": "10"} | sent


def test_a_story_without_a_link_is_its_discussion() -> None:
    hit = only_hit(STORY | {"story_text": "<p>One &amp; two.<p>Three."})
    assert hit.url == "https://news.ycombinator.com/item?id=70"
    assert hit.title == "Ask HN: a < b?"
    assert hit.snippet == "One & two. Three."
    assert hit.published_at == "2026-02-01T10:00:00Z"
    assert hit.site_name == "Hacker News"


def test_the_date_of_a_story_is_not_the_date_of_its_link() -> None:
    hit = only_hit(STORY | {"url": "https://a.example/1999"})
    assert hit.url == "https://a.example/1999"
    assert hit.published_at is None
    assert hit.site_name is None


def test_a_story_without_link_and_number_has_no_address() -> None:
    assert only_hit({"title": "Lost"}).url == ""
