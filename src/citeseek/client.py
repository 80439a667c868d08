"""The composition root: the only place that opens HTTP and caches, and the doors to the service."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self, Unpack

import msgspec

from citeseek.cache import PROCESS_ENTRIES, Cache, MemoryCache, NoCache
from citeseek.choosing import candidates, engine_name
from citeseek.engine import AnyEngine, EngineOptions
from citeseek.errors import InvalidInput
from citeseek.faces import OPEN, Face
from citeseek.http import Proxies, Transports
from citeseek.models import SearchResponse
from citeseek.query import Query, QueryFields
from citeseek.registry import Registry
from citeseek.runner import Route, Runner
from citeseek.service import Candidate, Service
from citeseek.settings import Settings

MIN_SECONDS, MAX_SECONDS = 0.1, 120.0


class _Plan(msgspec.Struct, frozen=True):
    """What the settings say for one face and engine name, resolved once."""

    chain: tuple[Candidate, ...]
    count: int
    cache: Cache


class Client:
    """Citeseek in one process: engines, HTTP, caches and the search service.

    Use it as an async context manager. ``settings`` default to the files and the environment,
    ``engines`` are added to the built-in ones and to those of installed packages.
    """

    def __init__(
        self, settings: Settings | None = None, *, engines: Iterable[AnyEngine] = ()
    ) -> None:
        self.settings = Settings.load() if settings is None else settings
        self.registry = Registry(engines)
        self._transports = Transports()
        self._service = Service(Runner(self._transports))
        self._plans: dict[tuple[Face, str | None, str | None], _Plan] = {}
        self._caches: dict[float, Cache] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what this client opened."""
        await self._transports.close()
        for cache in self._caches.values():
            cache.close()
        self._caches.clear()

    async def search(
        self,
        text: str,
        *,
        engine: str | None = None,
        face: Face = OPEN,
        agent_id: str | None = None,
        seconds: float | None = None,
        cache: Cache | None = None,
        **fields: Unpack[QueryFields],
    ) -> SearchResponse:
        """Search the web for ``text``.

        ``engine`` is an id, an alias or ``auto``; by default what the settings say for ``face`` and
        ``agent_id``. ``seconds`` (0.1 to 120) is the deadline of the call. ``cache`` is a session's
        own cache, whose key is the text alone. ``fields`` are those of
        :class:`~citeseek.query.Query`. Raise InvalidInput before anything is sent, or SearchFailed.
        """
        plan = self._plans.get((face, engine, agent_id)) or self._plan(face, engine, agent_id)
        fields["count"] = face.counts.apply(fields.get("count"), plan.count)
        query = Query.of(text, **fields)
        chain = plan.chain if seconds is None else _within(plan.chain, seconds)
        key: Hashable = query.text if cache is not None else None
        return await self._service.search(
            query, chain, cache=plan.cache if cache is None else cache, key=key
        )

    def _plan(self, face: Face, engine: str | None, agent_id: str | None) -> _Plan:
        chosen = self.settings.face(face, agent_id=agent_id)
        name = engine or engine_name(chosen, self.registry, self.settings).value
        plan = self._plans[face, engine, agent_id] = _Plan(
            chain=tuple(
                self._candidate(name, candidate, chosen.seconds.value)
                for name, candidate in candidates(name, self.registry, self.settings)
            ),
            count=chosen.count.value,
            cache=self._cache(face, chosen.ttl_minutes.value * 60),
        )
        return plan

    def _candidate(self, name: str, engine: AnyEngine, seconds: float) -> Candidate:
        reach = self.settings.engine(engine)
        http, https, bypass = self.settings.system_proxies()
        own = reach.proxy.value
        route = Route(
            options=EngineOptions(
                base_url=reach.base_url.value or "",
                api_key=reach.api_key.value,
            ),
            transport=reach.transport.value,
            proxies=Proxies(http=own, https=own)
            if own
            else Proxies(http=http, https=https, bypass=bypass),
            user_agent=reach.user_agent.value,
            max_bytes=self.settings.get("web.fetch.max_bytes").value,
        )
        return Candidate(name, engine, route, min(seconds, reach.seconds.value or seconds))

    def _cache(self, face: Face, ttl: float) -> Cache:
        if face.cache != "process" or ttl == 0:
            return NoCache()
        if ttl not in self._caches:
            self._caches[ttl] = _process_cache(self.settings.get("cache.dir").value, ttl)
        return self._caches[ttl]


def search(
    text: str,
    *,
    engine: str | None = None,
    settings: Settings | None = None,
    seconds: float | None = None,
    **fields: Unpack[QueryFields],
) -> SearchResponse:
    """Search once from code that is not asynchronous; see :meth:`Client.search`.

    Works inside a running event loop as well, by searching in a thread of its own.
    """

    async def once() -> SearchResponse:
        async with Client(settings) as client:
            return await client.search(text, engine=engine, seconds=seconds, **fields)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(once())
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, once()).result()


def _process_cache(folder: str | None, ttl: float) -> Cache:
    if folder is None:
        return MemoryCache(PROCESS_ENTRIES, ttl=ttl)
    from citeseek.disk_cache import DiskCache  # noqa: PLC0415 - few need SQLite

    return DiskCache(Path(folder), ttl=ttl)


def _within(chain: tuple[Candidate, ...], seconds: float) -> tuple[Candidate, ...]:
    if isinstance(seconds, bool) or not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise InvalidInput(
            f"The timeout must be from {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, not {seconds!r}."
        )
    return tuple(
        Candidate(candidate.name, candidate.engine, candidate.route, seconds) for candidate in chain
    )
