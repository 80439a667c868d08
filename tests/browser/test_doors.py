"""One client and one browser for callers of every kind; whoever closes it, nothing is left."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browser.conftest import empty_in_the_end
from tests.browser.processes import PATIENCE, browsers, started_with, traces, wait_until
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, faults, replies

from citeseek import Client
from citeseek.errors import NetworkError, SearchFailed
from citeseek.faces import BROWSER

pytestmark = [pytest.mark.browser, pytest.mark.release]

FIRST = replies.html(page("google/js_2026.html"))
NEXT = replies.html(page("google/basic_2024.html"))


@pytest.fixture
def client(chrome: str, scratch: Path, server: LoopbackServer) -> Client:
    """Return a client whose Google is the loopback server; the test closes it."""
    browser = {"executable": chrome, "start_seconds": PATIENCE, "timeout_seconds": PATIENCE}
    engines = {"google": {"base_url": server.base_url}}
    return Client(settings({"engines": engines, "browser": browser}))


def test_a_sync_search_reads_further_pages_and_an_async_one_uses_its_browser(
    client: Client, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", FIRST, NEXT)
    assert client.search_sync("tyre", face=BROWSER).count == 10
    asked = [request for request in server.requests if request.path == "/search"]
    assert [request.param("start") for request in asked] == ["", "10"]
    first = browsers()
    assert len(first) == 1

    async def then() -> None:
        async with client:
            assert (await client.search("tea", face=BROWSER, session="mine")).items
            assert browsers() == first
            await client.end_session("mine")
            await client.end_session("")
            assert not browsers()
            assert client.search_sync("cup", face=BROWSER).items

    asyncio.run(then())
    assert not traces(scratch)


def test_a_browser_outlives_the_loop_that_first_used_it(
    client: Client, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", FIRST)
    for query in ("one", "two"):
        assert asyncio.run(client.search(query, face=BROWSER)).items
    assert len(browsers()) == 1
    asyncio.run(client.close())
    assert not traces(scratch)


def test_a_loop_that_stands_still_keeps_nobody_from_closing(
    client: Client, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", FIRST)
    with asyncio.Runner() as idle:
        assert idle.run(client.search("tea", face=BROWSER)).items
        with asyncio.Runner() as other:
            other.run(client.close())
        assert not traces(scratch)


async def test_closing_ends_a_sync_search_in_the_browser(
    client: Client, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", faults.hang())

    def search() -> SearchFailed:
        with pytest.raises(SearchFailed) as caught:
            client.search_sync("tea", face=BROWSER, seconds=PATIENCE)
        return caught.value

    searching = asyncio.create_task(asyncio.to_thread(search))
    await server.requests.reach(1)
    await client.close()
    failure = await searching
    assert isinstance(failure, NetworkError)
    assert failure.detail_code == "browser_crashed"
    assert not traces(scratch)


PROGRAM = """
import asyncio, sys
from citeseek import Client, Settings
from citeseek.faces import BROWSER

browser = {"start_seconds": 60, "timeout_seconds": 60}
config = {"engines": {"google": {"base_url": sys.argv[1]}}, "browser": browser}
client = Client(Settings.load(config=config, agents={}, env={"CHROME_PATH": sys.argv[2]}))
assert client.search_sync("tea", face=BROWSER).items
assert asyncio.run(client.search("cup", face=BROWSER)).items
"""


@pytest.mark.parametrize("then", ["", "1 / 0", "asyncio.run(client.close())"])
@pytest.mark.requirement("S4-38")
def test_a_program_that_ends_takes_the_browser_with_it(
    chrome: str, server: LoopbackServer, then: str
) -> None:
    server.on("/search", FIRST)
    with empty_in_the_end() as folder:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM + then, server.base_url, chrome],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        wait_until(lambda: not started_with(folder) and not any(folder.iterdir()))
    assert done.returncode == (1 if then == "1 / 0" else 0), done.stderr
    assert ("ZeroDivisionError" in done.stderr) if then == "1 / 0" else not done.stderr
    assert "Exception ignored" not in done.stderr
