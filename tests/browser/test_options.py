"""Options: a browser that runs elsewhere, one behind a proxy, one under another name."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory

import pytest
from tests.browser.conftest import Open, get
from tests.loopback import LoopbackProxy, LoopbackServer, replies

pytestmark = [pytest.mark.browser, pytest.mark.release]

PAGE = replies.html("<!doctype html><p>Text</p>")


@pytest.fixture
async def remote(chrome: str) -> AsyncIterator[str]:
    """Return the DevTools address of a browser that somebody else started."""
    with TemporaryDirectory(prefix="citeseek-") as folder:
        async with _started(chrome, folder) as address:
            yield address


@asynccontextmanager
async def _started(chrome: str, folder: str) -> AsyncIterator[str]:
    running = await asyncio.create_subprocess_exec(
        chrome,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-startup-window",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": folder},
    )
    assert running.stderr
    async for line in running.stderr:
        if line.startswith(b"DevTools listening on "):
            yield line.split()[-1].decode()
            break
    running.terminate()
    await running.communicate()


async def test_a_remote_browser_is_used_and_outlives_us(
    open_browser: Open, server: LoopbackServer, remote: str
) -> None:
    server.on("/search", PAGE)
    for _ in range(2):
        browser = open_browser(cdp_url=remote)
        assert b"Text" in (await get(browser, server.url("/search"))).body
        await browser.close()


async def test_all_requests_but_those_of_trackers_go_through_the_proxy(
    open_browser: Open, server: LoopbackServer
) -> None:
    from citeseek.browser.tab import TRACKERS

    scripts = "".join(
        f'<script src="http://{host}/t.js"></script><script src="http://www.{host}/t.js"></script>'
        for host in TRACKERS
    )
    server.on("/search", replies.html(f"<!doctype html>{scripts}<script src='/own.js'></script>"))
    upstream = (server.host, server.port)
    with LoopbackProxy(username="me", password="p@ss", upstream=upstream) as proxy:
        browser = open_browser(proxy=proxy.url.replace("p@ss", "p%40ss"))
        page = await get(browser, "http://site.test/search")
    assert page.url == "http://site.test/search"
    assert {request.target for request in proxy.requests} == {
        "http://site.test/search",
        "http://site.test/own.js",
    }


async def test_user_agent_and_language_are_the_settings_own(
    open_browser: Open, server: LoopbackServer
) -> None:
    script = "document.body.append(navigator.userAgent + ' ' + navigator.language)"
    server.on("/search", replies.html(f"<!doctype html><body><script>{script}</script>"))
    browser = open_browser(user_agent="Reader/2", language="zh-CN")
    page = await get(browser, server.url("/search"))
    assert server.requests[0].headers["user-agent"] == "Reader/2"
    assert server.requests[0].headers["accept-language"].startswith("zh-CN")
    assert b"Reader/2 zh-CN" in page.body
