"""DuckDuckGo and a SearXNG on one loopback server, answering from the canned pages."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from .messages import Reply, Request
from .replies import JSON, as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .canned import CannedPage
    from .server import LoopbackServer

DDG_HTML = "ddg_html/html_large.html"
DDG_LITE = "ddg_html/lite_results.html"
SEARXNG_JSON = "searxng/search.json"
SEARXNG_HTML = "searxng/search.html"

_OK = Reply(200, {"Content-Type": "text/plain; charset=utf-8"}, "OK")
_CONFIG = as_json(
    {
        "brand": {},
        "engines": [{"name": "stand-in", "categories": ["general"], "enabled": True}],
        "instance_name": "loopback",
        "version": "stand-in",
    }
)


def stand_in(server: LoopbackServer, pages: Mapping[str, CannedPage], delay: float = 0.0) -> None:
    """Script ``server`` as a search site whose results are ``delay`` seconds late.

    The page whose query is closest to the one asked answers. ``/html/`` and ``/lite/`` are
    DuckDuckGo's, ``/search``, ``/healthz`` and ``/config`` are
    SearXNG's with JSON enabled, ``/pages/<file>`` is any page of the manifest.
    """

    def html(request: Request) -> Reply:
        return _closest(request.param("q"), pages, DDG_HTML).reply(delay=delay)

    def search(request: Request) -> Reply:
        if request.param("format") != "json":
            return pages[SEARXNG_HTML].reply(delay=delay)
        query = request.param("q")
        if not query:
            return as_json({"error": "No query"}, 400)
        found = json.loads(_closest(query, pages, SEARXNG_JSON).body)
        results = found["results"] if request.param("pageno", "1") == "1" else []
        answer = {**found, "query": query, "results": results}
        return Reply(200, {"Content-Type": JSON}, json.dumps(answer), delay)

    server.on("/html/", html)
    server.on("/lite/", pages[DDG_LITE].reply(delay=delay))
    server.on("/search", search)
    server.on("/healthz", _OK)
    server.on("/config", _CONFIG)
    for file, page in pages.items():
        server.on(f"/pages/{file}", page.reply(delay=delay))


def _closest(query: str, pages: Mapping[str, CannedPage], default: str) -> CannedPage:
    """Return the page of the default's engine and layout whose query shares most with ``query``.

    Words are compared in English and characters in Chinese; the default answers when none shares.
    """
    engine, _, layout = default.partition("/")
    stem = layout.partition("_")[0].partition(".")[0]
    alike = [
        page
        for file, page in pages.items()
        if file.startswith(f"{engine}/{stem}") and page.kind == "results"
    ]
    asked = _terms(query)
    best = max(alike, key=lambda page: len(asked & _terms(page.query)))
    return best if asked & _terms(best.query) else pages[default]


def _terms(query: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", query.lower()))
