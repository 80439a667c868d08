"""A small web without a network: what a run is told when it searches and reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from citeseek.errors import CiteseekError, ToolNotFound
from citeseek.tools.tool_definitions import Definition

Answer = Mapping[str, Any] | CiteseekError | Callable[[], Awaitable[None]]


class Library:
    """Answers ``web.search`` with ``found`` and ``web.fetch`` with ``pages``; keeps the calls.

    An answer that is an error is raised, one that is a function is awaited first.
    """

    id = "library"

    def __init__(
        self,
        pages: Mapping[str, str | CiteseekError],
        *,
        found: Mapping[str, Sequence[str] | CiteseekError] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.before: Callable[[str], Awaitable[None]] | None = None
        self._pages = pages
        self._found = found
        self._titles = titles or {}

    def tools(self) -> tuple[Definition, ...]:
        """Return both tools."""
        return tuple(
            Definition(name=name, description="", parameters={})
            for name in ("web.search", "web.fetch")
        )

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer from the shelf."""
        self.calls.append((name, arguments))
        if self.before:
            await self.before(str(arguments.get("url") or arguments.get("query")))
        if name == "web.search":
            return self._search(arguments["query"])
        if name == "web.fetch":
            return self._fetch(arguments["url"])
        raise ToolNotFound(name)

    async def aclose(self) -> None:
        """Nothing was opened."""

    def asked(self, name: str) -> list[str]:
        """Return what the tool ``name`` was asked for."""
        return [str(a.get("url") or a.get("query")) for called, a in self.calls if called == name]

    def _search(self, query: str) -> dict[str, Any]:
        found = list(self._pages) if self._found is None else self._found.get(query, ())
        if isinstance(found, CiteseekError):
            raise found
        return {
            "items": [
                {
                    "title": self._titles.get(url, ""),
                    "url": url,
                    "snippet": "",
                    "provider": self.id,
                    "rank": rank,
                }
                for rank, url in enumerate(found, start=1)
            ]
        }

    def _fetch(self, url: str) -> dict[str, Any]:
        text = self._pages[url]
        if isinstance(text, CiteseekError):
            raise text
        return {
            "url": url,
            "final_url": url,
            "status_code": 200,
            "content_type": "text/html",
            "text": text,
            "truncated": False,
            "title": self._titles.get(url, ""),
        }
