"""Answers while servers are killed: what their readers got, and what was kept."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import httpx
from benchmarks.deployment import Deployment, Server
from benchmarks.report import Goal

# So many answers are under way at any time.
AT_ONCE = 32
# How long a reader looks for a server that answers.
PATIENCE_SECONDS = 60.0

SentEvent: TypeAlias = tuple[str, str, str]

_LOST = Goal("events lost, doubled or out of order", "at most", 0)
_DAMAGED = Goal("conversations that hold another answer than was told", "at most", 0)


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


async def survive(
    deployment: Deployment, client: httpx.AsyncClient, answers: int, seconds: float
) -> list[tuple[str, ...]]:
    """Have ``answers`` made while a server is killed every few ``seconds``; return what held."""
    driver = Driver(deployment, client)
    killing = asyncio.create_task(kill_at_random(deployment.servers, seconds))
    began = time.monotonic()
    try:
        await at_once(answers, driver.answer)
    finally:
        took = time.monotonic() - began
        killing.cancel()
        await asyncio.wait([killing])
    for server in deployment.servers:
        # One may have been killed a moment ago.
        server.start_again()
        await server.ready()
    print(
        f"{answers:,} answers by {len(deployment.servers)} servers, one killed every {seconds:g} s,"
        f" in {took:.0f} s: outcomes {dict(driver.outcomes)}, readers that went on elsewhere "
        f"{driver.reconnects}, questions asked again {driver.asked_again}, "
        f"faults {dict(driver.faults)}\n"
    )
    kept = driver.faults["kept otherwise"]
    return [_LOST.row(driver.faults.total() - kept), _DAMAGED.row(kept)]


async def at_once(count: int, work: Callable[[int], Awaitable[object]]) -> None:
    """Do ``work`` with each number below ``count``, a few at a time."""
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
