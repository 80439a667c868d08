"""One trial: a contender measured in this process alone, as JSON on stdout.

    python -m benchmarks.trial CONTENDER ADDRESS_WITHOUT_LATENCY ADDRESS_WITH_LATENCY

The throughput benchmark starts one for each contender in each round.
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

    from benchmarks.contenders import Contender, Search, SyncSearch

WARM_UP = 50
SEQUENTIAL = 400
# How many searches at which concurrency: enough that the last ones, which no longer fill every
# place, weigh little, and that the slowest contender ends within half a minute.
LOADS = {64: 1_920, 256: 5_120}


class Load(msgspec.Struct):
    """What a fixed number of searches at one concurrency gave. Times are in milliseconds."""

    searches_per_second: float
    p50_ms: float
    p99_ms: float


class Trial(msgspec.Struct):
    """All that is measured of one contender. ``memory_mb`` is the peak, reached under load."""

    cpu_ms: float
    loads: dict[int, Load]
    memory_mb: float


class Queries:
    """Texts that never repeat, so that no cache answers in the engine's place."""

    def __init__(self) -> None:
        self.asked = 0

    def take(self, number: int) -> Iterator[str]:
        """Give ``number`` new texts, safe to share between threads."""
        first, self.asked = self.asked, self.asked + number
        return map("benchmark {}".format, iter(range(first, first + number)))


async def trial(contender: Contender, instant: str, delayed: str) -> Trial:
    """Measure ``contender``: CPU at the address without latency, loads at the one with it."""
    # Once a large block was freed, glibc keeps what parsed pages give back. Citeseek does this for
    # itself; done here, the floor and the peers have it as well.
    bytes(1 << 20)
    queries = Queries()
    async with contender(instant) as search:
        cpu_ms = await _cpu_ms(search, queries)
    loads = {}
    async with contender(delayed) as search:
        for concurrency, searches in LOADS.items():
            loads[concurrency] = await _load(search, queries, concurrency, searches)
    return Trial(cpu_ms=cpu_ms, loads=loads, memory_mb=_peak_memory_mb())


async def _cpu_ms(search: Search | SyncSearch, queries: Queries) -> float:
    await _run(search, queries.take(WARM_UP), 1)
    before = time.process_time()
    await _run(search, queries.take(SEQUENTIAL), 1)
    return (time.process_time() - before) * 1000 / SEQUENTIAL


async def _load(
    search: Search | SyncSearch, queries: Queries, concurrency: int, searches: int
) -> Load:
    await _run(search, queries.take(concurrency), concurrency)
    before = time.perf_counter()
    latencies = await _run(search, queries.take(searches), concurrency)
    seconds = time.perf_counter() - before
    percentiles = quantiles(latencies, n=100)
    return Load(
        searches_per_second=searches / seconds,
        p50_ms=percentiles[49] * 1000,
        p99_ms=percentiles[98] * 1000,
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


def main() -> None:
    name, instant, delayed = sys.argv[1:]
    measured = asyncio.run(trial(CONTENDERS[name], instant, delayed))
    print(msgspec.json.encode(measured).decode())


if __name__ == "__main__":
    main()
