"""The browser room beside bare Playwright: cold start, warm searches, memory by contexts.

    python -m benchmarks.browser

The page is the tests' own Google page with scripts that blow it up to some 480 KB and work for a
while, as the real one does. Both read the same server with the same Chromium.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import psutil
from benchmarks.report import GOAL_HEADER, Goal, table
from playwright.async_api import async_playwright
from tests.loopback import LoopbackServer, replies

from citeseek import judge
from citeseek.browser import BrowserOptions, BrowserTransport, find_chrome
from citeseek.engine import EngineOptions
from citeseek.engines import load
from citeseek.models import Page
from citeseek.preparation import prepare
from citeseek.query import Query

PAGE = Path(__file__).parents[1] / "tests" / "pages" / "google" / "js_2026.html"
PAGE_BYTES = 482_000
SCRIPT_BYTES = 20_000
SCRIPT_MS = 20
WARM = 50
BARE_WARM = 10
CONTEXTS = (1, 2, 4, 8)
GOOGLE = load("google")
SECONDS = 20.0

COLD = Goal("launch to first result, s", "at most", 1.5)
WARM_GOAL = Goal("warm page, p50, ms", "at most", 200)


def heavy_page() -> bytes:
    """Return the page followed by scripts that each fill some bytes and some milliseconds."""
    page = PAGE.read_bytes()
    busy = f"{{const end = performance.now() + {SCRIPT_MS}; while (performance.now() < end);}}"
    script = f"<script>{busy}/*{'x' * SCRIPT_BYTES}*/</script>".encode()
    scripts = script * ((PAGE_BYTES - len(page)) // len(script))
    return page.replace(b"</body>", scripts + b"</body>")


def megabytes() -> float:
    """Return what the processes of the browser hold, shared memory counted once, in MB."""
    children = psutil.Process().children(recursive=True)
    return sum(child.memory_full_info().pss for child in children) / 1e6


async def ours(url: str) -> tuple[float, list[float], dict[int, float]]:
    """Return the cold start in s, warm searches in ms, and memory by number of contexts."""
    transport = BrowserTransport(BrowserOptions(max_pages=2))
    options = EngineOptions(base_url=url)

    async def search(text: str, session: str = "") -> int:
        request, _ = prepare(GOOGLE, Query.of(text), options)
        page = await transport.send(request, seconds=SECONDS, max_bytes=8_000_000, session=session)
        return len(judge.read(GOOGLE, page))

    began = time.perf_counter()
    await search("first")
    cold = time.perf_counter() - began
    warm = []
    for number in range(WARM):
        began = time.perf_counter()
        await search(f"warm {number}")
        warm.append((time.perf_counter() - began) * 1000)
    memory = {}
    for count in CONTEXTS:
        await asyncio.gather(*(search("more", f"session {n}") for n in range(count)))
        memory[count] = megabytes()
    await transport.close()
    return cold, warm, memory


async def bare(url: str) -> tuple[float, list[float]]:
    """Return the same for Playwright as its documentation shows it."""
    async with async_playwright() as playwright:
        began = time.perf_counter()
        browser = await playwright.chromium.launch(
            executable_path=find_chrome(), args=["--no-sandbox"]
        )

        async def search(text: str) -> int:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(f"{url}/search?q={text}")
            html = (await page.content()).encode()
            await context.close()
            return len(judge.read(GOOGLE, Page(url=url, body=html)))

        await search("first")
        cold = time.perf_counter() - began
        warm = []
        for number in range(BARE_WARM):
            began = time.perf_counter()
            await search(f"warm-{number}")
            warm.append((time.perf_counter() - began) * 1000)
        await browser.close()
    return cold, warm


def row(name: str, cold: float, warm: list[float]) -> tuple[str, ...]:
    """Return a line of the first table."""
    p95 = statistics.quantiles(warm, n=20)[-1]
    return name, f"{cold:.2f}", f"{statistics.median(warm):.0f}", f"{p95:.0f}"


def main() -> None:
    """Measure and print the tables."""
    with LoopbackServer() as server:
        server.otherwise(replies.html(heavy_page()))
        floor_cold, floor_warm = asyncio.run(bare(server.base_url))
        cold, warm, memory = asyncio.run(ours(server.base_url))
    print(
        table(
            ("browser", "launch to first result, s", "warm p50, ms", "warm p95, ms"),
            [
                row("bare Playwright, a context each", floor_cold, floor_warm),
                row("citeseek", cold, warm),
            ],
        )
    )
    print()
    contexts = [(str(count), f"{megabytes:.0f}") for count, megabytes in memory.items()]
    print(table(("contexts", "memory of all processes, MB"), contexts))
    print()
    print(table(GOAL_HEADER, [COLD.row(cold), WARM_GOAL.row(statistics.median(warm))]))


if __name__ == "__main__":
    main()
