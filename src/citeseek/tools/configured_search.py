"""The search of a configured agent: as its tool ``web_search``, and as what it calls a provider."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from citeseek.citations import CitationRegistry
from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.errors import InvalidInput
from citeseek.extras import missing
from citeseek.faces import AGENT
from citeseek.query import QueryFields
from citeseek.searching.engine_choice import has_key
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.settings import Settings
from citeseek.tools import search_formats
from citeseek.tools.arguments import freshness as our_freshness
from citeseek.tools.search_options import (
    Options,
    deadline,
    fitting,
    is_enabled,
    limit_count,
    over,
    resolve,
)
from citeseek.tools.tool_definitions import CONFIGURED_WEB_SEARCH, Language, translate
from citeseek.tools.tool_language import tool_language
from citeseek.tools.web_search import WHOLE_SUMMARY, WebSearch

if TYPE_CHECKING:
    from citeseek.tools.langchain import WebSearchTool


MAX_CLIENTS = 16
log = logging.getLogger(__name__)


def create_web_search_tool(
    options: Options | None,
    *,
    client: Client | None = None,
    settings: Settings | None = None,
    registry: CitationRegistry | None = None,
    engines: Iterable[AnyEngine] = (),
    lang: Language | None = None,
    **choices: Any,
) -> WebSearchTool | None:
    """Return the tool, or None when ``options`` do not enable it: then add nothing to the agent.

    ``options`` are :class:`WebSearchOptions` or a mapping with the same names in camelCase; they
    go before ``settings``, which default to those of ``client``, else to the files and the
    environment. What is chosen here stays for the life of the tool.

    ``client`` does the searching, so that tools share its connections, its cache and its limits
    of calls per minute. Without one, or with another key or time to live than its own, the tool
    opens a client (with ``engines`` beside the built-in ones) and must be closed:
    ``tool.close()`` or ``await tool.aclose()``. ``registry`` numbers the results of the session.
    The model is told of the tool and of its results in ``lang``, by default in the ``toolLanguage``
    of the options or the settings (:func:`~citeseek.tools.tool_language.tool_language`).
    ``choices`` are further ones of :class:`~citeseek.tools.web_search.WebSearch`. Raise
    InvalidInput when LangChain (the extra ``agent``) is not installed.
    """
    if options is None or not is_enabled(options):
        return None
    try:
        from citeseek.tools.langchain import WebSearchTool  # noqa: PLC0415 - not for all agents
    except ModuleNotFoundError:
        raise InvalidInput(
            "The tool needs LangChain, which is not installed.",
            hint=missing("agent"),
            values={"case": "langchain"},
        ) from None

    engines = tuple(engines)
    if settings is None:
        settings = client.settings if client else Settings.load()
    known = client.registry if client else Registry(engines)
    settings = over(settings, options, known)
    lang = lang or tool_language(settings)
    chosen = resolve(settings.face(AGENT), settings, known)
    provider, seconds = str(chosen.provider), float(chosen.timeout_seconds or AGENT.seconds)
    service = fitting(client, settings, provider, engines)
    search = WebSearch(
        service,
        translate(lang, CONFIGURED_WEB_SEARCH),
        registry=registry,
        **{
            "lang": lang,
            "max_results": AGENT.counts.high,
            # The summaries are the engine's own.
            "summary_chars": WHOLE_SUMMARY,
            "face": limit_count(AGENT, chosen.max_results),
            "engine": provider,
            "seconds": deadline(settings, known.get(provider), seconds),
            "count": chosen.max_results,
            **choices,
        },
    )
    return WebSearchTool(search, owned=None if service is client else service)


class WebSearchProvider:
    """One engine, by the ``id`` that it was asked for. Close it, or use it in ``async with``.

    A key or a time to live that differs from the settings gets a client of its own, which shares
    open connections with the first; the 16 that were used last are kept for the next search.
    """

    def __init__(
        self, provider_id: str, client: Client, *, owned: bool, engines: Iterable[AnyEngine] = ()
    ) -> None:
        self.id = fold_name(provider_id)
        self._engine = client.registry.get(self.id)
        self._client = client
        self._engines = tuple(engines)
        self._is_owned = owned
        # Least recently used first.
        self._fitting: OrderedDict[tuple[str | None, float | None], Client] = OrderedDict()

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
        ``category``, ``language``, ``safesearch``, ``site`` and ``page`` are passed on, in any
        spelling of their capitals; unknown ones are ignored. Raise InvalidInput or SearchFailed.
        """
        client = await self._client_with(api_key, cache_ttl_minutes)
        asked: dict[str, Any] = {
            "count": count,
            "country": country,
            "freshness": our_freshness(freshness),
            **_read_fields(others),
        }
        if timeout_seconds is not None:
            asked["seconds"] = deadline(client.settings, self._engine, timeout_seconds)
        response = await client.search(query, face=AGENT, engine=self.id, **asked)
        return search_formats.provider_result(response)

    async def aclose(self) -> None:
        """Close the clients that were opened here."""
        while self._fitting:
            await self._close(self._fitting.popitem()[1])
        if self._is_owned:
            await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"WebSearchProvider({self.id!r})"

    def _settings(self, options: dict[str, Any]) -> Settings:
        registry = self._client.registry
        return over(self._client.settings, {"provider": self.id, **options}, registry)

    async def _client_with(self, api_key: str | None, ttl_minutes: float | None) -> Client:
        wanted = (api_key, ttl_minutes)
        if wanted in self._fitting:
            self._fitting.move_to_end(wanted)
            return self._fitting[wanted]
        settings = self._settings({"apiKey": api_key, "cacheTtlMinutes": ttl_minutes})
        client = self._fitting[wanted] = fitting(self._client, settings, self.id)
        if len(self._fitting) > MAX_CLIENTS:
            await self._close(self._fitting.popitem(last=False)[1])
        return client

    async def _close(self, client: Client) -> None:
        if client is not self._client:
            await client.close()


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


def _read_fields(others: dict[str, Any]) -> dict[str, Any]:
    """Return what a query takes of ``others``."""
    fields = QueryFields.__annotations__
    asked: dict[str, Any] = {}
    for name, value in others.items():
        if name.casefold() in fields:
            asked[name.casefold()] = value
        else:
            log.debug("web search option %.40r is not known and ignored", name)
    return {name: value for name, value in asked.items() if value is not None}
