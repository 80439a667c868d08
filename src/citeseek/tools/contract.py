"""The tool contract: what a provider of tools is, and the three that there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from citeseek.client import Client
from citeseek.errors import ToolNotFound
from citeseek.faces import CONTRACT
from citeseek.settings import Settings
from citeseek.tools.tool_definitions import Definition
from citeseek.tools.web_providers import Backend, OverClient, WebFetchProvider, WebProvider

__all__ = [
    "Backend",
    "BuiltinProvider",
    "StubProvider",
    "ToolProvider",
    "WebFetchProvider",
    "WebProvider",
]


class ToolProvider(Protocol):
    """Answers to the names of its tools, in the shapes of the contract (docs/tools.md)."""

    id: str

    def tools(self) -> tuple[Definition, ...]:
        """Return what it answers to."""
        ...

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do what the tool ``name`` does.

        Raise ToolNotFound for a name that is not its own, InvalidInput for arguments that it does
        not take, SearchFailed for what went wrong.
        """
        ...

    async def aclose(self) -> None:
        """Close what the provider opened."""
        ...


class BuiltinProvider(OverClient):
    """Answers ``web.search`` and ``web.fetch`` over one client.

    ``backend`` and ``timeout_ms`` are those of :class:`WebProvider`, ``fetch_backend`` that of
    :class:`WebFetchProvider`. ``client`` does the work; without one a client is opened over
    ``settings`` and closed with the provider.
    """

    id = "builtin"

    def __init__(
        self,
        client: Client | None = None,
        *,
        settings: Settings | None = None,
        backend: str | Backend | None = None,
        fetch_backend: str | None = None,
        timeout_ms: int | None = None,
    ) -> None:
        super().__init__(client, settings)
        self._search = WebProvider(self._client, backend=backend, timeout_ms=timeout_ms)
        self._fetch = WebFetchProvider(self._client, backend=fetch_backend)

    def tools(self) -> tuple[Definition, ...]:
        """Return what this provider answers to."""
        return (*self._search.tools(), *self._fetch.tools())

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Search or read a page; see the provider of each tool."""
        for provider in (self._search, self._fetch):
            if any(name == tool.name for tool in provider.tools()):
                return await provider.invoke(name, arguments)
        raise ToolNotFound(f"There is no tool {name!r:.60} here, only web.search and web.fetch.")

    async def aclose(self) -> None:
        """Close what was opened here; a client that was lent stays open."""
        await self._search.aclose()
        await super().aclose()


class StubProvider(BuiltinProvider):
    """Answers both tools with fixed examples, whatever is set: no network, no files, no keys."""

    id = CONTRACT.engine

    def __init__(self) -> None:
        # Where nothing is set, the contract is offline.
        super().__init__(settings=Settings.load(config={}, agents={}, env={}))
