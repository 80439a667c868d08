"""The pages, and a SearXNG that finds them: ``/search`` ranks by BM25, ``/read/SLUG`` is a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import bm25s  # type: ignore[import-untyped]
import msgspec
from tests.loopback import LoopbackServer, Reply, Request, replies

from citeseek.text import terms

ARTICLES = Path(__file__).with_name("articles.json")
MAX_RESULTS = 10
# Words that say nothing of what is asked.
_COMMON = frozenset("a an and are do for how i in is it of on the to use what with".split())


class Article(msgspec.Struct, frozen=True):
    """One page of our own. ``host`` is the name that its site has where no page is opened."""

    slug: str
    title: str
    site: str
    host: str
    date: str
    lang: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """Everything that it says."""
        return " ".join(self.paragraphs)


def articles() -> list[Article]:
    """Return all pages."""
    return msgspec.json.decode(ARTICLES.read_bytes(), type=list[Article])


class Site:
    """A search engine over ``articles`` on the loopback server that also serves them.

    With ``has_names`` its results lead to the names of their sites, where nothing is: for pictures.
    """

    def __init__(
        self, server: LoopbackServer, found: Sequence[Article], *, has_names: bool = False
    ) -> None:
        self._server = server
        self._has_names = has_names
        self._articles = tuple(found)
        self._index = bm25s.BM25()
        self._index.index(
            [terms(f"{each.title} {each.title} {each.text}") for each in found],
            show_progress=False,
        )
        server.on("/search", self._search)
        server.on("/healthz", Reply(200, {"Content-Type": "text/plain"}, "OK"))
        server.on("/config", replies.as_json(_CONFIG))
        for each in found:
            server.on(f"/read/{each.slug}", _page(each))

    def find(self, query: str) -> list[Article]:
        """Return the pages for ``query``, the best first; none when no word is theirs."""
        words = dict.fromkeys(terms(query))
        asked = [word for word in words if word in self._index.vocab_dict and word not in _COMMON]
        if not asked:
            return []
        scores = self._index.get_scores(asked)
        ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
        best = scores[ranked[0]] if ranked else 0
        # What shares but a chance word with the question is no result.
        return [self._articles[place] for place in ranked if scores[place] > best / 8][:MAX_RESULTS]

    def _search(self, request: Request) -> Reply:
        query = request.param("q")
        if request.param("format") != "json":
            return replies.html("<title>Demo</title>")
        if not query:
            return replies.as_json({"error": "No query"}, 400)
        found = self.find(query) if request.param("pageno", "1") == "1" else []
        return replies.as_json(
            {"query": query, "results": [self._result(each, query) for each in found]}
        )

    def _result(self, article: Article, query: str) -> dict[str, object]:
        return {
            "url": self._address(article),
            "title": article.title,
            "content": _snippet(article, query),
            "engine": "demo",
            "engines": ["demo"],
            "publishedDate": f"{article.date}T00:00:00",
        }

    def _address(self, article: Article) -> str:
        path = f"/read/{article.slug}"
        return f"https://{article.host}{path}" if self._has_names else self._server.url(path)


def _snippet(article: Article, query: str) -> str:
    """Return the paragraphs, those that share most with ``query`` first."""
    asked = set(terms(query))
    by_overlap = sorted(article.paragraphs, key=lambda text: -len(asked & set(terms(text))))
    return " ".join(by_overlap)


def _page(article: Article) -> Reply:
    body = "".join(f"<p>{html.escape(text)}</p>" for text in article.paragraphs)
    title = html.escape(article.title)
    page = _PAGE.format(lang=article.lang, title=title, date=article.date, body=body)
    return replies.html(page)


_PAGE = """\
<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"></head>
<body><main><h1>{title}</h1><p><time>{date}</time></p>{body}
<p><small>示例页面，由本机提供。An example page, served by this machine.</small></p>
</main></body></html>
"""
_CONFIG = {
    "brand": {},
    "engines": [{"name": "demo", "categories": ["general"], "enabled": True}],
    "instance_name": "demo",
    "version": "demo",
}
