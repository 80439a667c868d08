"""The site on a loopback server, and the index that finds its pages."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from tests.loopback import LoopbackServer, Reply, Request, replies

from citeseek.text import relevance, sentences, terms

from .kinds import site_pages
from .page import SitePage
from .truth import Truth

MAX_RESULTS = 10
SNIPPET_SENTENCES = 2


class ResearchSite:
    """The pages, served by ``server``, and what is true of them."""

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        self.pages = tuple(site_pages())
        self.truth = Truth.of(self.pages)
        self._by_path = {page.path: page for page in self.pages}
        self._bags = [terms(f"{page.title} {page.text}") for page in self.pages]
        for page in self.pages:
            server.on(page.path, page.answer)

    def url(self, page: SitePage) -> str:
        """The address of ``page``."""
        return self.server.url(page.path)

    def at(self, url: str) -> SitePage:
        """Return the page at ``url``, which may be a path alone; where it moved to, if it did."""
        page = self._by_path[urlsplit(url).path]
        return self._by_path[page.leads_to] if page.leads_to else page

    def of(self, *kinds: str) -> list[SitePage]:
        """Return the pages of ``kinds``."""
        return [page for page in self.pages if page.kind in kinds]

    def find(self, query: str, limit: int = MAX_RESULTS) -> list[SitePage]:
        """Return the pages for ``query``, best first."""
        scores = relevance(query, self._bags)
        ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        return [self.pages[at] for at in ranked[:limit] if scores[at] > 0]

    def search(self, request: Request) -> Reply:
        """Answer a SearXNG's ``json_engine`` whose index this is."""
        found = self.results(self.find(query := request.param("q")), query)
        return replies.as_json({"results": {"items": found}})

    def results(self, pages: Iterable[SitePage], query: str) -> list[dict[str, str]]:
        """Return ``pages`` as results of a search for ``query``."""
        return [
            {"url": self.url(page), "title": page.title, "content": _snippet(page, query)}
            for page in pages
        ]


def _snippet(page: SitePage, query: str) -> str:
    asked = set(terms(query))
    said = [sentence for text in page.paragraphs for sentence in sentences(text)]
    best = sorted(said, key=lambda sentence: -len(asked & set(terms(sentence))))
    return " ".join(best[:SNIPPET_SENTENCES])
