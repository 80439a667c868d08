"""``web_fetch`` as a LangChain tool."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from citeseek.tools.web_fetch import FetchService, Reading, WebFetch


class WebFetchTool(BaseTool):
    """A :class:`~citeseek.tools.web_fetch.WebFetch` behind LangChain's interface.

    The content is text for the model, the artifact the structure for programs (None when the page
    could not be read). A failure is text as well; only cancellation passes through.
    """

    args_schema: Any
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _fetch: WebFetch = PrivateAttr()

    def __init__(self, fetch: WebFetch) -> None:
        definition = fetch.definition
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
        )
        self._fetch = fetch

    @property
    def fetch(self) -> WebFetch:
        """The tool without LangChain: its registry, its definition."""
        return self._fetch

    # A model may send an argument of any name, even "self".
    def _run(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        return _given(self._fetch.run_sync(arguments))

    async def _arun(self, /, **arguments: Any) -> tuple[str, dict[str, Any] | None]:
        return _given(await self._fetch.run(arguments))

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - its name
        """Read a page; a plain text is its address."""
        return super().invoke(_arguments(input), config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        """Read a page; a plain text is its address."""
        return await super().ainvoke(_arguments(input), config, **kwargs)


def web_fetch_tool(service: FetchService, **choices: Any) -> WebFetchTool:
    """Return the tool over ``service``; ``choices`` are those of :class:`WebFetch`."""
    return WebFetchTool(WebFetch(service, **choices))


def _given(reading: Reading) -> tuple[str, dict[str, Any] | None]:
    return reading.text, reading.artifact


def _arguments(given: Any) -> Any:
    return {"url": given} if isinstance(given, str) else given
