"""Stories of Hacker News, by the search that Algolia runs for it (hn.algolia.com/api)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, plain, read_list, string
from citeseek.query import Query

DISCUSSION = "https://news.ycombinator.com/item?id="


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for stories, the best match first."""
    params = {"query": query.text, "tags": "story", "hitsPerPage": str(query.count)}
    if query.page > 1:
        params["page"] = str(query.page - 1)
    return Request(url=f"{options.base_url}/api/v1/search", params=params)


def parse(page: Page) -> list[Hit]:
    """Return the pages that stories link to, and the discussion of those without a link."""
    results = read_list(json_object(page), "hits", "Hacker News'")
    return [_hit(story) for story in results]


def _hit(story: dict[str, Any]) -> Hit:
    title = string(story.get("title"))
    # Paragraphs separate words, and the text of markup would join them.
    snippet = plain(string(story.get("story_text")).replace("<p>", " <p>"))
    if url := string(story.get("url")):
        # The story's date is not the date of the page that it links to.
        return Hit(title=title, url=url, snippet=snippet)
    number = string(story.get("objectID"))
    return Hit(
        title=title,
        url=f"{DISCUSSION}{number}" if number else "",
        snippet=snippet,
        published_at=string(story.get("created_at")) or None,
        site_name="Hacker News",
    )


ENGINE = Engine(
    id="hackernews",
    label="Hacker News",
    index="hackernews",
    base_url="https://hn.algolia.com",
    request=request,
    parse=parse,
    supports=frozenset({"page"}),
)
