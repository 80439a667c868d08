"""Every engine behind the interface that a configured agent calls a provider."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Self

from citeseek import formats
from citeseek.choosing import has_key
from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.faces import AGENT
from citeseek.query import QueryFields
from citeseek.registry import Registry, folded
from citeseek.settings import Settings
from citeseek.tools.arguments import freshness as our_freshness
from citeseek.tools.options import deadline, fitting, over

log = logging.getLogger(__name__)


class WebSearchProvider:
    """One engine, by the ``id`` that it was asked for. Close it, or use it in ``async with``.

    A key or a time to live that differs from the settings gets a client of its own, which is kept
    for the next search with the same.
    """

    def __init__(
        self, provider_id: str, client: Client, *, owned: bool, engines: Iterable[AnyEngine] = ()
    ) -> None:
        self.id = folded(provider_id)
        self._engine = client.registry.get(self.id)
        self._client = client
        self._engines = tuple(engines)
        self._owned: list[Client] = [client] if owned else []
        self._fitting: dict[tuple[str | None, float | None], Client] = {(None, None): client}

    def is_available(self, *, api_key: str | None = None) -> bool:
        """Whether it needs no key or has one: ``api_key``, else that of the settings."""
        return has_key(self._engine, self._settings({"apiKey": api_key}))

    async def search(
        self,
        query: str,
        *,
        count: int | None = None,
        api_key: str | None = None,
        timeout_seconds: float | None = None,
        cache_ttl_minutes: float | None = None,
        country: str | None = None,
        freshness: str | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """Search; return ``query``, ``provider``, ``results``, ``count``, ``tookMs``, ``cached``.

        What is None is decided by the settings. ``count`` is taken into 1 to 10. Of ``others``,
        ``language``, ``safesearch``, ``site`` and ``page`` are passed on, in any spelling of their
        capitals; unknown ones are ignored. Raise InvalidInput or SearchFailed.
        """
        client = self._client_with(api_key, cache_ttl_minutes)
        asked: dict[str, Any] = {
            "count": count,
            "country": country,
            "freshness": our_freshness(freshness),
            **_known(others),
        }
        if timeout_seconds is not None:
            asked["seconds"] = deadline(client.settings, self._engine, timeout_seconds)
        response = await client.search(query, face=AGENT, engine=self.id, **asked)
        return formats.provider_result(response)

    async def aclose(self) -> None:
        """Close the clients that were opened here."""
        while self._owned:
            await self._owned.pop().close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"WebSearchProvider({self.id!r})"

    def _settings(self, options: dict[str, Any]) -> Settings:
        registry = self._client.registry
        return over(self._client.settings, {"provider": self.id, **options}, registry)

    def _client_with(self, api_key: str | None, ttl_minutes: float | None) -> Client:
        wanted = (api_key, ttl_minutes)
        if wanted not in self._fitting:
            settings = self._settings({"apiKey": api_key, "cacheTtlMinutes": ttl_minutes})
            client = fitting(self._client, settings, self.id)
            self._fitting[wanted] = client
            if client is not self._client:
                self._owned.append(client)
        return self._fitting[wanted]


def get_web_search_provider(
    provider_id: str,
    *,
    client: Client | None = None,
    settings: Settings | None = None,
    engines: Iterable[AnyEngine] = (),
) -> WebSearchProvider:
    """Return the provider; raise InvalidInput that lists the known ids for any other.

    ``client`` does the searching; without one a client is opened over ``settings`` (by default the
    files and the environment) and ``engines``, and closed with the provider.
    """
    engines = tuple(engines)
    known = client.registry if client else Registry(engines)
    known.get(provider_id)
    owned = client is None
    return WebSearchProvider(provider_id, client or Client(settings, engines=engines), owned=owned)


def _known(others: dict[str, Any]) -> dict[str, Any]:
    """Return what a query takes of ``others``."""
    fields = QueryFields.__annotations__
    asked: dict[str, Any] = {}
    for name, value in others.items():
        if name.casefold() in fields:
            asked[name.casefold()] = value
        else:
            log.debug("web search option %.40r is not known and ignored", name)
    return {name: value for name, value in asked.items() if value is not None}
