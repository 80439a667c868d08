"""``web_search`` as a LangChain tool."""

from __future__ import annotations

from typing import Any, Literal, Self

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from citeseek import portal
from citeseek.client import Client
from citeseek.tools.web_search import Call, SearchService, WebSearch


class WebSearchTool(BaseTool):
    """A :class:`~citeseek.tools.web_search.WebSearch` behind LangChain's interface.

    The content is text for the model, the artifact the structure for programs (None when the search
    failed). A failure is text as well; only cancellation passes through. A client that is
    ``owned`` is closed with the tool.
    """

    args_schema: Any
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _search: WebSearch = PrivateAttr()
    _owned: Client | None = PrivateAttr(default=None)

    def __init__(self, search: WebSearch, *, owned: Client | None = None) -> None:
        definition = search.definition
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
        )
        self._search = search
        self._owned = owned

    @property
    def search(self) -> WebSearch:
        """The tool without LangChain: its registry, its definition."""
        return self._search

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

    # A model may send an argument of any name, even "self".
    def _run(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        return _given(self._search.run_sync(arguments))

    async def _arun(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
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
