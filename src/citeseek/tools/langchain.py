"""``web_search`` as a LangChain tool."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from citeseek.tools.web_search import Call, SearchService, WebSearch


class WebSearchTool(BaseTool):
    """A :class:`~citeseek.tools.web_search.WebSearch` behind LangChain's interface.

    The content is text for the model, the artifact the structure for programs (None when the search
    failed). A failure is text as well; only cancellation passes through.
    """

    args_schema: Any
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _search: WebSearch = PrivateAttr()

    def __init__(self, search: WebSearch) -> None:
        definition = search.definition
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
        )
        self._search = search

    @property
    def search(self) -> WebSearch:
        """The tool without LangChain: its registry, its definition."""
        return self._search

    def _run(self, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        return _given(self._search.run_sync(arguments))

    async def _arun(self, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        return _given(await self._search.run(arguments))

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - its name
        """Search; a plain text is the query."""
        return super().invoke(_arguments(input), config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        """Search; a plain text is the query."""
        return await super().ainvoke(_arguments(input), config, **kwargs)


def web_search_tool(service: SearchService, **choices: Any) -> WebSearchTool:
    """Return the tool over ``service``; ``choices`` are those of :class:`WebSearch`."""
    return WebSearchTool(WebSearch(service, **choices))


def _given(call: Call) -> tuple[str, dict[str, Any] | None]:
    return call.text, call.artifact


def _arguments(given: Any) -> Any:
    return {"query": given} if isinstance(given, str) else given
