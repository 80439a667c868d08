"""One contender in a process of its own, which measures what it is told to, as often as it is told.

    python -m benchmarks.trial CONTENDER ADDRESS_WITHOUT_LATENCY ADDRESS_WITH_LATENCY

The throughput benchmark starts one for each contender and gives them their turns: each line of
standard input names a measure, each line of standard output is what it gave.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from inspect import iscoroutinefunction
from statistics import quantiles
from typing import TYPE_CHECKING

import msgspec
from benchmarks.contenders import CONTENDERS, RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.contenders import Search, SyncSearch

WARM_UP = 100
SEQUENTIAL = 60
# How many searches at which concurrency: enough that the last ones, which no longer fill every
# place, weigh little.
LOADS = {64: 960, 256: 2_560}


class Measured(msgspec.Struct, omit_defaults=True):
    """What one measure gave: processor time of one search, or what a load gave, and the memory."""

    cpu_ms: float = 0
    searches_per_second: float = 0
    p50_ms: float = 0
    p99_ms: float = 0
    memory_mb: float = 0


class Queries:
    """Texts that never repeat, so that no cache answers in the engine's place."""

    def __init__(self) -> None:
        self.asked = 0

    def take(self, number: int) -> Iterator[str]:
        """Give ``number`` new texts, safe to share between threads."""
        first, self.asked = self.asked, self.asked + number
        return map("benchmark {}".format, iter(range(first, first + number)))


async def serve(name: str, instant: str, delayed: str) -> None:
    """Measure what standard input asks for: ``cpu``, or a load by its concurrency."""
    # Once a large block was freed, glibc keeps what parsed pages give back. Citeseek does this for
    # itself; done here, the floor and the peers have it as well.
    bytes(1 << 20)
    queries, contender = Queries(), CONTENDERS[name]
    async with contender.open(instant) as search, contender.open(delayed) as search_delayed:
        await _run(search, queries.take(WARM_UP), 1)
        if contender.under_load:
            for concurrency in LOADS:
                await _run(search_delayed, queries.take(2 * concurrency), concurrency)
        for measure in iter(sys.stdin.readline, ""):
            if measure == "cpu\n":
                measured = await _cpu(search, queries)
            else:
                measured = await _load(search_delayed, queries, int(measure))
            print(msgspec.json.encode(measured).decode(), flush=True)


async def _cpu(search: Search | SyncSearch, queries: Queries) -> Measured:
    before = _processor_seconds()
    await _run(search, queries.take(SEQUENTIAL), 1)
    seconds = _processor_seconds() - before
    return Measured(cpu_ms=seconds * 1000 / SEQUENTIAL, memory_mb=_peak_memory_mb())


def _processor_seconds() -> float:
    """Return what this process has used of processors, with those that work or worked for it."""
    import psutil  # here, so that the benchmark can say first what installs it

    times = [child.cpu_times() for child in psutil.Process().children()]
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    working = sum(one.user + one.system for one in times)
    return time.process_time() + ended.ru_utime + ended.ru_stime + working


async def _load(search: Search | SyncSearch, queries: Queries, concurrency: int) -> Measured:
    searches = LOADS[concurrency]
    before, used = time.perf_counter(), _processor_seconds()
    latencies = await _run(search, queries.take(searches), concurrency)
    seconds, used = time.perf_counter() - before, _processor_seconds() - used
    percentiles = quantiles(latencies, n=100)
    return Measured(
        cpu_ms=used * 1000 / searches,
        searches_per_second=searches / seconds,
        p50_ms=percentiles[49] * 1000,
        p99_ms=percentiles[98] * 1000,
        memory_mb=_peak_memory_mb(),
    )


async def _run(search: Search | SyncSearch, texts: Iterator[str], concurrency: int) -> list[float]:
    """Ask all ``texts``, ``concurrency`` at a time; return how many seconds each search took."""
    latencies: list[float] = []

    async def ask() -> None:
        for text in texts:
            before = time.perf_counter()
            _check(await search(text))
            latencies.append(time.perf_counter() - before)

    def ask_in_thread() -> None:
        for text in texts:
            before = time.perf_counter()
            _check(search(text))
            latencies.append(time.perf_counter() - before)

    if iscoroutinefunction(search):
        async with asyncio.TaskGroup() as tasks:
            for _ in range(concurrency):
                tasks.create_task(ask())
    elif concurrency == 1:
        ask_in_thread()
    else:
        with ThreadPoolExecutor(concurrency) as pool:
            for asked in [pool.submit(ask_in_thread) for _ in range(concurrency)]:
                asked.result()
    return latencies


def _check(results: int) -> None:
    if results != RESULTS:
        raise RuntimeError(f"A search gave {results} results instead of {RESULTS}.")


def _peak_memory_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
