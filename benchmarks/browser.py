"""The browser room beside bare Playwright: cold start, warm searches, memory by contexts.

    python -m benchmarks.browser

The page is the tests' own Google page with scripts that blow it up to some 480 KB and work for a
while, as the real one does. All read the same server with the same Chromium. The floor is the least
that gives the same results: one page, one script that stops the load, no deadline, nothing blocked,
nothing cleared away. The other one is Playwright as its documentation shows it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from tests.loopback import LoopbackServer, replies

from citeseek.browser import BrowserOptions, find_chrome
from citeseek.browser.transport import BrowserTransport
from citeseek.engine import EngineOptions
from citeseek.engines import load
from citeseek.models import Page
from citeseek.query import Query
from citeseek.searching import judge
from citeseek.searching.request import prepare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from contextlib import AbstractAsyncContextManager
    from multiprocessing.connection import Connection

    from playwright.async_api import Browser

    Search: TypeAlias = Callable[[str], Awaitable[int]]
    Contender: TypeAlias = Callable[[str], AbstractAsyncContextManager[Search]]

PAGE = Path(__file__).parents[1] / "tests" / "pages" / "google" / "js_2026.html"
PAGE_BYTES = 482_000
SCRIPT_BYTES = 20_000
SCRIPT_MS = 20
COLD_STARTS = 5
WARM = 50
CONTEXTS = (1, 2, 4, 8)
GOOGLE = load("google")
SECONDS = 20.0
MAX_BYTES = 8_000_000

COLD = Goal("launch to first result, s", "at most", 1.5)
WARM_GOAL = Goal("warm page, p50, ms", "at most", 200)
FLOOR_GOAL = Goal("warm page, p50, times the floor", "at most", 1.25)

STOP_EARLY = """
window.enough = new Promise((resolve) => {
  new MutationObserver(() => {
    if (document.querySelectorAll(SELECTOR).length < COUNT) return;
    window.stop();
    resolve();
  }).observe(document, { childList: true, subtree: true });
});
"""


class Measured(NamedTuple):
    """Seconds from nothing to a first result, and milliseconds of each later search."""

    cold: float
    warm: list[float]


def heavy_page() -> bytes:
    """Return the page followed by scripts that each fill some bytes and some milliseconds."""
    page = PAGE.read_bytes()
    busy = f"{{const end = performance.now() + {SCRIPT_MS}; while (performance.now() < end);}}"
    script = f"<script>{busy}/*{'x' * SCRIPT_BYTES}*/</script>".encode()
    scripts = script * ((PAGE_BYTES - len(page)) // len(script))
    return page.replace(b"</body>", scripts + b"</body>")


def serve(pipe: Connection) -> None:
    """Answer with the page until there is word on ``pipe``, in a process of its own."""
    with LoopbackServer() as server:
        server.otherwise(replies.html(heavy_page()))
        pipe.send(server.base_url)
        pipe.recv()


@contextmanager
def site() -> Iterator[str]:
    """Run the server; give its address."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join()


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Start Chromium as Playwright does by default."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chrome())
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def floor(url: str) -> AsyncIterator[Search]:
    """Search with one page whose load is stopped by a script."""
    asked, _ = prepare(GOOGLE, Query.of("x"), EngineOptions(base_url=url))
    script = STOP_EARLY.replace("SELECTOR", repr(asked.settled)).replace("COUNT", str(asked.enough))
    async with launched() as browser:
        page = await browser.new_page()
        await page.add_init_script(script)

        async def search(text: str) -> int:
            await page.goto(f"{url}/search?q={text}", wait_until="commit")
            await page.evaluate("() => window.enough")
            return results(Page(url=url, body=(await page.content()).encode()))

        yield search


@asynccontextmanager
async def plain(url: str) -> AsyncIterator[Search]:
    """Open a context for each search and wait for the whole load."""
    async with launched() as browser:

        async def search(text: str) -> int:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(f"{url}/search?q={text}")
            html = (await page.content()).encode()
            await context.close()
            return results(Page(url=url, body=html))

        yield search


@asynccontextmanager
async def citeseek(url: str) -> AsyncIterator[Search]:
    """Search through the browser room."""
    transport = BrowserTransport(BrowserOptions(start_seconds=SECONDS))
    try:
        yield lambda text: search_with(transport, url, text)
    finally:
        await transport.close()


CONTENDERS: dict[str, Contender] = {
    "floor: one page, stopped early": floor,
    "Playwright, a context each, until load": plain,
    "citeseek": citeseek,
}


async def search_with(transport: BrowserTransport, url: str, text: str, session: str = "") -> int:
    """Search once through the browser room."""
    request, _ = prepare(GOOGLE, Query.of(text), EngineOptions(base_url=url))
    return results(
        await transport.send(request, seconds=SECONDS, max_bytes=MAX_BYTES, session=session)
    )


def results(page: Page) -> int:
    """Return the number of results; a page without any is an error."""
    return len(judge.read(GOOGLE, page))


async def measure(contender: Contender, url: str) -> Measured:
    """Start ``contender`` several times and have the last one search again and again."""
    cold = []
    warm = []
    for start in range(COLD_STARTS):
        began = time.perf_counter()
        async with contender(url) as search:
            await search("first")
            cold.append(time.perf_counter() - began)
            if start == COLD_STARTS - 1:
                for number in range(WARM):
                    began = time.perf_counter()
                    await search(f"warm-{number}")
                    warm.append((time.perf_counter() - began) * 1000)
    return Measured(statistics.median(cold), warm)


async def memory(url: str) -> dict[int, float]:
    """Return the memory in MB by the number of sessions that have searched."""
    transport = BrowserTransport(BrowserOptions(start_seconds=SECONDS))
    taken = {}
    for session in range(1, CONTEXTS[-1] + 1):
        await search_with(transport, url, "x", session=str(session))
        if session in CONTEXTS:
            taken[session] = megabytes()
    await transport.close()
    return taken


def megabytes() -> float:
    """Return what the processes of the browser hold, shared memory counted once, in MB."""
    import psutil

    total = 0
    servers = {process.pid for process in multiprocessing.active_children()}
    for child in psutil.Process().children(recursive=True):
        # Chromium starts and ends processes as it likes.
        with suppress(psutil.NoSuchProcess):
            total += child.memory_full_info().pss if child.pid not in servers else 0
    return total / 1e6


def row(name: str, measured: Measured) -> tuple[str, ...]:
    """Return a line of the first table."""
    p95 = statistics.quantiles(measured.warm, n=20)[-1]
    p50 = statistics.median(measured.warm)
    return name, f"{measured.cold:.2f}", f"{p50:.0f}", f"{p95:.0f}"


def main() -> None:
    """Measure and print the tables."""
    require("playwright", "psutil")
    with site() as url:
        measured = {
            name: asyncio.run(measure(contender, url)) for name, contender in CONTENDERS.items()
        }
        by_contexts = asyncio.run(memory(url))
    header = ("browser", "launch to first result, s", "warm p50, ms", "warm p95, ms")
    print(table(header, [row(*pair) for pair in measured.items()]))
    print()
    contexts = [(str(count), f"{taken:.0f}") for count, taken in by_contexts.items()]
    print(table(("contexts", "memory of all processes, MB"), contexts))
    print()
    ours, least = measured["citeseek"], measured["floor: one page, stopped early"]
    warm = statistics.median(ours.warm)
    ratio = warm / statistics.median(least.warm)
    print(table(GOAL_HEADER, [COLD.row(ours.cold), WARM_GOAL.row(warm), FLOOR_GOAL.row(ratio)]))


if __name__ == "__main__":
    main()
