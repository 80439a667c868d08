"""What several servers at one Valkey and one Postgres keep, and what that costs.

    python -m benchmarks.scale [--answers N] [--kills SECONDS] [--soak | --constants]

Four servers behind a round-robin proxy are asked for the same and for more than an engine allows,
are killed at random while they answer, lose a worker in the middle of a report, and lose their
stores for a moment. Then answers and searches a second, processor time and latency are measured
with 1, 2 and 4 of them, beside one server that shares nothing. Each figure that has a goal is a
line of the table at the end. ``--soak`` does what takes long: more kills, and one server at work
for hours, whose memory, files, threads and tasks are looked at. ``--constants`` measures what
``docs/capacity.md`` is made of. See :mod:`benchmarks.deployment`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

import httpx
from benchmarks.deployment import Deployment, Model, Server, Shared
from benchmarks.outages import outlast
from benchmarks.report import GOAL_HEADER, Goal, table
from benchmarks.sharing import Engines, limit_row, search_on, share, take_over
from benchmarks.survival import AT_ONCE, at_once, events_of, survive
from prometheus_client.parser import text_string_to_metric_families

SERVERS = 4
ANSWERS = 2_000
SOAK_ANSWERS = 10_000
# A server is killed so often, and started again at once.
KILL_SECONDS = 10.0
# The words of an answer, and the time between two.
WORDS, PAUSE = 20, 0.02
LONG_WORDS = 400
MEASURED_ANSWERS = 100
MEASURED_SEARCHES = 200
MEASURED_PAUSE = 0.005
ALONE_ANSWERS = 15
ROUNDS = 2
VALKEY: Shared = frozenset({"valkey"})
IDLE_STREAMS = 200
# A server takes note of a closed connection within it.
CLOSING_SECONDS = 3.0

# A server keeps as many answers that ended for readers that come again.
FULL = 400
SOAK_FLAT = (5_000, 100_000)

Rows: TypeAlias = list[tuple[str, ...]]

_CPU = Goal(
    "processor time of an answer that is shared, as a share of one that is not", "at most", 1.15
)
_LATENCY = Goal("event latency above one that is not shared, p50, ms", "at most", 1.0)

_MEMORY = Goal("memory of a server after it, of that before", "at most", 1.05)
_FILES = Goal("files that it has open more than before", "at most", 0)
_THREADS = Goal("threads that it has more than before", "at most", 0)
_TASKS = Goal("tasks that it has more than before", "at most", 0)


def patient_client() -> httpx.AsyncClient:
    """Return a client that opens as many connections as it is asked for."""
    return httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None))


async def keep_together(answers: int, seconds: float) -> Rows:
    """Return what four servers keep, and print what they do with 1, 2 and 4 of them."""
    with Engines() as engines:
        async with (
            Model(WORDS, PAUSE) as model,
            Deployment(SERVERS, model.port, config=engines.config) as deployment,
            patient_client() as client,
        ):
            rows = await share(deployment, client, engines)
            searching = asyncio.create_task(search_on(deployment, client))
            rows += await survive(deployment, client, answers, seconds)
            searching.cancel()
            await asyncio.wait([searching])
            rows.append(limit_row(engines))
            rows += await take_over(deployment, client)
            rows += await outlast(deployment, client)
            model.pause = MEASURED_PAUSE
            costs = {}
            for count in (1, 2, 4):
                deployment.used = count
                costs[f"{count}, with both"] = await cost(deployment, client)
    print_costs(costs)
    return rows


@dataclass
class Cost:
    """What answers and searches cost: how many a second, and milliseconds of processor time of one.

    ``latency_ms`` is how long a word takes from the model to the reader of an answer that has the
    server to itself, the median of all words.
    """

    answers_a_second: float
    answer_ms: float
    searches_a_second: float
    search_ms: float
    latency_ms: float


async def cost(deployment: Deployment, client: httpx.AsyncClient) -> Cost:
    """Measure the servers that are used."""
    latencies: list[float] = []
    used = deployment.servers[: deployment.used]

    async def ask(number: int) -> None:
        # Whoever asks reads where it asked; what others read is shown where servers are killed.
        url = deployment.next_url()
        path = f"{url}/api/v1/sessions/{await _new_session(client, url)}/messages"
        latencies.extend(await _word_latencies(client, path, f"Question {number}"))

    async def search(number: int) -> None:
        given = {"q": f"tea {number} {time.monotonic_ns()}", "engine": "stub"}
        url = f"{deployment.next_url()}/api/v1/search"
        (await client.get(url, params=given)).raise_for_status()

    await at_once(AT_ONCE, ask)
    answers = await _measure(used, MEASURED_ANSWERS, ask)
    await at_once(AT_ONCE, search)
    searches = await _measure(used, MEASURED_SEARCHES, search)
    latencies.clear()
    for number in range(ALONE_ANSWERS):
        await ask(number)
    return Cost(*answers, *searches, median(latencies))


async def _measure(
    servers: list[Server], count: int, work: Callable[[int], Awaitable[object]]
) -> tuple[float, float]:
    """Return how often a second ``work`` was done, and the processor time of one in ms."""
    before = sum(server.processor_seconds() for server in servers)
    began = time.monotonic()
    await at_once(count, work)
    took = time.monotonic() - began
    used = sum(server.processor_seconds() for server in servers) - before
    return count / took, used * 1_000 / count


def print_costs(costs: dict[str, Cost]) -> None:
    """Print a table of what each kind of deployment costs."""
    header = ("servers", "answers/s", "CPU, ms", "searches/s", "CPU, ms", "of a word, p50 ms")
    lines = [
        (
            name,
            f"{one.answers_a_second:.0f}",
            f"{one.answer_ms:.1f}",
            f"{one.searches_a_second:.0f}",
            f"{one.search_ms:.2f}",
            f"{one.latency_ms:.1f}",
        )
        for name, one in costs.items()
    ]
    print(table(header, lines), end="\n\n")


async def compare() -> Rows:
    """Return what a server costs that shares, beside one that shares nothing."""
    async with (
        Model(WORDS, MEASURED_PAUSE) as model,
        Deployment(1, model.port, frozenset()) as alone,
        Deployment(1, model.port, VALKEY) as shared,
        patient_client() as client,
    ):
        # By turns, so that what else the machine does weighs on both alike.
        pairs = [(await cost(alone, client), await cost(shared, client)) for _ in range(ROUNDS)]
        idle = await idle_kilobytes(alone.servers[0], client)
    print_costs({"1, alone": pairs[-1][0], "1, with a Valkey": pairs[-1][1]})
    print(f"1,000 pages that are open and idle: {idle:.0f} MB of memory of their server\n")
    return [
        _CPU.row(median(shared.answer_ms / alone.answer_ms for alone, shared in pairs)),
        _LATENCY.row(median(shared.latency_ms - alone.latency_ms for alone, shared in pairs)),
    ]


async def idle_kilobytes(server: Server, client: httpx.AsyncClient) -> float:
    """Return the memory of a page that is open and idle, in kB."""
    session = await _new_session(client, server.url)
    memory = server.memory_mb()
    async with AsyncExitStack() as stack:
        for _ in range(IDLE_STREAMS // 2):
            stream = client.stream("GET", f"{server.url}/c/{session}/events")
            await stack.enter_async_context(stream)
        return (server.memory_mb() - memory) * 1_000 / (IDLE_STREAMS // 2)


async def stay_flat(answers: int, searches: int) -> Rows:
    """Return how much more memory, files, threads and tasks a server has after much work."""
    async with (
        Model(WORDS, 0) as model,
        Deployment(1, model.port) as deployment,
        patient_client() as client,
    ):
        (server,) = deployment.servers

        async def ask(number: int) -> None:
            session = await _new_session(client, server.url)
            path = f"{server.url}/api/v1/sessions/{session}/messages"
            await _word_latencies(client, path, f"Question {number}")

        async def search(number: int) -> None:
            given = {"q": f"tea {number}", "engine": "stub"}
            (await client.get(f"{server.url}/api/v1/search", params=given)).raise_for_status()

        # What is kept of so many, answers to read again for example, is full then.
        await at_once(max(answers // 5, FULL), ask)
        await at_once(max(searches // 5, FULL), search)
        await asyncio.sleep(CLOSING_SECONDS)
        memory, before = server.memory_mb(), await _held(server, client)
        await at_once(answers, ask)
        await at_once(searches, search)
        await asyncio.sleep(CLOSING_SECONDS)
        grown, after = server.memory_mb() / memory, await _held(server, client)
    print(f"{answers:,} answers and {searches:,} searches more, beginning with {memory:.0f} MB\n")
    left = [now - then for now, then in zip(after, before, strict=True)]
    goals = zip((_FILES, _THREADS, _TASKS), left, strict=True)
    return [_MEMORY.row(grown), *(goal.row(more) for goal, more in goals)]


async def _held(server: Server, client: httpx.AsyncClient) -> tuple[float, float, float]:
    """Return the files, threads and tasks that a server has."""
    page = (await client.get(f"{server.url}/metrics")).raise_for_status().text
    families = text_string_to_metric_families(page)
    (tasks,) = (one.samples[0].value for one in families if one.name == "citeseek_tasks")
    return server.open_files(), server.threads(), tasks


async def constants() -> None:
    """Print what the model of ``docs/capacity.md`` is made of, for one server."""
    short, long = await _constants(WORDS), await _constants(LONG_WORDS)
    header = ("constant", f"{WORDS} words", f"{LONG_WORDS} words")
    print(table(header, [(name, value, long[name]) for name, value in short.items()]), end="\n\n")


async def _constants(words: int) -> dict[str, str]:
    """Measure answers of so many words; each is an event."""
    async with (
        Model(words, MEASURED_PAUSE) as model,
        Deployment(1, model.port) as deployment,
        patient_client() as client,
    ):
        (server,) = deployment.servers

        async def ask(number: int) -> None:
            session = await _new_session(client, server.url, search=True)
            path = f"{server.url}/api/v1/sessions/{session}/messages"
            await _word_latencies(client, path, f"Question {number}")

        await at_once(AT_ONCE, ask)
        before, used = deployment.kept(), server.processor_seconds()
        await at_once(MEASURED_ANSWERS, ask)
        after, used = deployment.kept(), server.processor_seconds() - used
        files = server.open_files()
        idle_kb = await idle_kilobytes(server, client)
        await asyncio.sleep(CLOSING_SECONDS)
        left = server.open_files() - files
    each = {name: (after[name] - before[name]) / MEASURED_ANSWERS for name in before}
    return {
        "processor time of a server, an answer": f"{used * 1_000 / MEASURED_ANSWERS:.1f} ms",
        "operations at the Valkey, an answer": f"{each['operations']:.0f}",
        "memory of the Valkey, an answer that ended at most 10 minutes ago": _kb(each["valkey"]),
        "rows of Postgres, an answer in a conversation of its own": f"{each['rows']:.1f}",
        "size of Postgres, such an answer": _kb(each["postgres"]),
        "memory of a server, a page that is open and idle": f"{idle_kb:.0f} kB",
        "files left open by pages that were closed": str(left),
    }


def _kb(size: float) -> str:
    return f"{size / 1_000:.1f} kB"


async def _new_session(client: httpx.AsyncClient, url: str, *, search: bool = False) -> str:
    """Return the id of a new conversation; a server without room for the moment is asked again."""
    while True:
        made = await client.post(f"{url}/api/v1/sessions", json={"search": search})
        if made.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            session: str = made.raise_for_status().json()["id"]
            return session
        await asyncio.sleep(float(made.headers.get("Retry-After", 1)))


async def _word_latencies(client: httpx.AsyncClient, path: str, text: str) -> list[float]:
    """Ask, and return the milliseconds that each word took from the model."""
    found: list[float] = []
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", path, json={"text": text}, headers=headers) as response:
        response.raise_for_status()
        async for _, kind, data in events_of(response):
            now = time.monotonic_ns()
            if kind == "token":
                words = str(json.loads(data)["text"]).split()
                found += [(now - int(word)) / 1e6 for word in words]
    return found


async def soak(answers: int, seconds: float) -> Rows:
    """Return what holds for long: with many kills, and with much work of one server."""
    async with (
        Model(WORDS, PAUSE) as model,
        Deployment(SERVERS, model.port) as deployment,
        patient_client() as client,
    ):
        rows = await survive(deployment, client, answers, seconds)
    return rows + await stay_flat(*SOAK_FLAT)


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int)
    parser.add_argument("--kills", type=float, default=KILL_SECONDS, metavar="SECONDS")
    long = parser.add_mutually_exclusive_group()
    long.add_argument("--soak", action="store_true", help="what takes long")
    long.add_argument("--constants", action="store_true", help="those of docs/capacity.md")
    options = parser.parse_args()
    began = time.monotonic()
    if options.constants:
        asyncio.run(constants())
        return
    if options.soak:
        rows = asyncio.run(soak(options.answers or SOAK_ANSWERS, options.kills))
    else:
        rows = asyncio.run(keep_together(options.answers or ANSWERS, options.kills))
        rows += asyncio.run(compare())
    print(f"All of it took {time.monotonic() - began:.0f} s.\n")
    print(table(GOAL_HEADER, rows))


if __name__ == "__main__":
    main()
