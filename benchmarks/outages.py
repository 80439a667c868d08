"""Stores that are away for a moment: what servers say meanwhile, and when all is well again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx
from benchmarks.deployment import Deployment
from benchmarks.report import Goal
from redis import Redis

# What is away is away for so long, so that each server finds out.
AWAY_SECONDS = 1.0
PATIENCE_SECONDS = 60.0
_FILLING = 60_000_000

_WELL = "all servers answer again after {}, s"
_TOLD = Goal("questions while it was away that were not refused with Retry-After", "at most", 0)
_SEARCHES = Goal("searches that failed while it was away", "at most", 0)


@dataclass(frozen=True)
class Outage:
    """What happens to a store, and what ends it; nobody is refused when it ends at once."""

    name: str
    begin: Callable[[Deployment], None]
    end: Callable[[Deployment], None]
    refuses: bool = True


def _fill(deployment: Deployment) -> None:
    with Redis.from_url(deployment.valkey.url) as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] + _FILLING // 2)
        client.setrange("filling", _FILLING, b"x")


def _make_room(deployment: Deployment) -> None:
    with Redis.from_url(deployment.valkey.url) as client:
        client.delete("filling")
        client.config_set("maxmemory", 0)


def _restart_valkey(deployment: Deployment) -> None:
    deployment.valkey.stop()
    deployment.valkey.start()


def _restart_postgres(deployment: Deployment) -> None:
    deployment.postgres.stop()
    deployment.postgres.start()


def _nothing(_: Deployment) -> None:
    """Do nothing: it was over at once."""


OUTAGES = (
    Outage("Valkey was stopped", lambda d: d.valkey.stop(), lambda d: d.valkey.start()),
    Outage("Valkey was paused", lambda d: d.valkey.pause(), lambda d: d.valkey.resume()),
    Outage("Valkey was full", _fill, _make_room),
    Outage("Valkey was restarted", _restart_valkey, _nothing, refuses=False),
    Outage("Valkey was emptied", lambda d: d.valkey.empty(), _nothing, refuses=False),
    Outage("Postgres was stopped", lambda d: d.postgres.stop(), lambda d: d.postgres.start()),
    Outage("Postgres was restarted", _restart_postgres, _nothing, refuses=False),
)


async def outlast(deployment: Deployment, client: httpx.AsyncClient) -> list[tuple[str, ...]]:
    """Return for each outage when all was well again, and what was not as it should be."""
    rows, unrefused, failed = [], 0, 0
    for outage in OUTAGES:
        await asyncio.to_thread(outage.begin, deployment)
        if outage.refuses:
            await asyncio.sleep(AWAY_SECONDS)
            for answer in await asyncio.gather(*(_ask(s.url, client) for s in deployment.servers)):
                is_told = answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
                unrefused += not (is_told and "Retry-After" in answer.headers)
            for server in deployment.servers:
                url = f"{server.url}/api/v1/search?q={outage.name.replace(' ', '+')}&engine=stub"
                failed += (await client.get(url)).status_code != httpx.codes.OK
        await asyncio.to_thread(outage.end, deployment)
        back = time.monotonic()
        await asyncio.gather(*(_until_answered(s.url, client) for s in deployment.servers))
        goal = Goal(_WELL.format(outage.name), "at most", 5)
        rows.append(goal.row(time.monotonic() - back))
    return [*rows, _TOLD.row(unrefused), _SEARCHES.row(failed)]


async def _ask(url: str, client: httpx.AsyncClient) -> httpx.Response:
    """Ask in a new conversation; one that cannot be made is the answer."""
    made = await client.post(f"{url}/api/v1/sessions", json={"search": False})
    if made.status_code != httpx.codes.CREATED:
        return made
    path = f"{url}/api/v1/sessions/{made.json()['id']}/messages"
    return await client.post(path, json={"text": "Question"})


async def _until_answered(url: str, client: httpx.AsyncClient) -> None:
    """Return when a question was taken and its answer was read to the end."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        begun = await _ask(url, client)
        if begun.status_code == httpx.codes.ACCEPTED:
            told = await client.get(f"{url}{begun.json()['events']}")
            if "event: done" in told.text:
                return
        await asyncio.sleep(0.1)
