"""The offline engine: three fixed results that say what they are. For tests and for CI."""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, string
from citeseek.query import Query

PAGES = (
    ("https://example.com/overview", "概览"),
    ("https://example.org/guide", "指南"),
    ("https://example.net/reference", "参考"),
)


def request(query: Query, options: EngineOptions) -> Request:  # noqa: ARG001 - the contract's shape
    """Carry the query to :func:`parse`: a local engine's request comes back as its page."""
    return Request(url="https://example.com/", params={"q": query.text})


def parse(page: Page) -> list[Hit]:
    """Return the fixed results for the query in the page."""
    text = string(json_object(page).get("q"))
    return [
        Hit(
            title=f"示例结果 {position}: {text} - {name}",
            url=url,
            snippet=f"示例结果，离线生成，不是真实的搜索结果。Offline example for {text!r}.",
        )
        for position, (url, name) in enumerate(PAGES, start=1)
    ]


ENGINE = Engine(id="stub", label="Offline stub", via="local", request=request, parse=parse)
