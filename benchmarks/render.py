"""What rendering a page adds to fetching it, beside bare Playwright.

    python -m benchmarks.render

The page is a shell whose script asks for its article, with a stylesheet, pictures and a script in a
file. All read one server on loopback with the same Chromium. The floor is the network alone: the
page, its script and its data fetched by our client, one after the other. The peer is Playwright as
its documentation shows it. Each round reads once with each of them.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from tests.loopback import LoopbackServer, Reply, replies

from citeseek import Client, Settings
from citeseek.browser import find_chrome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import TypeAlias

    Read: TypeAlias = Callable[[], Awaitable[str]]

ROUNDS = 30
TEXT = "Green tea is made from leaves that are heated soon after they are picked. "
LAST = "Water for it is poured at about seventy degrees and no more."
PATHS = ("/tea", "/app.js", "/api/article")
START_SECONDS = 30
# The next context is made ready while nobody waits; a reader of answers pauses longer.
PAUSE = 0.5

ADDED = Goal("rendering, above the network, p50, ms", "at most", 700)


def serve(server: LoopbackServer) -> None:
    """Script the site."""
    pictures = "".join(f"<img src=/{n}.png>" for n in range(20))
    server.on(
        "/tea",
        replies.html(
            "<title>Tea</title><link rel=stylesheet href=/style.css><div id=root></div>"
            f"{pictures}<script src=/app.js></script>"
        ),
    )
    render = "fetch('/api/article').then(r => r.json()).then(a => root.innerHTML = a.html);"
    app = f"/*{'x' * 300_000}*/ {render}"
    server.on("/app.js", Reply(200, {"Content-Type": "text/javascript"}, app))
    html = "".join(f"<p>{TEXT * 5}</p>" for _ in range(30)) + f"<p>{LAST}</p>"
    server.on(
        "/api/article", Reply(200, {"Content-Type": "application/json"}, json.dumps({"html": html}))
    )
    server.on("/style.css", Reply(200, {"Content-Type": "text/css"}, "p { margin: 1em }"))


@asynccontextmanager
async def citeseek(server: LoopbackServer, render: str, path: str) -> AsyncIterator[Read]:
    """Read through a client."""
    fetch = {"allow": ["127.0.0.0/8"], "fetch_delay_seconds": 0, "render": render}
    config = {"web": {"fetch": fetch}, "browser": {"start_seconds": START_SECONDS}}
    async with Client(Settings.load(config=config, agents={}, env={})) as client:

        async def read() -> str:
            return (await client.fetch(server.url(path), fresh=True)).text

        yield read


@asynccontextmanager
async def network(server: LoopbackServer) -> AsyncIterator[Read]:
    """Fetch what the page is made of and read its data as text."""
    async with AsyncExitStack() as stack:
        reads = [await stack.enter_async_context(citeseek(server, "off", one)) for one in PATHS[1:]]

        async def read() -> str:
            return "".join([await one() for one in reads])

        yield read


@asynccontextmanager
async def plain(server: LoopbackServer) -> AsyncIterator[Read]:
    """Open a context for each page and wait until its network is idle."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chrome())

        async def read() -> str:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(server.url("/tea"), wait_until="networkidle")
            text = await page.inner_text("body")
            await context.close()
            return text

        yield read
        await browser.close()


async def measure(readers: dict[str, Read], pause: float) -> dict[str, list[float]]:
    """Return the milliseconds of each reader in each round."""
    took: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(ROUNDS):
        for name, read in readers.items():
            await asyncio.sleep(pause)
            began = time.perf_counter()
            text = await read()
            if LAST not in text:
                raise RuntimeError(f"{name} did not read the article")
            took[name].append((time.perf_counter() - began) * 1000)
    return took


async def main() -> None:
    """Measure and say it."""
    require("playwright")
    with LoopbackServer() as server:
        serve(server)
        async with (
            network(server) as floor,
            citeseek(server, "auto", "/tea") as ours,
            plain(server) as peer,
        ):
            began = time.perf_counter()
            await ours()
            cold = (time.perf_counter() - began) * 1000
            await floor()
            readers = {
                "network: script and data, by our client": floor,
                "citeseek, rendered": ours,
                "Playwright, a context each, until its network is idle": peer,
            }
            took = await measure(readers, PAUSE)
            at_once = await measure({"citeseek": ours}, 0)
    rows = [
        (name, f"{statistics.median(ms):.0f}", f"{statistics.quantiles(ms, n=20)[-1]:.0f}")
        for name, ms in {**took, "citeseek, one right after the other": at_once["citeseek"]}.items()
    ]
    print(table(("reader", "p50, ms", "p95, ms"), rows))
    print(f"\nThe first page, with the start of the browser: {cold:.0f} ms.\n")
    least = statistics.median(took["network: script and data, by our client"])
    added = statistics.median(took["citeseek, rendered"]) - least
    print(table(GOAL_HEADER, [ADDED.row(added)]))


if __name__ == "__main__":
    asyncio.run(main())
