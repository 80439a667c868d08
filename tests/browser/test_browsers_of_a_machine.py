"""Browsers of several processes of a machine: so many and no more, renewed, and gone with them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import PATIENCE, Open, get
from tests.browser.processes import browsers, started_with, until, wait_until
from tests.loopback import LoopbackServer, faults, replies
from tests.serving.command import serving

from citeseek.browser.machine_places import MachinePlace, MachinePlaces
from citeseek.browser.process_tree import tree_megabytes

pytestmark = [
    pytest.mark.release,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="places are counted on Linux alone"),
]

PAGE = replies.html("<!doctype html><p>Text</p>")
# Takes a place of the scope that is given, says so, and holds it.
HOLDER = """
import asyncio, sys
from citeseek.browser.machine_places import MachinePlaces
async def main():
    place = await MachinePlaces(1, sys.argv[1]).take()
    print("held", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def taken(places: MachinePlaces) -> MachinePlace:
    async with asyncio.timeout(PATIENCE):
        place = await places.take()
    assert place is not None
    return place


async def test_there_are_so_many_places_and_who_waits_gets_the_next(tmp_path: Path) -> None:
    one, other = (MachinePlaces(2, str(tmp_path)) for _ in range(2))
    first, second = await taken(one), await taken(other)
    wanted = asyncio.Event()
    second.on_wanted = wanted.set
    waiting = asyncio.create_task(taken(one))
    await wanted.wait()
    await until(lambda: first.is_wanted)
    assert not waiting.done()
    second.leave()
    third = await waiting
    await until(lambda: not first.is_wanted)
    # Of another scope there are others.
    (await taken(MachinePlaces(1, f"{tmp_path}/other"))).leave()
    first.leave()
    third.leave()
    third.leave()


async def test_who_waits_no_longer_wants_no_place(tmp_path: Path) -> None:
    places = MachinePlaces(1, str(tmp_path))
    held = await taken(places)
    waiting = asyncio.create_task(taken(places))
    await until(lambda: held.is_wanted)
    waiting.cancel()
    await until(lambda: not held.is_wanted)
    held.leave()


async def test_a_place_is_free_when_its_process_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    holder = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert holder.stdout
    assert await holder.stdout.readline() == b"held\n"
    waiting = asyncio.create_task(taken(MachinePlaces(1, str(tmp_path))))
    await asyncio.sleep(0)
    assert not waiting.done()
    holder.kill()
    await holder.wait()
    (await waiting).leave()


@pytest.mark.browser
async def test_a_browser_makes_room_for_that_of_another(
    open_browser: Open, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("citeseek.browser.lifecycle.TURN_SECONDS", 0.5)
    server.on("/search", PAGE)
    several = [open_browser(max_browsers=1, scope=str(tmp_path)) for _ in range(3)]
    for _ in range(2):
        pages = await asyncio.gather(*(get(each, server.url("/search")) for each in several))
        assert all(b"Text" in one.body for one in pages)
    assert len(browsers()) <= 1


@pytest.mark.browser
async def test_who_searches_is_not_interrupted_by_who_waits(
    open_browser: Open, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("citeseek.browser.lifecycle.TURN_SECONDS", 0.1)
    server.on("/search", PAGE)
    server.on("/slow", faults.hang(), PAGE)
    one, other = (open_browser(max_browsers=1, scope=str(tmp_path)) for _ in range(2))
    slow = asyncio.ensure_future(get(one, server.url("/slow")))
    await server.requests.reach(1)
    (first,) = browsers()
    waiting = asyncio.ensure_future(get(other, server.url("/search")))
    held = one._alive()
    assert held is not None
    place = held.place
    assert place is not None
    await until(lambda: place.is_wanted and one._is_leaving)
    assert browsers() == {first}
    slow.cancel()
    assert b"Text" in (await waiting).body
    assert first not in browsers()


@pytest.mark.browser
@pytest.mark.parametrize("worn", [{"max_uses": 3}, {"max_memory_mb": 1}], ids=str)
async def test_a_worn_browser_is_replaced_and_no_search_fails(
    open_browser: Open, server: LoopbackServer, worn: dict[str, Any]
) -> None:
    server.on("/search", PAGE)
    browser = open_browser(**worn)
    await get(browser, server.url("/search"))
    first = browsers()
    if "max_memory_mb" in worn:
        assert tree_megabytes(next(iter(first))) > 20
    for _ in range(4):
        pages = (get(browser, server.url("/search")) for _ in range(3))
        assert all(b"Text" in one.body for one in await asyncio.gather(*pages))
    await until(lambda: not first & browsers())


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder for temporary files whose path is short; a browser's socket lies in it."""
    made = Path(tempfile.mkdtemp(prefix="citeseek-"))
    yield made
    shutil.rmtree(made)


@pytest.mark.browser
@pytest.mark.valkey
@pytest.mark.parametrize("victims", ["all", "one worker"])
def test_a_killed_server_takes_its_browsers_with_it(
    chrome: str, folder: Path, server: LoopbackServer, tmp_path: Path, victims: str
) -> None:
    from tests.shared_state.server import ValkeyServer  # with a server of Redis alone

    server.on("/search", faults.hang())
    config = tmp_path / "config.json"
    chosen = {"executable": chrome, "start_seconds": 60, "max_browsers": 1}
    engines = {"google": {"base_url": server.base_url}}
    config.write_text(json.dumps({"engines": engines, "browser": chosen}))
    (tmp_path / "valkey").mkdir()
    with (
        ValkeyServer(tmp_path / "valkey") as valkey,
        ThreadPoolExecutor() as pool,
        serving(
            tmp_path,
            *("--config", str(config), "--workers", "2"),
            alone=True,
            CITESEEK_REDIS_URL=valkey.url,
            CITESEEK_GRACE_SECONDS="0",
            TMPDIR=str(folder),
        ) as running,
    ):
        asked = [
            pool.submit(
                running.call, "GET", f"/api/v1/search?q=tea+{number}&engine=google&timeout=60"
            )
            for number in range(6)
        ]
        server.requests.reach(1).wait()
        workers = running.children()
        owners = {pid for pid in workers if browsers_below(pid)}
        # Of two workers one has the only browser.
        assert len(owners) == 1
        before = browsers_below(*owners)
        assert len(before) == 1
        killed = {running.pid, *workers} if victims == "all" else owners
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not before & started_with(folder))
        if victims == "all":
            wait_until(lambda: not started_with(folder))
        else:
            # Its place is free for whoever waited.
            wait_until(lambda: bool(browsers_below(*running.children())))
            # It waits for none of those who ask, whose engine never answers.
            running.kill(signal.SIGTERM)
            wait_until(lambda: not started_with(folder))
        for each in asked:
            each.exception()
    assert not [one for one in folder.iterdir() if one.name.startswith("playwright")]


def browsers_below(*workers: int) -> set[int]:
    """Return the main processes of the browsers that ``workers`` have started."""
    found, rest = set[int](), list(workers)
    while rest:
        pid = rest.pop()
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                rest += map(int, children.read_text().split())
        with suppress(OSError):
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--user-data-dir=" in line and b"--type=" not in line:
                found.add(pid)
    return found
