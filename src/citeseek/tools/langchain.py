"""``web_search`` as a LangChain tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, Self, Unpack, cast

from citeseek.client import Client
from citeseek.concurrency import portal
from citeseek.extras import needing
from citeseek.searching.planning import SearchFields
from citeseek.tools.browser_search import BrowserSearch
from citeseek.tools.tool_definitions import Definition, Language
from citeseek.tools.toolset import Toolset
from citeseek.tools.web_fetch import FetchService, WebFetch
from citeseek.tools.web_search import SearchService, WebSearch

with needing("agent"):
    from langchain_core.tools import BaseTool
    from pydantic import PrivateAttr


class CallResult(Protocol):
    """What came of a call; the artifact is None when it failed."""

    @property
    def text(self) -> str:
        """What the model is given."""
        ...

    @property
    def artifact(self) -> dict[str, Any] | None:
        """The same as a structure."""
        ...


class Work(Protocol):
    """A tool that knows no framework."""

    @property
    def definition(self) -> Definition:
        """What a model is told of it."""
        ...

    async def run(self, arguments: Mapping[str, Any]) -> CallResult:
        """Do the work; a failure is text."""
        ...

    def run_sync(self, arguments: Mapping[str, Any]) -> CallResult:
        """Do the same for a caller that is not asynchronous."""
        ...


class TextTool(BaseTool):
    """``work`` behind LangChain's interface.

    A failure is text as well; only cancellation passes through. A plain text as input is the first
    required argument.
    """

    args_schema: Any
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _work: Work = PrivateAttr()

    def __init__(self, work: Work) -> None:
        definition = work.definition
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
        )
        self._work = work

    # A model may send an argument of any name, even "self".
    def _run(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        given = self._work.run_sync(arguments)
        return given.text, given.artifact

    async def _arun(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        given = await self._work.run(arguments)
        return given.text, given.artifact

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - its name
        """Do the work; a plain text is the first argument."""
        return super().invoke(self._arguments(input), config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        """Do the work; a plain text is the first argument."""
        return await super().ainvoke(self._arguments(input), config, **kwargs)

    def _arguments(self, given: Any) -> Any:
        first = self._work.definition.parameters["required"][0]
        return {first: given} if isinstance(given, str) else given


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


def browser_search_tool(
    service: SearchService, *, lang: Language | None = None, **asked: Unpack[SearchFields]
) -> TextTool:
    """Return ``web_search`` of the browser face, which answers in JSON: query and results.

    ``lang`` is that of :class:`BrowserSearch`.
    """
    return TextTool(BrowserSearch(service, lang=lang, **asked))


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


def langchain_tools(toolset: Toolset) -> list[TextTool]:
    """Return ``web_search`` and ``web_fetch``, whose results have the numbers of ``toolset``."""
    return [WebSearchTool(toolset.search), WebFetchTool(toolset.fetch)]
