"""The composition root: the only place that opens HTTP and caches, and the doors to the service."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Self, Unpack

import msgspec
from msgspec import structs

from citeseek import portal
from citeseek.browser.options import BrowserOptions
from citeseek.cache import PROCESS_ENTRIES, Cache, MemoryCache, NoCache
from citeseek.choosing import engine_name, groups
from citeseek.engine import AnyEngine, EngineOptions
from citeseek.errors import InvalidInput
from citeseek.faces import OPEN, Face
from citeseek.http import Proxies, Transports
from citeseek.models import SearchResponse
from citeseek.query import Query, QueryFields, whole_number
from citeseek.registry import Registry
from citeseek.runner import Route, Runner
from citeseek.service import Candidate, Group, Service
from citeseek.settings import FaceSettings, Settings
from citeseek.settings.sources import DEFAULT

MIN_SECONDS, MAX_SECONDS = 0.1, 120.0
MAX_QUORUM = 20
# What engines show on one page; who asks for more gets further pages.
ONE_PAGE = 10


class SearchFields(QueryFields, total=False):
    """What a caller may say of a search beside its text.

    ``engine`` is an id, another name or ``auto``; ``engines`` are several to be asked at the same
    time, with their results merged. With ``quorum`` (1 to 20), engines that are still out when so
    many have given results are not waited for. ``face`` and ``agent_id`` choose the settings that
    decide the rest. ``seconds`` (0.1 to 120) is the deadline of the whole call. Searches of one
    ``session`` share a browser's cookies; end it with :meth:`Client.end_session`.
    """

    engine: str | None
    engines: Sequence[str]
    quorum: int | None
    face: Face
    agent_id: str | None
    seconds: float | None
    session: str


class _Search(msgspec.Struct, frozen=True):
    """A search, ready to run."""

    query: Query
    groups: tuple[Group, ...]
    quorum: int | None
    cache: Cache


class _Plan(msgspec.Struct, frozen=True):
    """What the settings say for one face and engine name, resolved once."""

    groups: tuple[Group, ...]
    count: int
    quorum: int | None
    cache: Cache


class Client:
    """Citeseek in one process: engines, HTTP, caches and the search service.

    Use it as an async context manager. ``settings`` default to the files and the environment,
    ``engines`` are added to the built-in ones and to those of installed packages. Event loops in
    different threads may share one, and any of them may close it.
    """

    def __init__(
        self, settings: Settings | None = None, *, engines: Iterable[AnyEngine] = ()
    ) -> None:
        self.settings = Settings.load() if settings is None else settings
        self.registry = Registry(engines)
        self._transports = Transports(self._browser_options())
        self._service = Service(Runner(self._transports))
        self._plans: dict[tuple[str | None, ...], _Plan] = {}
        self._caches: dict[float, Cache] = {}
        self._planning = threading.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what this client opened; a search that is under way finishes or fails."""
        await self._transports.close()
        with self._planning:
            caches = tuple(self._caches.values())
            self._caches.clear()
            # They hold the caches.
            self._plans.clear()
        for cache in caches:
            cache.close()

    async def end_session(self, session: str) -> None:
        """Forget what a browser kept for ``session``; it ends with the last one."""
        await self._transports.end_session(session)

    async def search(
        self, text: str, *, cache: Cache | None = None, **asked: Unpack[SearchFields]
    ) -> SearchResponse:
        """Search the web for ``text``.

        ``asked`` are :class:`SearchFields`; what is not said there is decided by the settings.
        ``cache`` is a session's own cache, whose key is the text alone. Raise InvalidInput before
        anything is sent, or SearchFailed.
        """
        search = self._search(text, asked)
        return await self._service.search(
            search.query,
            search.groups,
            quorum=search.quorum,
            cache=search.cache if cache is None else cache,
            key=None if cache is None else search.query.text,
        )

    def search_sync(
        self, text: str, *, cache: Cache | None = None, **asked: Unpack[SearchFields]
    ) -> SearchResponse:
        """Do what :meth:`search` does for a caller that is not asynchronous.

        It may be called inside a running event loop, which stands still until the answer is there.
        """
        return portal.call(self.search(text, cache=cache, **asked))

    async def stream(
        self, text: str, **asked: Unpack[SearchFields]
    ) -> AsyncGenerator[SearchResponse]:
        """Search as :meth:`search` does and yield the answer each time an engine has answered.

        The last answer is final; ``pending`` of the others names the engines that are still out.
        """
        search = self._search(text, asked)
        snapshots = self._service.stream(search.query, search.groups, quorum=search.quorum)
        async with aclosing(snapshots):
            async for response in snapshots:
                yield response

    def _search(self, text: str, asked: SearchFields) -> _Search:
        if unknown := asked.keys() - SearchFields.__annotations__.keys():
            raise TypeError(f"search() got an unexpected argument {min(unknown)!r}")
        face = asked.get("face", OPEN)
        plan = self._plan(face, asked.get("agent_id"), *_names(asked))
        fields = {
            name: value for name, value in asked.items() if name in QueryFields.__annotations__
        }
        fields["count"] = face.counts.apply(asked.get("count"), plan.count)
        quorum = asked.get("quorum")
        if quorum is not None:
            whole_number("quorum", quorum, 1, MAX_QUORUM)
        return _Search(
            query=Query.of(text, **fields),  # type: ignore[arg-type]
            groups=_as_asked(plan.groups, asked),
            quorum=quorum or plan.quorum,
            cache=plan.cache,
        )

    def _plan(
        self, face: Face, agent_id: str | None, engine: str | None, engines: tuple[str, ...]
    ) -> _Plan:
        asked = (face.id, agent_id, engine, *engines)
        if plan := self._plans.get(asked):
            return plan
        with self._planning:
            # Another thread may have been quicker; nobody opens the same cache twice.
            if asked not in self._plans:
                self._plans[asked] = self._planned(face, agent_id, engine, engines)
            return self._plans[asked]

    def _planned(
        self, face: Face, agent_id: str | None, engine: str | None, engines: tuple[str, ...]
    ) -> _Plan:
        if engine and engines:
            raise InvalidInput("Name one engine or several, not both.")
        chosen = self.settings.face(face, agent_id=agent_id)
        names = (engine,) if engine else engines
        fallback: tuple[str, ...] = ()
        if not names:
            names = self.settings.get("open.engines").value if face is OPEN else ()
            fallback = self.settings.get("open.fallback").value if face is OPEN else ()
        if not names:
            names = (engine_name(chosen, self.registry, self.settings).value,)
        found = groups(names, fallback, self.registry, self.settings)
        return _Plan(
            groups=tuple(
                tuple(
                    self._candidate(*named, seconds=chosen.seconds.value, fill=face.fill)
                    for named in group
                )
                for group in found
            ),
            count=self._count(chosen, found),
            quorum=self.settings.get("open.quorum").value if face is OPEN else None,
            cache=self._cache(face, chosen.ttl_minutes.value * 60),
        )

    def _count(self, chosen: FaceSettings, found: Sequence[Sequence[tuple[str, AnyEngine]]]) -> int:
        """Return the number of results when a caller names none.

        A face's own setting goes first, then that of the one engine that is asked first.
        """
        if chosen.count.origin == DEFAULT and len(found[0]) == 1:
            ((_, engine),) = found[0]
            if (own := self.settings.engine(engine).top_k_default.value) is not None:
                return min(max(own, chosen.face.counts.low), chosen.face.counts.high)
        return chosen.count.value

    def _candidate(self, name: str, engine: AnyEngine, *, seconds: float, fill: bool) -> Candidate:
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
            fill=fill,
            max_bytes=self.settings.get("web.fetch.max_bytes").value,
        )
        return Candidate(
            name=name,
            engine=engine,
            route=route,
            seconds=min(seconds, reach.seconds.value or seconds),
            per_minute=reach.rate_per_minute.value or None,
        )

    def _browser_options(self) -> BrowserOptions:
        get = self.settings.get
        return BrowserOptions(
            executable=get("browser.executable").value,
            cdp_url=get("browser.cdp_url").value,
            start_seconds=get("browser.start_seconds").value,
            idle_seconds=get("browser.idle_seconds").value,
            max_pages=get("browser.max_pages").value,
            user_agent=get("web.fetch.user_agent").value,
            language=None if (spoken := get("browser.language").value) == "auto" else spoken,
        )

    def _cache(self, face: Face, ttl: float) -> Cache:
        if face.cache != "process" or ttl == 0:
            return NoCache()
        if ttl not in self._caches:
            self._caches[ttl] = _process_cache(self.settings.get("cache.dir").value, ttl)
        return self._caches[ttl]


def search(
    text: str, *, settings: Settings | None = None, **asked: Unpack[SearchFields]
) -> SearchResponse:
    """Search once from code that is not asynchronous; see :meth:`Client.search`.

    Works inside a running event loop as well, by searching in another thread.
    """

    async def once() -> SearchResponse:
        async with Client(settings) as client:
            return await client.search(text, **asked)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(once())
    return portal.call(once())


def _process_cache(folder: str | None, ttl: float) -> Cache:
    if folder is None:
        return MemoryCache(PROCESS_ENTRIES, ttl=ttl)
    from citeseek.disk_cache import DiskCache  # noqa: PLC0415 - few need SQLite

    return DiskCache(Path(folder), ttl=ttl)


def _as_asked(groups: tuple[Group, ...], asked: SearchFields) -> tuple[Group, ...]:
    """Return ``groups`` with the deadline, the session and the number of results of this call."""
    seconds, session = asked.get("seconds"), asked.get("session", "")
    fill = (asked.get("count") or 0) > ONE_PAGE
    if seconds is None and not session and not fill:
        return groups
    if seconds is not None:
        check_seconds(seconds)

    def adapted(candidate: Candidate, group: Group) -> Candidate:
        # Several engines make up for each other's short pages.
        fills = candidate.route.fill or (fill and len(group) == 1)
        route = structs.replace(candidate.route, session=session, fill=fills)
        return structs.replace(candidate, route=route, seconds=seconds or candidate.seconds)

    return tuple(tuple(adapted(candidate, group) for candidate in group) for group in groups)


def _names(asked: SearchFields) -> tuple[str | None, tuple[str, ...]]:
    """Return the engine or the engines that were asked for; raise InvalidInput for no names."""
    engine, engines = asked.get("engine"), asked.get("engines", ())
    if isinstance(engines, str) or not isinstance(engines, Iterable):
        raise InvalidInput(f"engines must be a list of names, not {engines!r:.60}.")
    several = tuple(engines)
    for name in several if engine is None else (engine, *several):
        if not isinstance(name, str):
            raise InvalidInput(f"An engine is named by text, not by {name!r:.60}.")
    return engine, several


def check_seconds(seconds: object) -> None:
    """Raise InvalidInput unless ``seconds`` is a number from 0.1 to 120."""
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        in_range = MIN_SECONDS <= seconds <= MAX_SECONDS
    else:
        in_range = False
    if not in_range:
        raise InvalidInput(
            f"The timeout must be from {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, not {seconds!r}."
        )
