"""One browser, from its start to its end: late, shared, replaced, and gone without trace."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest
from tests.browser.conftest import PATIENCE, Open, get
from tests.browser.processes import browsers, children, parent, renderers, traces, until
from tests.loopback import LoopbackServer, Signal, faults, refused_port, replies

from citeseek.browser.browser_options import BrowserOptions
from citeseek.browser.chromium import Chromium
from citeseek.concurrency.background import Chores
from citeseek.errors import NetworkError, Timeout, WebProviderError

pytestmark = [pytest.mark.browser, pytest.mark.release]

PAGE = replies.html("<!doctype html><p>Text</p>")


@pytest.mark.requirement("S4-34")
async def test_the_first_search_starts_the_browser(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    assert not children()
    await get(browser, server.url("/search"))
    assert len(browsers()) == 1


async def test_what_playwright_leaves_out_of_chrome_stays_out(chrome: str, scratch: Path) -> None:
    options, chores = BrowserOptions(start_seconds=PATIENCE), Chores()
    browser = await Chromium.start(options, chrome, chores, lambda: None)
    devtools = await browser.browser.new_browser_cdp_session()
    line = (await devtools.send("SystemInfo.getInfo"))["commandLine"]
    await browser.close()
    theirs, ours = (set(one.split(",")) for one in re.findall(r"--disable-features=(\S+)", line))
    # Of two lists the last holds.
    assert theirs <= ours


@pytest.mark.requirement("S4-36", "S4-37")
async def test_later_searches_use_the_same_browser(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    await get(browser, server.url("/search"))
    first = browsers()
    for _ in range(4):
        await get(browser, server.url("/search"))
        assert browsers() == first


@pytest.mark.requirement("S4-36")
async def test_searches_at_the_same_time_start_one_browser(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    await asyncio.gather(*(get(browser, server.url("/search")) for _ in range(6)))
    assert len(browsers()) == 1
    assert len(server.requests) == 6


async def test_only_so_many_searches_run_at_the_same_time(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", faults.hang())
    browser = open_browser(max_pages=1)
    first = asyncio.ensure_future(get(browser, server.url("/search")))
    await server.requests.reach(1)
    with pytest.raises(Timeout, match="free page"):
        await get(browser, server.url("/search"), seconds=0.3)
    assert len(server.requests) == 1
    first.cancel()


@pytest.mark.parametrize("program", ["exec sleep 60", "sleep 60 & sleep 60"])
@pytest.mark.requirement("S4-35")
async def test_a_start_that_takes_too_long_is_ended(
    open_browser: Open, scratch: Path, tmp_path: Path, program: str
) -> None:
    chrome = tmp_path / "chrome"
    chrome.write_text(f"#!/bin/sh\n{program}\n")
    chrome.chmod(0o755)
    browser = open_browser(executable=str(chrome), start_seconds=1.0)
    began = asyncio.get_running_loop().time()
    with pytest.raises(Timeout, match=r"did not start within 1 s") as caught:
        await get(browser, "http://127.0.0.1:9/")
    assert asyncio.get_running_loop().time() - began < 20
    assert caught.value.detail_code == "browser_start"
    assert not traces(scratch)


async def test_a_program_that_is_no_browser_is_said(open_browser: Open, scratch: Path) -> None:
    browser = open_browser(executable="/bin/false")
    with pytest.raises(WebProviderError, match="/bin/false --headless=new") as caught:
        await get(browser, "http://127.0.0.1:9/")
    assert caught.value.detail_code == "browser_start"
    assert not traces(scratch)


async def test_a_search_that_ends_before_the_start_leaves_the_start_to_the_next(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    with pytest.raises(Timeout, match="the browser to start"):
        await get(browser, server.url("/search"), seconds=0.05)
    await get(browser, server.url("/search"))
    assert len(browsers()) == 1


@pytest.mark.requirement("S4-33", "S4-38", "S4-39")
async def test_closing_leaves_no_process_and_no_folder(
    open_browser: Open, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    await get(browser, server.url("/search"))
    assert traces(scratch)
    await browser.close()
    assert not traces(scratch)


@pytest.mark.requirement("S4-38")
async def test_closing_does_not_wait_for_a_search(
    open_browser: Open, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", faults.hang())
    browser = open_browser()
    search = asyncio.ensure_future(get(browser, server.url("/search")))
    await server.requests.reach(1)
    await browser.close()
    with pytest.raises(NetworkError) as caught:
        await search
    assert caught.value.detail_code == "browser_crashed"
    await browser.close()
    assert not traces(scratch)


@pytest.mark.requirement("S4-38")
async def test_closing_ends_a_start(open_browser: Open, scratch: Path) -> None:
    browser = open_browser()
    search = asyncio.ensure_future(get(browser, "http://127.0.0.1:9/"))
    await until(lambda: bool(children()))
    await browser.close()
    with pytest.raises(NetworkError):
        await search
    assert not traces(scratch)


@pytest.mark.parametrize("who", ["browser", "driver"])
@pytest.mark.requirement("S4-38")
async def test_one_that_does_not_react_is_killed(
    open_browser: Open,
    server: LoopbackServer,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
    who: str,
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    await get(browser, server.url("/search"))
    monkeypatch.setattr("citeseek.browser.chromium.CLOSE_SECONDS", 0.5)
    monkeypatch.setattr("citeseek.browser.chromium.STOP_SECONDS", 0.5)
    (pid,) = browsers()
    os.kill(pid if who == "browser" else parent(pid), signal.SIGSTOP)
    await browser.close()
    assert not traces(scratch)


@pytest.mark.requirement("S4-39")
async def test_an_unused_browser_ends_and_the_next_search_starts_another(
    open_browser: Open, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", PAGE)
    browser = open_browser(idle_seconds=0.1)
    await get(browser, server.url("/search"))
    await until(lambda: not traces(scratch))
    await get(browser, server.url("/search"))


@pytest.mark.requirement("S4-39")
async def test_a_browser_in_use_does_not_end(open_browser: Open, server: LoopbackServer) -> None:
    until_then = Signal()
    server.on("/search", PAGE)
    server.on("/slow", replies.held(PAGE, until_then))
    browser = open_browser(idle_seconds=0.2)
    await get(browser, server.url("/search"))
    first = browsers()
    slow = asyncio.ensure_future(get(browser, server.url("/slow")))
    await server.requests.reach(2)
    asyncio.get_running_loop().call_later(0.5, until_then.set)
    assert b"Text" in (await slow).body
    assert browsers() == first


@pytest.mark.parametrize("victim", ["browser", "driver"])
@pytest.mark.requirement("P32")
async def test_one_that_is_killed_costs_one_search(
    open_browser: Open, server: LoopbackServer, victim: str
) -> None:
    server.on("/search", faults.hang())
    server.on("/good", PAGE)
    browser = open_browser()
    await get(browser, server.url("/good"))
    (pid,) = browsers()
    search = asyncio.ensure_future(get(browser, server.url("/search")))
    await server.requests.reach(2)
    os.kill(pid if victim == "browser" else parent(pid), signal.SIGKILL)
    with pytest.raises(NetworkError) as caught:
        await search
    assert caught.value.detail_code == "browser_crashed"
    assert "The browser crashed" in caught.value.message
    assert b"Text" in (await get(browser, server.url("/good"))).body
    await until(lambda: len(browsers()) == 1)
    assert browsers() != {pid}


async def test_a_page_that_crashes_costs_its_own_search(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", faults.hang())
    server.on("/good", PAGE)
    browser = open_browser()
    await get(browser, server.url("/good"))
    first = browsers()
    search = asyncio.ensure_future(get(browser, server.url("/search")))
    await server.requests.reach(2)
    for process in renderers():
        os.kill(process, signal.SIGKILL)
    with pytest.raises(NetworkError) as caught:
        await search
    assert caught.value.detail_code == "page_crashed"
    assert b"Text" in (await get(browser, server.url("/good"))).body
    assert browsers() == first


async def test_one_that_is_killed_between_searches_costs_none(
    open_browser: Open, server: LoopbackServer, scratch: Path
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    await get(browser, server.url("/search"))
    (pid,) = browsers()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not traces(scratch))
    assert b"Text" in (await get(browser, server.url("/search"))).body


@pytest.mark.requirement("P32")
async def test_the_browser_ends_with_its_last_session(
    open_browser: Open, server: LoopbackServer
) -> None:
    server.on("/search", PAGE)
    browser = open_browser()
    for session in ("one", "two"):
        await get(browser, server.url("/search"), session=session)
    await browser.end_session("one")
    assert len(browsers()) == 1
    await browser.end_session("two")
    assert not children()


async def test_sessions_in_memory_are_bounded(
    open_browser: Open, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeseek.browser.sessions.MAX_SESSIONS", 2)
    server.on("/search", PAGE)
    browser = open_browser()
    for session in ("one", "two", "three", "four"):
        await get(browser, server.url("/search"), session=session)
    running = (await browser._running()).browser
    await until(lambda: len(running.contexts) == 2)


async def test_a_worn_context_is_replaced_and_its_cookies_stay(
    open_browser: Open, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeseek.browser.sessions.READS_PER_CONTEXT", 2)
    server.on("/search", PAGE)
    server.on("/first", replies.html("<script>document.cookie = 'seen=before'</script>"))
    browser = open_browser()
    await get(browser, server.url("/first"))
    before = renderers()
    await get(browser, server.url("/search"))
    await until(lambda: bool(renderers()) and not renderers() & before)
    await get(browser, server.url("/search"))
    assert server.requests[-1].headers["cookie"] == "seen=before"


async def test_a_remote_browser_that_is_not_there_is_said(open_browser: Open) -> None:
    with refused_port() as port:
        browser = open_browser(cdp_url=f"http://127.0.0.1:{port}")
        with pytest.raises(NetworkError, match="remote browser") as caught:
            await get(browser, "http://127.0.0.1:9/")
    assert caught.value.detail_code == "browser_start"
    assert not children()
