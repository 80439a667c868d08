"""How the server and what it rests on stand, from what is known: nobody is asked for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec
from msgspec import structs

from citeseek.browser.browser_options import BrowserUse
from citeseek.client import Client
from citeseek.concurrency.admission import Places
from citeseek.errors import InvalidInput
from citeseek.faces import CHAT
from citeseek.health.dependencies import with_stores
from citeseek.health.finding import FindingText, is_well
from citeseek.health.startup import Startup
from citeseek.i18n import Catalogue
from citeseek.live_answers.hub import Hub
from citeseek.observing.recent_calls import CallsOfHour, RecentCalls
from citeseek.observing.store_state import StoreState
from citeseek.person import current_person
from citeseek.searching.breaker import BreakerState
from citeseek.searching.engine_choice import engine_name, groups
from citeseek.searching.engine_limits import EngineState
from citeseek.settings import Settings
from citeseek.surfaces.rest.about import StoreWatch, standings_of
from citeseek.surfaces.web.event_streams import Streams
from citeseek.version import VERSION

# However often somebody asks, what searches need is looked at so often.
HEALTH_SECONDS = 300.0

Backend: TypeAlias = Literal["sqlite", "postgres", "valkey"]


class RecentUse(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of the last hour and how many failed, and how it went last, in one process.

    ``failure`` is the kind of the last failure, such as ``WebBlocked/http_429``. A time is null
    where there was no such call since the process began.
    """

    calls: int = 0
    failures: int = 0
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str = ""


class EngineStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An engine that searches go to, or went to: its circuit breaker, and its last hour.

    While the breaker is ``open`` nothing is sent until ``open_until``, since it was ``opened_by``
    such a failure; while it is ``half_open`` one search finds out whether the engine answers again.
    """

    id: str
    state: BreakerState = "closed"
    open_until: datetime | None = None
    opened_by: str = ""
    recent: RecentUse | None = None


class ModelStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A language model and its last hour; the first one is that of the settings."""

    name: str
    recent: RecentUse | None = None


class StoreStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A store: whether it takes what is to be kept, and the revision of its tables, if known."""

    kind: Backend
    is_up: bool
    revision: str = ""


class QueueStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The reports or batches of all people that have not ended."""

    kind: str
    waiting: int
    running: int
    oldest_seconds: int


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The process that answers, one of so many ``processes`` that share what is shared.

    It makes ``answers`` of at most ``most_answers`` at a time, waits for ``reports`` that somebody
    waits for, and has so many ``streams`` open.
    """

    id: int
    processes: int
    started_at: datetime
    seconds: int
    answers: int
    most_answers: int
    reports: int
    streams: int


class StatusShown(msgspec.Struct, frozen=True, kw_only=True):
    """How the server stands: ``ok``, or ``degraded`` when something that it needs is broken.

    ``checked_at`` is when what searches need was looked at, null before the first look; stores are
    looked at every 5 seconds. ``findings`` are what was found. The
    breakers, stores and queues are those of all processes where ``is_shared``; ``recent``,
    ``browser`` and ``process`` are always of the one process that answers. To others than owners
    these, the queues and the revision are null or empty.
    """

    status: Literal["ok", "degraded"]
    version: str
    at: datetime
    checked_at: datetime | None
    findings: tuple[FindingText, ...]
    is_shared: bool
    engines: tuple[EngineStatus, ...]
    models: tuple[ModelStatus, ...]
    stores: tuple[StoreStatus, ...]
    queues: tuple[QueueStatus, ...] | None = None
    browser: BrowserUse | None = None
    process: ProcessStatus | None = None

    def for_others(self) -> StatusShown:
        """Return what whoever is let in may know: what works, and nothing of what others do."""
        return structs.replace(
            self,
            engines=tuple(structs.replace(each, recent=None) for each in self.engines),
            models=tuple(structs.replace(each, recent=None) for each in self.models[:1]),
            stores=tuple(structs.replace(each, revision="") for each in self.stores),
            queues=None,
            browser=None,
            process=None,
        )


class ServerStatus:
    """Says how the server stands, to whom it may be told, however often somebody asks.

    ``stores`` says how the stores stand, ``recent`` how calls went, ``reports`` are the places of
    those that are waited for. ``startup`` looks at the search service, now and then and in the
    background. ``now`` gives the seconds since 1970.
    """

    def __init__(
        self,
        hub: Hub,
        stores: StoreWatch,
        recent: RecentCalls,
        *,
        streams: Streams,
        reports: Places,
        startup: Startup | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._hub = hub
        self._clients = hub.assistant.clients
        self._states = standings_of(self._clients)
        self._stores = stores
        self._recent = recent
        self._streams = streams
        self._reports = reports
        self._startup = startup
        self._now = now
        self._started_at = now()

    async def read(self, words: Catalogue) -> StatusShown:
        """Return it for the person who asks, with sentences in their ``words``."""
        stores = await self._stores.read()
        report = self._startup.renew(max_age=HEALTH_SECONDS) if self._startup else None
        findings = with_stores(report.findings if report else (), stores)
        client, now = self._clients.current(), self._now()
        whole = StatusShown(
            status="ok" if is_well(findings) else "degraded",
            version=VERSION,
            at=_moment(now),
            checked_at=report.checked_at if report else None,
            findings=tuple(each.text(words) for each in findings),
            is_shared=client.valkey is not None,
            engines=self._engines(client, now),
            models=self._models(client.settings),
            stores=tuple(_stores_of(stores, client.settings)),
            queues=tuple(
                QueueStatus(
                    kind=kind,
                    waiting=load.waiting,
                    running=load.open - load.waiting,
                    oldest_seconds=round(load.oldest_seconds),
                )
                for kind, load in stores.jobs.items()
            ),
            browser=client.transports.browsers,
            process=ProcessStatus(
                id=os.getpid(),
                processes=client.valkey.processes if client.valkey else 1,
                started_at=_moment(self._started_at),
                seconds=round(now - self._started_at),
                answers=self._hub.places.taken,
                most_answers=self._hub.places.most,
                reports=self._reports.taken,
                streams=self._streams.open,
            ),
        )
        return whole if current_person().role == "owner" else whole.for_others()

    def _engines(self, client: Client, now: float) -> tuple[EngineStatus, ...]:
        states, calls = self._states(), self._recent.of("engine")
        known = (each for each in client.registry.ids() if each in states or each in calls)
        return tuple(
            _engine(id_, states.get(id_), calls.get(id_), now)
            for id_ in dict.fromkeys((*_chosen(client), *known))
        )

    def _models(self, settings: Settings) -> tuple[ModelStatus, ...]:
        calls = self._recent.of("model")
        return tuple(
            ModelStatus(name=name, recent=_use(calls.get(name)))
            for name in dict.fromkeys((settings.model.name, *sorted(calls)))
        )


def _chosen(client: Client) -> list[str]:
    """Return the engines that a chat asks by the settings, then those of other searches."""
    settings, registry = client.settings, client.registry
    try:
        name = engine_name(settings.face(CHAT), registry, settings).value
        asked = groups((name,), (), registry, settings)
        asked += groups(settings.open.engines, settings.open.fallback, registry, settings)
    except InvalidInput:
        # The settings name an engine that there is not: health says it.
        return []
    return [engine.id for group in asked for _, engine in group]


def _engine(
    id_: str, state: EngineState | None, calls: CallsOfHour | None, now: float
) -> EngineStatus:
    recent = _use(calls)
    if state is None:
        return EngineStatus(id=id_, recent=recent)
    is_open = state.state == "open"
    return EngineStatus(
        id=id_,
        state=state.state,
        open_until=_moment(now + state.seconds_left) if is_open else None,
        opened_by=state.opened_by,
        recent=recent,
    )


def _stores_of(state: StoreState, settings: Settings) -> list[StoreStatus]:
    of_conversations: Backend = "postgres" if settings.database_url else "sqlite"
    kinds: Mapping[str, Backend] = {"conversations": of_conversations, "valkey": "valkey"}
    return [
        StoreStatus(
            kind=kinds[name],
            is_up=is_up,
            revision=state.revision if name == "conversations" else "",
        )
        for name, is_up in state.are_up.items()
    ]


def _use(calls: CallsOfHour | None) -> RecentUse:
    if calls is None:
        return RecentUse()
    return RecentUse(
        calls=calls.calls,
        failures=calls.failures,
        succeeded_at=_moment(calls.succeeded_at) if calls.succeeded_at else None,
        failed_at=_moment(calls.failed_at) if calls.failed_at else None,
        failure=calls.failure,
    )


def _moment(at: float) -> datetime:
    """Return a time to the second."""
    return datetime.fromtimestamp(int(at), UTC)
