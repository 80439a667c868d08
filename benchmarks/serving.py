"""One server that writes many answers at once: whether it still answers others, and at what delay.

    python -m benchmarks.serving

Readers and the model are in a process of their own (:mod:`benchmarks.crowd`); beside them somebody
asks for the server's health twenty times a second. The bare interpreter's share of such a moment is
measured as well: the time that this process itself is late to ask.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import time
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks.crowd import Crowd, Heard, Order
from benchmarks.deployment import Deployment, Server
from benchmarks.report import GOAL_HEADER, Goal, table

SIZES = (1, 16, 64, 128, 256)
WORDS_A_SECOND = 20
SECONDS = 15.0
PROBE_SECONDS = 0.05
QUESTIONS = 40

HEALTH = Goal("health at 256 answers in flight, p99, ms", "at most", 50)
WORD = Goal("a word from the model to its reader, one answer, p95, ms", "at most", 20)
FIRST = Goal("first word behind the search's end, our own share, ms", "at most", 15)


class Load(NamedTuple):
    """What one server did while so many answers were in flight."""

    answers: int
    health_p50: float
    health_p99: float
    word_p50: float
    word_p95: float
    late_p99: float
    processor: float


def load(crowd: Crowd, server: Server, answers: int) -> Load:
    """Have ``answers`` written at once, and ask for health while all of them are."""
    words = int(SECONDS * WORDS_A_SECOND)
    crowd.begin(Order(server.url, answers, words, 1 / WORDS_A_SECOND))
    crowd.wait_for_words()
    used, began = server.processor_seconds(), time.perf_counter()
    waits, late = _probe(server.port, SECONDS * 0.6)
    used, took = server.processor_seconds() - used, time.perf_counter() - began
    heard = crowd.heard()
    if heard.done != answers:
        raise RuntimeError(f"{heard.done} of {answers} answers ended well")
    return Load(
        answers,
        median(waits),
        _percentile(waits, 99),
        median(heard.words),
        _percentile(heard.words, 95),
        _percentile(late, 99),
        used / took,
    )


def _probe(port: int, seconds: float) -> tuple[list[float], list[float]]:
    """Return the milliseconds that health took each time, and by how many it was asked late."""
    waits, late = [], []
    connection = http.client.HTTPConnection("127.0.0.1", port)
    began = time.perf_counter()
    for turn in range(int(seconds / PROBE_SECONDS)):
        wanted = began + turn * PROBE_SECONDS
        time.sleep(max(0.0, wanted - time.perf_counter()))
        asked = time.perf_counter()
        connection.request("GET", "/api/v1/health")
        connection.getresponse().read()
        waits.append((time.perf_counter() - asked) * 1_000)
        late.append(max(0.0, asked - wanted) * 1_000)
    connection.close()
    return waits, late


def first_words(crowd: Crowd, server: Server) -> Heard:
    """Return what was heard of questions that are asked one after the other, each with a search."""
    heard = Heard(0, [], [])
    for _ in range(QUESTIONS):
        crowd.begin(Order(server.url, 1, 40, 0.005, search=True))
        crowd.wait_for_words()
        one = crowd.heard()
        heard.first.extend(one.first)
        heard.words.extend(one.words)
    return heard


def _percentile(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1]


async def measure(sizes: tuple[int, ...]) -> None:
    """Measure a server of its own, and print what came of it."""
    with Crowd.start() as crowd:
        async with Deployment(1, crowd.model_port, frozenset()) as deployment:
            (server,) = deployment.servers
            loads = [await asyncio.to_thread(load, crowd, server, size) for size in sizes]
            alone = await asyncio.to_thread(first_words, crowd, server)
    header = (
        "answers in flight",
        "health p50, ms",
        "p99, ms",
        "a word p50, ms",
        "p95, ms",
        "asked late p99, ms",
        "processors",
    )
    print(table(header, [(str(one.answers), *(f"{x:.3g}" for x in one[1:])) for one in loads]))
    rows = [
        HEALTH.row(loads[-1].health_p99),
        WORD.row(_percentile(alone.words, 95)),
        FIRST.row(median(alone.first)),
    ]
    print()
    print(table(GOAL_HEADER, rows))


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="ANSWERS")
    asyncio.run(measure(tuple(parser.parse_args().sizes)))


if __name__ == "__main__":
    main()
