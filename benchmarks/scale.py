"""What several servers at one Valkey and one Postgres keep, and what that costs.

    python -m benchmarks.scale [--answers N] [--kills SECONDS] [--soak]

Answers are made by four servers behind a round-robin proxy while servers are killed at random;
their readers go on elsewhere with ``Last-Event-ID``. One server works for long, and its memory and
its files are looked at. Then answers a second, processor time and latency are measured with one
server alone and with 1, 2 and 4 that share. See :mod:`benchmarks.deployment`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any, TypeAlias

import httpx
from benchmarks.deployment import ALL, Deployment, Model, Server, Shared
from benchmarks.report import GOAL_HEADER, Goal, table

SERVERS = 4
# So many answers are under way at any time.
AT_ONCE = 32
ANSWERS = 2_000
SOAK_ANSWERS = 10_000
# A server is killed so often, and started again at once.
KILL_SECONDS = 8.0
# The words of an answer, and the time between two.
WORDS, PAUSE = 20, 0.02
LONG_WORDS = 400
# How long a reader looks for a server that answers.
PATIENCE_SECONDS = 60.0
MEASURED_ANSWERS = 200
MEASURED_PAUSE = 0.005
ALONE_ANSWERS = 20
ROUNDS = 3
VALKEY: Shared = frozenset({"valkey"})
IDLE_STREAMS = 200
# A server takes note of a closed connection within it.
CLOSING_SECONDS = 3.0

# A server keeps as many answers that ended for readers that come again.
FULL = 400
FLAT = (300, 3_000)
SOAK_FLAT = (5_000, 100_000)

SentEvent: TypeAlias = tuple[str, str, str]

_LOST = Goal("events lost, doubled or out of order", "at most", 0)
_DAMAGED = Goal("conversations that hold another answer than was told", "at most", 0)
_CPU = Goal(
    "processor time of an answer that is shared, as a share of one that is not", "at most", 1.15
)
_LATENCY = Goal("event latency above one that is not shared, p50, ms", "at most", 1.0)

_MEMORY = Goal("memory of a server after it, of that before", "at most", 1.05)
_FILES = Goal("files that it has open more than before", "at most", 0)


@dataclass
class Told:
    """What a reader got of one answer."""

    session: str
    answer: str
    events: list[SentEvent] = field(default_factory=list)
    reconnects: int = 0

    @property
    def last_id(self) -> str:
        """The id of the last event that came."""
        return self.events[-1][0] if self.events else ""


class Driver:
    """Asks, follows and compares, through whichever server has its turn."""

    def __init__(self, deployment: Deployment, client: httpx.AsyncClient) -> None:
        self._deployment = deployment
        self._client = client
        self.faults: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.reconnects = 0
        self.asked_again = 0

    async def answer(self, number: int) -> None:
        """Have one question answered, read it, and compare what is kept and told again."""
        told = await self._ask(number)
        await self._follow(told)
        self.reconnects += told.reconnects
        again = Told(told.session, told.answer)
        await self._follow(again)
        self._compare(told, again)
        session = await self._get(f"/api/v1/sessions/{told.session}")
        self._compare_kept(told, session)

    async def _ask(self, number: int) -> Told:
        while True:
            with suppress(httpx.HTTPError):
                url = self._deployment.next_url()
                made = await self._client.post(f"{url}/api/v1/sessions", json={"search": False})
                session = made.raise_for_status().json()["id"]
                url = self._deployment.next_url()
                path = f"/api/v1/sessions/{session}/messages"
                begun = await self._client.post(f"{url}{path}", json={"text": f"Question {number}"})
                return Told(session, begun.raise_for_status().json()["answer"])
            # Its server was killed before it said that the question is kept.
            self.asked_again += 1
            await asyncio.sleep(0.1)

    async def _follow(self, told: Told) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while not (told.events and told.events[-1][1] in ("done", "error")):
            if time.monotonic() > until:
                self.faults["never ended"] += 1
                return
            headers = {"Last-Event-ID": told.last_id} if told.events else {}
            url = self._deployment.next_url()
            path = f"{url}/api/v1/sessions/{told.session}/answers/{told.answer}"
            with suppress(httpx.HTTPError):
                async with self._client.stream("GET", path, headers=headers) as response:
                    response.raise_for_status()
                    async for event in events_of(response):
                        told.events.append(event)
                    continue
            told.reconnects += 1
            await asyncio.sleep(0.1)

    async def _get(self, path: str) -> Any:
        while True:
            with suppress(httpx.HTTPError):
                answer = await self._client.get(f"{self._deployment.next_url()}{path}")
                return answer.raise_for_status().json()
            await asyncio.sleep(0.1)

    def _compare(self, told: Told, again: Told) -> None:
        ids = [_order(id_) for id_, _, _ in told.events]
        if ids != sorted(set(ids)):
            self.faults["out of order or doubled"] += 1
        if told.events != again.events:
            self.faults["another reader got others"] += 1

    def _compare_kept(self, told: Told, session: Any) -> None:
        done = json.loads(told.events[-1][2]) if told.events else {}
        self.outcomes[done.get("outcome", "none")] += 1
        turns = [turn for turn in session["turns"] if turn["id"] == told.answer]
        if [turn["answer"] for turn in turns] != [done.get("answer")] or len(session["turns"]) != 1:
            self.faults["kept otherwise"] += 1


async def events_of(response: httpx.Response) -> AsyncIterator[SentEvent]:
    """Yield each whole event: its id, its kind, its data."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
            continue
        if "data" in fields:
            yield fields.get("id", ""), fields.get("event", ""), fields["data"]
        fields = {}


def _order(id_: str) -> tuple[int, ...]:
    return tuple(map(int, id_.split("-")))


async def kill_at_random(servers: list[Server], seconds: float) -> None:
    """Kill one server after the other, each started again at once."""
    choice = random.Random(1)  # noqa: S311 - which one is nobody's secret
    while True:
        await asyncio.sleep(seconds)
        server = choice.choice(servers)
        await asyncio.to_thread(server.kill)
        server.start()
        await server.ready()


async def survive(answers: int, seconds: float) -> None:
    """Have ``answers`` made while a server is killed every few ``seconds``, and print what held."""
    limits = httpx.Limits(max_connections=None)
    async with (
        Model(WORDS, PAUSE) as model,
        Deployment(SERVERS, model) as deployment,
        httpx.AsyncClient(timeout=30, limits=limits) as client,
    ):
        driver = Driver(deployment, client)
        killing = asyncio.create_task(kill_at_random(deployment.servers, seconds))
        began = time.monotonic()
        await at_once(answers, driver.answer)
        took = time.monotonic() - began
        killing.cancel()
    print(
        f"{answers} answers by {SERVERS} servers, one killed every {seconds:g} s, in {took:.0f} s: "
        f"outcomes {dict(driver.outcomes)}, readers that went on elsewhere {driver.reconnects}, "
        f"questions asked again {driver.asked_again}, faults {dict(driver.faults)}\n"
    )
    kept = driver.faults["kept otherwise"]
    rows = [_LOST.row(driver.faults.total() - kept), _DAMAGED.row(kept)]
    print(table(GOAL_HEADER, rows), end="\n\n")


async def at_once(count: int, work: Any) -> None:
    """Do ``work`` with each number below ``count``, a few at a time."""
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))


async def stay_flat(answers: int, searches: int) -> None:
    """Print how much more memory and how many more files a server has after much work."""
    limits = httpx.Limits(max_connections=None)
    async with (
        Model(WORDS, 0) as model,
        Deployment(1, model) as deployment,
        httpx.AsyncClient(timeout=60, limits=limits) as client,
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
        memory, files = server.memory_mb(), server.open_files()
        await at_once(answers, ask)
        await at_once(searches, search)
        await asyncio.sleep(CLOSING_SECONDS)
        grown, left = server.memory_mb() / memory, server.open_files() - files
    print(f"{answers:,} answers and {searches:,} searches more, beginning with {memory:.0f} MB:\n")
    print(table(GOAL_HEADER, [_MEMORY.row(grown), _FILES.row(left)]), end="\n\n")


@dataclass
class Cost:
    """What answers cost: how many a second, and for one milliseconds of processor time.

    ``latency_ms`` is how long a word takes from the model to the reader of an answer that has the
    server to itself, the median of all words.
    """

    a_second: float
    cpu_ms: float
    latency_ms: float


async def constants() -> None:
    """Print what the model of ``docs/capacity.md`` is made of, for one server."""
    short, long = await _constants(WORDS), await _constants(LONG_WORDS)
    header = ("constant", f"{WORDS} words", f"{LONG_WORDS} words")
    print(table(header, [(name, value, long[name]) for name, value in short.items()]), end="\n\n")


async def _constants(words: int) -> dict[str, str]:
    """Measure answers of so many words; each is an event."""
    limits = httpx.Limits(max_connections=None)
    async with (
        Model(words, MEASURED_PAUSE) as model,
        Deployment(1, model) as deployment,
        httpx.AsyncClient(timeout=60, limits=limits) as client,
    ):
        (server,) = deployment.servers

        async def ask(number: int) -> str:
            session = await _new_session(client, server.url, search=True)
            path = f"{server.url}/api/v1/sessions/{session}/messages"
            await _word_latencies(client, path, f"Question {number}")
            return session

        await at_once(AT_ONCE, ask)
        before, used = deployment.kept(), server.processor_seconds()
        await at_once(MEASURED_ANSWERS, ask)
        after, used = deployment.kept(), server.processor_seconds() - used
        session = await ask(0)
        memory, files = server.memory_mb(), server.open_files()
        async with AsyncExitStack() as stack:
            for _ in range(IDLE_STREAMS):
                stream = client.stream("GET", f"{server.url}/c/{session}/events")
                await stack.enter_async_context(stream)
            idle_kb = (server.memory_mb() - memory) * 1_000 / IDLE_STREAMS
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
        f"files left open by {IDLE_STREAMS} pages that were closed": str(left),
    }


def _kb(size: float) -> str:
    return f"{size / 1_000:.1f} kB"


async def cost(count: int, shares: Shared) -> Cost:
    """Measure ``count`` servers."""
    limits = httpx.Limits(max_connections=None)
    async with (
        Model(WORDS, MEASURED_PAUSE) as model,
        Deployment(count, model, shares) as deployment,
        httpx.AsyncClient(timeout=60, limits=limits) as client,
    ):
        latencies: list[float] = []

        async def ask(number: int) -> None:
            # Whoever asks reads where it asked; what others read is measured above.
            url = deployment.next_url()
            path = f"{url}/api/v1/sessions/{await _new_session(client, url)}/messages"
            latencies.extend(await _word_latencies(client, path, f"Question {number}"))

        await at_once(AT_ONCE, ask)
        before = sum(server.processor_seconds() for server in deployment.servers)
        began = time.monotonic()
        await at_once(MEASURED_ANSWERS, ask)
        took = time.monotonic() - began
        used = sum(server.processor_seconds() for server in deployment.servers) - before
        latencies.clear()
        for number in range(ALONE_ANSWERS):
            await ask(number)
    return Cost(MEASURED_ANSWERS / took, used * 1_000 / MEASURED_ANSWERS, median(latencies))


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


async def compare() -> None:
    """Print what servers cost that share, beside one that shares nothing."""
    # By turns, so that what else the machine does weighs on both alike.
    pairs = [(await cost(1, frozenset()), await cost(1, VALKEY)) for _ in range(ROUNDS)]
    measured = {
        "1, alone": pairs[0][0],
        "1, with a Valkey": pairs[0][1],
        "1, with a Postgres": await cost(1, frozenset({"postgres"})),
        **{f"{count}, with both": await cost(count, ALL) for count in (1, 2, 4)},
    }
    header = ("servers", "answers/s", "CPU of one, ms", "of a word, p50 ms")
    lines = [
        (name, f"{one.a_second:.0f}", f"{one.cpu_ms:.1f}", f"{one.latency_ms:.1f}")
        for name, one in measured.items()
    ]
    print(table(header, lines), end="\n\n")
    goals = [
        _CPU.row(median(shared.cpu_ms / alone.cpu_ms for alone, shared in pairs)),
        _LATENCY.row(median(shared.latency_ms - alone.latency_ms for alone, shared in pairs)),
    ]
    print(table(GOAL_HEADER, goals))


def main() -> None:
    """Run both, shorter or longer as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--kills", type=float, default=KILL_SECONDS, metavar="SECONDS")
    parser.add_argument(
        "--soak", action="store_true", help=f"{SOAK_ANSWERS} answers, and 100,000 searches"
    )
    options = parser.parse_args()
    asyncio.run(survive(SOAK_ANSWERS if options.soak else options.answers, options.kills))
    asyncio.run(stay_flat(*(SOAK_FLAT if options.soak else FLAT)))
    asyncio.run(constants())
    asyncio.run(compare())


if __name__ == "__main__":
    main()
