"""Counts operations and requests for Prometheus; see docs/observability.md for what is counted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from citeseek.observing.operation import Kind, Operation
from citeseek.observing.receipt import over_budget
from citeseek.observing.store_state import StoreState
from citeseek.version import VERSION

MEDIA_TYPE = CONTENT_TYPE_LATEST
STATES = ("closed", "open", "half_open")

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
# Other names are written by users and pages: there would be no end of them.
_NAMED = frozenset({"engine", "request"})
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())


class Standing(Protocol):
    """How an engine stands."""

    @property
    def state(self) -> str:
        """One of ``STATES``."""
        ...

    @property
    def seconds_left(self) -> float:
        """The seconds until it may be asked again."""
        ...


class Meters:
    """A watcher that counts; ``standings`` says how the engines stand when somebody looks.

    The processes with one ``folder``, which ``PROMETHEUS_MULTIPROC_DIR`` named when the library was
    loaded, count together, those that have ended as well, and each of them gives the page of all.
    """

    def __init__(
        self,
        standings: Callable[[], Mapping[str, Standing]] = dict,
        folder: str | None = None,
    ) -> None:
        self._folder = folder
        self._registry = CollectorRegistry()
        # What is so at the moment, and is added to what was counted.
        self._now = CollectorRegistry()
        self._stores = _Stores()
        registry = self._registry
        self._seconds = Histogram(
            "citeseek_operation_seconds",
            "How long searches, engines, pages, answers, reports, model calls and requests took.",
            ("kind", "name"),
            buckets=_SECONDS,
            registry=registry,
        )
        self._failures = Counter(
            "citeseek_failures",
            "Operations that failed, by error code and detail code.",
            ("kind", "name", "code", "detail_code"),
            registry=registry,
        )
        self._blocks = Counter(
            "citeseek_blocks",
            "Answers in which a site refused to be asked by a program.",
            ("engine", "detail_code"),
            registry=registry,
        )
        self._kept = Counter(
            "citeseek_cache_hits",
            "Searches and pages that were answered without asking anybody.",
            ("kind",),
            registry=registry,
        )
        self._bytes = Counter(
            "citeseek_egress_bytes",
            "Bytes to and from engines and pages.",
            ("direction",),
            registry=registry,
        )
        self._over_budget = Counter(
            "citeseek_budget_refusals",
            "What budgets kept from being sent or read, by the limit that was reached.",
            ("limit",),
            registry=registry,
        )
        self._tokens = Counter(
            "citeseek_model_tokens",
            "Tokens as the servers of models count them.",
            ("direction",),
            registry=registry,
        )
        self._served = Counter(
            "citeseek_http_requests",
            "Requests to this server, by route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._waited = Histogram(
            "citeseek_http_request_seconds",
            "How long it took until an answer of this server began.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        # Present from the beginning, so that a rate can be told from the first one on.
        for kind in get_args(Kind):
            if kind not in _NAMED:
                self._seconds.labels(kind, "")
        self._now.register(_Standings(standings))
        self._now.register(self._stores)
        if self._folder is None:
            ProcessCollector(registry=self._now)
        else:
            self._now.register(_Workers(Path(self._folder)))

    def began(self, operation: Operation) -> None:
        """Do nothing: operations are counted at their end."""

    def ended(self, operation: Operation) -> None:
        """Count ``operation``."""
        kind = operation.kind
        name = operation.name if kind in _NAMED else ""
        if operation.is_cached:
            self._kept.labels(kind).inc()
        if not operation.was_stopped:
            self._seconds.labels(kind, name).observe(operation.seconds)
        if operation.code:
            self._failures.labels(kind, name, operation.code, operation.detail_code).inc()
            if operation.code == "WebBlocked" and kind == "engine" and not operation.is_cooling:
                self._blocks.labels(name, operation.detail_code).inc()
        for (_, limit), times in over_budget(operation).items():
            self._over_budget.labels(limit).inc(times)
        if kind == "request":
            self._bytes.labels("out").inc(operation.sent_bytes)
            self._bytes.labels("in").inc(operation.received_bytes)
        elif kind == "model":
            self._tokens.labels("in").inc(operation.input_tokens or 0)
            self._tokens.labels("out").inc(operation.output_tokens or 0)

    def served(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered after ``seconds``."""
        method = method if method in _METHODS else "other"
        self._served.labels(method, route, str(status)).inc()
        self._waited.labels(route).observe(seconds)

    def found_stores(self, state: StoreState) -> None:
        """Take note of how the stores stand."""
        self._stores.state = state

    def page(self) -> bytes:
        """Return everything as Prometheus reads it."""
        counted = self._registry
        if self._folder is not None:
            counted = CollectorRegistry()
            MultiProcessCollector(counted, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(counted) + generate_latest(self._now)


def _count_tasks() -> int:
    """Return the tasks of this event loop; 0 where there is none."""
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:
        return 0


class _Stores(Collector):
    """How the stores stood when somebody looked last."""

    def __init__(self) -> None:
        self.state = StoreState()

    def collect(self) -> Iterator[Metric]:
        """Yield samples for each store, kind of job and disk that was looked at."""
        up = GaugeMetricFamily(
            "citeseek_store_up",
            "1 where a store, conversations or valkey, takes what is to be kept.",
            labels=("store",),
        )
        for store, is_up in self.state.are_up.items():
            up.add_metric((store,), float(is_up))
        jobs = GaugeMetricFamily(
            "citeseek_jobs_open", "Reports and batches that have not ended.", labels=("kind",)
        )
        quiet = GaugeMetricFamily(
            "citeseek_jobs_quiet_seconds",
            "For how long none of those has changed.",
            labels=("kind",),
        )
        for kind, load in self.state.jobs.items():
            jobs.add_metric((kind,), load.open)
            quiet.add_metric((kind,), load.quiet_seconds)
        total = GaugeMetricFamily(
            "citeseek_disk_bytes", "The disk on which a store is.", labels=("store",)
        )
        free = GaugeMetricFamily(
            "citeseek_disk_free_bytes", "What is free of it.", labels=("store",)
        )
        if disk := self.state.disk:
            total.add_metric(("conversations",), disk.total)
            free.add_metric(("conversations",), disk.free)
        yield from (up, jobs, quiet, total, free)


class _Workers(Collector):
    """What each of the processes takes that count in ``folder`` and are there, by its number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def describe(self) -> Iterator[Metric]:
        """Say nothing: which processes there are is known when somebody looks."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the families that one process has, with a sample of each."""
        families: dict[str, Metric] = {}
        for pid in sorted({int(file.stem.rpartition("_")[2]) for file in self._folder.iterdir()}):
            if not _is_sibling(pid):
                continue
            for one in ProcessCollector(pid=lambda: pid, registry=None).collect():  # noqa: B023 - used within the turn
                family = families.setdefault(
                    one.name, Metric(one.name, one.documentation, one.type)
                )
                for sample in one.samples:
                    family.add_sample(sample.name, {"worker": str(pid)}, sample.value)
        yield from families.values()


def _is_sibling(pid: int) -> bool:
    """Whether a process is there that has the same parent as this one, or is this one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        # It has ended, or this system has no such file; this process is there.
        return pid == os.getpid()
    return int(stat.rpartition(")")[2].split()[1]) == os.getppid()


class _Standings(Collector):
    """The circuit breakers, as they are when somebody looks."""

    def __init__(self, standings: Callable[[], Mapping[str, Standing]]) -> None:
        self._standings = standings

    def describe(self) -> Iterator[Metric]:
        """Say nothing: asking for names must not ask for the engines."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the states of the engines."""
        breakers = GaugeMetricFamily(
            "citeseek_breaker_state",
            "1 for the state in which the circuit breaker of an engine is.",
            labels=("engine", "state"),
        )
        left = GaugeMetricFamily(
            "citeseek_breaker_seconds_left",
            "Seconds until an engine may be asked again.",
            labels=("engine",),
        )
        for engine, standing in sorted(self._standings().items()):
            for state in STATES:
                breakers.add_metric((engine, state), float(standing.state == state))
            left.add_metric((engine,), standing.seconds_left)
        yield breakers
        yield left
        tasks = GaugeMetricFamily("citeseek_tasks", "Tasks of the process that gives this page.")
        tasks.add_metric((), float(_count_tasks()))
        yield tasks
        about = GaugeMetricFamily("citeseek_build", "The version that runs.", labels=("version",))
        about.add_metric((VERSION,), 1.0)
        yield about
