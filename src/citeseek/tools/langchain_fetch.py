"""``web_fetch`` as a LangChain tool."""

from __future__ import annotations

from typing import Any, cast

from citeseek.tools.langchain_tool import TextTool
from citeseek.tools.web_fetch import FetchService, WebFetch


class WebFetchTool(TextTool):
    """A :class:`~citeseek.tools.web_fetch.WebFetch` behind LangChain's interface."""

    def __init__(self, fetch: WebFetch) -> None:
        super().__init__(fetch)

    @property
    def fetch(self) -> WebFetch:
        """The tool without LangChain: its registry, its definition."""
        return cast("WebFetch", self._work)


def web_fetch_tool(service: FetchService, **choices: Any) -> WebFetchTool:
    """Return the tool over ``service``; ``choices`` are those of :class:`WebFetch`."""
    return WebFetchTool(WebFetch(service, **choices))
