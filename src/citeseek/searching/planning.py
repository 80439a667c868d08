"""What the settings and a caller say of a search, made into a search that is ready to run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from citeseek.engine import AnyEngine, Engine, EngineOptions
from citeseek.errors import InvalidInput
from citeseek.faces import OPEN, Face
from citeseek.http import Proxies
from citeseek.query import Category, Query, QueryFields, seconds_within, whole_number
from citeseek.searching.cache import PROCESS_ENTRIES, Cache, MemoryCache, NoCache
from citeseek.searching.engine_choice import groups, usual_names
from citeseek.searching.engine_group import Candidate, Group
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.searching.request import base_address
from citeseek.searching.runner import Route
from citeseek.settings import FaceSettings, Settings
from citeseek.settings.face_settings import BrowserSection
from citeseek.settings.sources import DEFAULT

if TYPE_CHECKING:
    from citeseek.shared_state.valkey import Valkey

MIN_SECONDS, MAX_SECONDS = 0.1, 120.0
MAX_QUORUM = 20
MAX_PLANS = 256
# What engines show on one page; who asks for more gets further pages.
ONE_PAGE = 10


class SearchFields(QueryFields, total=False):
    """What a caller may say of a search beside its text.

    ``engine`` is an id, another name or ``auto``; ``engines`` are several to be asked at the same
    time, with their results merged. With ``quorum`` (1 to 20), engines that are still out when so
    many have given results are not waited for. ``face`` and ``agent_id`` choose the settings that
    decide the rest. ``seconds`` (0.1 to 120) is the deadline of the whole call. Searches of one
    ``session`` share a browser's cookies; end it with :meth:`Client.end_session`. With ``retry`` a
    person asks again: engines that are cooling down are asked all the same.
    """

    engine: str | None
    engines: Sequence[str]
    quorum: int | None
    face: Face
    agent_id: str | None
    seconds: float | None
    session: str
    retry: bool


class PlannedSearch(msgspec.Struct, frozen=True):
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


class Planner:
    """Resolves what each face and engine name means by the settings once, and owns the caches."""

    def __init__(
        self, settings: Settings, registry: Registry, valkey: Valkey | None = None
    ) -> None:
        self._settings = settings
        self._valkey = valkey
        self._registry = registry
        # Least recently used first.
        self._plans: OrderedDict[Hashable, _Plan] = OrderedDict()
        self._caches: dict[float, Cache] = {}
        self._planning = threading.Lock()

    def plan(self, text: str, asked: SearchFields) -> PlannedSearch:
        """Return the search for ``text``; raise InvalidInput for what cannot be asked."""
        if unknown := asked.keys() - SearchFields.__annotations__.keys():
            raise TypeError(f"search() got an unexpected argument {min(unknown)!r}")
        face = asked.get("face", OPEN)
        fields = {
            name: value for name, value in asked.items() if name in QueryFields.__annotations__
        }
        query = Query.of(text, **{**fields, "count": 1})  # type: ignore[arg-type]
        plan = self._plan(face, asked.get("agent_id"), *_names(asked), query.category)
        count = face.counts.apply(asked.get("count"), plan.count)
        quorum = asked.get("quorum")
        if quorum is not None:
            whole_number("quorum", quorum, 1, MAX_QUORUM)
        return PlannedSearch(
            query=structs.replace(query, count=count),
            groups=_as_asked(plan.groups, asked),
            quorum=quorum or plan.quorum,
            cache=plan.cache,
        )

    def upstream(self, engine: AnyEngine) -> str:
        """Return whom ``engine`` asks by the settings, as the limits know it."""
        return self._candidate(engine.id, engine, seconds=MAX_SECONDS, fill=False).upstream

    def close(self) -> None:
        """Close the caches."""
        with self._planning:
            caches = tuple(self._caches.values())
            self._caches.clear()
            # They hold the caches.
            self._plans.clear()
        for cache in caches:
            cache.close()

    def _plan(
        self,
        face: Face,
        agent_id: str | None,
        engine: str | None,
        engines: tuple[str, ...],
        category: Category,
    ) -> _Plan:
        names = () if engine is None else (engine,)
        folded = (tuple(map(fold_name, each)) for each in (names, engines))
        asked = (face.id, agent_id, *folded, category)
        with self._planning:
            plan = self._plans.get(asked)
            if plan is None:
                plan = self._plans[asked] = self._make_plan(
                    face, agent_id, engine, engines, category
                )
                if len(self._plans) > MAX_PLANS:
                    self._plans.popitem(last=False)
            else:
                self._plans.move_to_end(asked)
            return plan

    def _make_plan(
        self,
        face: Face,
        agent_id: str | None,
        engine: str | None,
        engines: tuple[str, ...],
        category: Category,
    ) -> _Plan:
        if engine and engines:
            raise InvalidInput(
                "Name one engine or several, not both.", values={"case": "engine_twice"}
            )
        chosen = self._settings.face(face, agent_id=agent_id)
        # Also with another rule for the number of results it is the same face.
        is_open = face.id == OPEN.id
        names = (engine,) if engine else engines
        fallback: tuple[str, ...] = ()
        if not names:
            names, fallback = usual_names(chosen, self._registry, self._settings)
        found = groups(names, fallback, self._registry, self._settings, category)
        alone = sum(map(len, found)) == 1

        def candidate(name: str, engine: AnyEngine) -> Candidate:
            built = self._candidate(name, engine, seconds=chosen.seconds.value, fill=face.fill)
            return structs.replace(built, alone=alone)

        return _Plan(
            groups=tuple(tuple(candidate(*named) for named in group) for group in found),
            count=self._count(chosen, found),
            quorum=self._settings.open.quorum if is_open else None,
            cache=self._cache(face, chosen.ttl_minutes.value * 60),
        )

    def _count(self, chosen: FaceSettings, found: Sequence[Sequence[tuple[str, AnyEngine]]]) -> int:
        """Return the number of results when a caller names none.

        A face's own setting goes first, then that of the one engine that is asked first.
        """
        if chosen.count.origin == DEFAULT and len(found[0]) == 1:
            ((_, engine),) = found[0]
            if (own := self._settings.engine(engine).top_k_default.value) is not None:
                return min(max(own, chosen.face.counts.low), chosen.face.counts.high)
        return chosen.count.value

    def _candidate(self, name: str, engine: AnyEngine, *, seconds: float, fill: bool) -> Candidate:
        reach = self._settings.engine(engine)
        address = reach.base_url.required() or ""
        proxies = Proxies.of(self._settings, reach.proxy)
        # Nobody is asked when one of them would be asked past its proxy, or from another browser.
        proxies.for_url(address)
        if reach.transport.value == "browser":
            self._settings.get(BrowserSection.cdp_url).required()
        route = Route(
            options=EngineOptions(
                base_url=_base_url(engine, address),
                api_key=reach.api_key.value,
            ),
            transport=reach.transport.value,
            proxies=proxies,
            user_agent=reach.user_agent.value,
            fill=fill,
            max_bytes=self._settings.web_fetch.max_bytes,
        )
        seconds = min(seconds, reach.seconds.value or seconds)
        return Candidate(
            name=name,
            engine=engine,
            route=route,
            seconds=seconds,
            usual_seconds=seconds,
            per_minute=reach.rate_per_minute.value or None,
            account=_account(engine, route),
        )

    def _cache(self, face: Face, ttl: float) -> Cache:
        if face.cache != "process" or ttl == 0:
            return NoCache()
        if ttl not in self._caches:
            self._caches[ttl] = _cache_of(self._settings.cache.dir, ttl, self._valkey)
        return self._caches[ttl]


def _base_url(engine: AnyEngine, address: str) -> str:
    if not isinstance(engine, Engine) or address == engine.base_url:
        return address
    return base_address(engine, address)


def _account(engine: AnyEngine, route: Route) -> str:
    """Return what tells address, key and proxies from others, and none of them; empty for usual."""
    options, proxies = route.options, route.proxies
    key = (options.base_url, options.api_key, proxies.http, proxies.https)
    usual = engine.base_url if isinstance(engine, Engine) else ""
    if key == (usual, None, None, None):
        return ""
    import hashlib  # noqa: PLC0415 - 3 ms, not for what anybody may ask

    return hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()


def _cache_of(folder: str | None, ttl: float, valkey: Valkey | None) -> Cache:
    if valkey is not None:
        from citeseek.searching.shared_cache import SharedCache  # noqa: PLC0415 - with the extra

        return SharedCache(valkey, ttl=ttl)
    if folder is None:
        return MemoryCache(PROCESS_ENTRIES, ttl=ttl)
    from citeseek.searching.disk_cache import DiskCache  # noqa: PLC0415 - few need SQLite

    return DiskCache(Path(folder), ttl=ttl)


def _as_asked(groups: tuple[Group, ...], asked: SearchFields) -> tuple[Group, ...]:
    """Return ``groups`` with the deadline, session, number of results and haste of this call."""
    seconds, session = asked.get("seconds"), asked.get("session", "")
    retry = bool(asked.get("retry"))
    fill = (asked.get("count") or 0) > ONE_PAGE
    if seconds is None and not session and not fill and not retry:
        return groups
    if seconds is not None:
        check_seconds(seconds)

    def adapted(candidate: Candidate, group: Group) -> Candidate:
        # Several engines make up for each other's short pages.
        fills = candidate.route.fill or (fill and len(group) == 1)
        route = structs.replace(candidate.route, session=session, fill=fills)
        seconds_now = seconds or candidate.seconds
        return structs.replace(candidate, route=route, seconds=seconds_now, retry=retry)

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
    seconds_within(seconds, MIN_SECONDS, MAX_SECONDS)
