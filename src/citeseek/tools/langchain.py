"""``web_search`` as a LangChain tool."""

from __future__ import annotations

from typing import Any, Self, Unpack, cast

from citeseek import portal
from citeseek.client import Client
from citeseek.extras import needing
from citeseek.planning import SearchFields
from citeseek.tools.browser_search import BrowserSearch
from citeseek.tools.langchain_tool import TextTool
from citeseek.tools.web_search import SearchService, WebSearch

with needing("agent"):
    from pydantic import PrivateAttr


class WebSearchTool(TextTool):
    """A :class:`~citeseek.tools.web_search.WebSearch` behind LangChain's interface.

    A client that is ``owned`` is closed with the tool.
    """

    _owned: Client | None = PrivateAttr(default=None)

    def __init__(self, search: WebSearch, *, owned: Client | None = None) -> None:
        super().__init__(search)
        self._owned = owned

    @property
    def search(self) -> WebSearch:
        """The tool without LangChain: its registry, its definition."""
        return cast("WebSearch", self._work)

    async def aclose(self) -> None:
        """Close what the tool opened for itself; a client that it was given stays open."""
        owned, self._owned = self._owned, None
        if owned is not None:
            await owned.close()

    def close(self) -> None:
        """Do the same for a caller that is not asynchronous."""
        portal.call(self.aclose())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def web_search_tool(service: SearchService, **choices: Any) -> WebSearchTool:
    """Return the tool over ``service``; ``choices`` are those of :class:`WebSearch`."""
    return WebSearchTool(WebSearch(service, **choices))


def browser_search_tool(service: SearchService, **asked: Unpack[SearchFields]) -> TextTool:
    """Return ``web_search`` of the browser face, which answers in JSON: query and results."""
    return TextTool(BrowserSearch(service, **asked))
