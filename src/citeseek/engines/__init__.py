"""The engines that ship with Citeseek, written down one a line: the id and its other names.

The id is the name of the file. A file is imported when its engine is first asked for.
"""

from __future__ import annotations

from importlib import import_module

from citeseek.engine import Engine

BUILTIN: dict[str, tuple[str, ...]] = {
    "ddg_html": ("duck-duck-scrape", "duckduckgo"),
    "searxng": (),
    "baidu_html": ("baidu",),
    "bing_html": ("bing",),
    "mojeek": (),
    "google": (),
    "startpage": (),
    "brave_html": (),
    "yahoo": (),
    "ecosia": (),
    "sogou": (),
    "yandex": (),
    "qwant": (),
    "bing_browser": (),
    "bocha": (),
    "brave": (),
    "tavily": (),
    "serper": (),
    "exa": (),
    "google_cse": (),
    "wikipedia": (),
    "marginalia": (),
    "hackernews": (),
    "arxiv": (),
    "openalex": (),
    "crossref": (),
    "semantic_scholar": (),
    "stackexchange": ("stackoverflow",),
    "github": (),
    "stub": (),
}


def load(engine_id: str) -> Engine:
    """Return the built-in engine ``engine_id``."""
    engine: Engine = import_module(f"{__name__}.{engine_id}").ENGINE
    return engine
