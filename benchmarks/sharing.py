"""What several servers keep together: equal searches, a limit, a breaker, a report."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

import httpx
import psycopg
from benchmarks.deployment import Deployment
from benchmarks.report import Goal
from tests.jobs.library import NAMES, QUESTION, Library, Worker, worker
from tests.loopback import LoopbackServer, Reply

EQUAL = 200
PER_MINUTE = 20
MINUTE = 60.0
# So often somebody searches at an engine that may be asked so many times a minute.
SEARCH_SECONDS = 0.5
LIMITED, REFUSING, EQUALLY = "hackernews", "marginalia", "searxng"
_JSON = {"Content-Type": "application/json"}
_PAGES = Path(__file__).parents[1] / "tests" / "pages"

_SENT_ONCE = Goal(f"requests to an engine for {EQUAL} equal searches", "at most", 1)
_WINDOW = Goal(f"requests in any 60 s, of {PER_MINUTE} a minute", "at most", PER_MINUTE)
_BREAKER = Goal("requests to an engine 1 s after it refused one server, or later", "at most", 0)
_TAKEN_OVER = Goal("report of a killed worker begun again, s", "at most", 15)
_TWICE = Goal("pages of its journal that were asked for again", "at most", 0)


class Engines:
    """Engines on loopback, and the configuration in which they are found."""

    def __init__(self) -> None:
        self.servers = {name: LoopbackServer() for name in (LIMITED, REFUSING, EQUALLY)}
        # When each was asked, by the monotonic clock.
        self.asked_at: dict[str, list[float]] = {name: [] for name in self.servers}
        found = {"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]}
        self._bodies = {
            EQUALLY: json.dumps(found).encode(),
            **{
                name: _PAGES.joinpath(name, "results.json").read_bytes()
                for name in (LIMITED, REFUSING)
            },
        }

    def __enter__(self) -> Self:
        for name, server in self.servers.items():
            server.__enter__()
            server.otherwise(lambda request, name=name: self._answer(name, request))
        return self

    def __exit__(self, *told: object) -> None:
        for server in self.servers.values():
            server.__exit__(*told)

    @property
    def config(self) -> dict[str, Any]:
        """The settings of a server that asks them."""
        engines: dict[str, dict[str, Any]] = {
            name: {"base_url": server.base_url} for name, server in self.servers.items()
        }
        engines[LIMITED]["rate_per_minute"] = PER_MINUTE
        return {"engines": engines}

    def refuse(self) -> None:
        """Let the one that refuses do so from now on."""
        self.servers[REFUSING].otherwise(lambda _: self._refusal())

    def _answer(self, name: str, request: Any) -> Reply:
        # A server that starts looks whether its engine is well.
        if name != EQUALLY or request.param("q") == "equal":
            self.asked_at[name].append(time.monotonic())
        return Reply(200, _JSON, self._bodies[name])

    def _refusal(self) -> Reply:
        self.asked_at[REFUSING].append(time.monotonic())
        return Reply(429, {"Retry-After": "60"})


async def share(
    deployment: Deployment, client: httpx.AsyncClient, engines: Engines
) -> list[tuple[str, ...]]:
    """Return what the servers of ``deployment`` kept together of equal searches and a breaker."""
    one = asyncio.gather(*(search(deployment, client, EQUALLY, "equal") for _ in range(EQUAL)))
    assert {answer.status_code for answer in await one} == {200}  # noqa: S101 - else nothing is shown
    sent = len(engines.asked_at[EQUALLY])
    for number, server in enumerate(deployment.servers):
        # Each knows the engine as one that is well.
        await client.get(_search(server.url, REFUSING, f"well {number}"))
    engines.refuse()
    await client.get(_search(deployment.servers[0].url, REFUSING, "refused"))
    opened = time.monotonic()
    until, number = opened + 4.0, 0
    while time.monotonic() < until:
        number += 1
        await search(deployment, client, REFUSING, f"later {number}")
        await asyncio.sleep(0.05)
    late = [at for at in engines.asked_at[REFUSING] if at > opened + 1.0]
    return [_SENT_ONCE.row(sent), _BREAKER.row(len(late))]


async def search_on(deployment: Deployment, client: httpx.AsyncClient) -> None:
    """Search at the engine with a limit, through one server after the other, until cancelled."""
    number = 0
    while True:
        number += 1
        # Its server may have been killed.
        with suppress(httpx.HTTPError):
            await search(deployment, client, LIMITED, f"tea {number}")
        await asyncio.sleep(SEARCH_SECONDS)


def limit_row(engines: Engines) -> tuple[str, ...]:
    """Return how many requests the engine with a limit got in the fullest minute."""
    return _WINDOW.row(most_within(engines.asked_at[LIMITED], MINUTE))


def most_within(times: Sequence[float], seconds: float) -> int:
    """Return how many of ``times``, which ascend, are the most that lie within ``seconds``."""
    return max(
        (
            sum(1 for at in times[first:] if at < begin + seconds)
            for first, begin in enumerate(times)
        ),
        default=0,
    )


async def take_over(deployment: Deployment, client: httpx.AsyncClient) -> list[tuple[str, ...]]:
    """Kill the worker of a report, and return when another goes on and what it asks again."""
    env = {"CITESEEK_DATABASE_URL": deployment.database}
    with LoopbackServer() as web, ExitStack() as stack:
        library = Library(web)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        south = library.hold("south")
        path = f"{deployment.next_url()}/api/v1/research"
        asked = await client.post(path, json={"question": QUESTION, "max_sources": len(NAMES)})
        report = f"{path}/{asked.raise_for_status().json()['id']}"

        async def start() -> Worker:
            return await asyncio.to_thread(stack.enter_context, worker(library, folder, **env))

        first = await start()
        await _until(lambda: asyncio.to_thread(_is_held, library, deployment.database))
        await start()
        first.end(signal.SIGKILL)
        killed = time.monotonic()

        async def is_begun_again() -> bool:
            return bool((await client.get(report)).json()["attempt"] > 1)

        async def is_over() -> bool:
            return (await client.get(report)).json()["state"] not in ("queued", "running")

        await _until(is_begun_again)
        took = time.monotonic() - killed
        south.set()
        await _until(is_over)
        asked_for = library.asked()
    again = sum(asked_for[each] - 1 for each in ("search", *NAMES) if each != "south")
    return [_TAKEN_OVER.row(took), _TWICE.row(again)]


async def _until(look: Callable[[], Awaitable[bool]]) -> None:
    while not await look():  # noqa: ASYNC110 - other processes set no event
        await asyncio.sleep(0.1)


def _is_held(library: Library, database: str) -> bool:
    """Whether all but the page that is held back is in the journal."""
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(*) FROM report_answers").fetchone()
    return bool(library.asked()["south"] and row and row[0] == len(NAMES))


async def search(
    deployment: Deployment, client: httpx.AsyncClient, engine: str, query: str
) -> httpx.Response:
    """Search through the server whose turn it is."""
    return await client.get(_search(deployment.next_url(), engine, query))


def _search(url: str, engine: str, query: str) -> str:
    return f"{url}/api/v1/search?q={query.replace(' ', '+')}&engine={engine}&timeout=2"
