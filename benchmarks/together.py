"""Several engines at once, one of which never answers: what the others' results wait for.

    python -m benchmarks.together

Five engines answer after 50 to 800 ms, the sixth hangs; the deadline is 2 s. ddgs is asked for the
two engines that it shares with us and for the hanging one, on the same servers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.peers import require
from benchmarks.report import GOAL_HEADER, Goal, table
from tests.loopback import LoopbackServer, Reply, faults

from citeseek import Client, Settings

PAGES = Path(__file__).parents[1] / "tests" / "pages"
# Page, content type and delay in seconds of each engine; None hangs.
ENGINES = {
    "ddg_html": ("ddg_html/html_results.html", "text/html; charset=utf-8", 0.05),
    "mojeek": ("mojeek/results.html", "text/html; charset=utf-8", 0.2),
    "searxng": ("searxng/search.json", "application/json", 0.4),
    "brave": ("brave/web.json", "application/json", 0.6),
    "serper": ("serper/search.json", "application/json", 0.8),
    "bing_html": None,
}
DEADLINE = 2.0
HEALTHY = 5
QUERY = "bicycle tyre pressure"
RUNS = 7
FASTEST, SLOWEST = 0.05, 0.8

GOALS = {
    "first": Goal("first items, ms after the fastest engine", "at most", 100),
    "quorum": Goal("final answer with --quorum 5, ms after the last engine", "at most", 100),
    "deadline": Goal("final answer without a quorum, ms after the deadline", "at most", 50),
}


def reply(engine: str) -> Reply:
    """Return what the engine's server answers."""
    if ENGINES[engine] is None:
        return faults.hang()
    page, content_type, delay = ENGINES[engine]
    return Reply(200, {"Content-Type": content_type}, (PAGES / page).read_bytes(), delay=delay)


async def ours(urls: dict[str, str]) -> dict[str, float]:
    """Return the median of each time in seconds."""
    config = {
        "engines": {
            name: {"base_url": url, "api_key": "k", "rate_per_minute": 0}
            for name, url in urls.items()
        },
        "search": {"cache_ttl_minutes": 0},
    }
    times: dict[str, list[float]] = {name: [] for name in GOALS}
    for run in range(RUNS + 1):
        # A client each, since an engine that keeps hanging is soon left alone.
        async with Client(Settings.load(config=config, agents={}, env={})) as client:
            began = time.perf_counter()
            arrived = [
                time.perf_counter() - began
                async for _ in client.stream(
                    QUERY, engines=list(urls), quorum=HEALTHY, seconds=DEADLINE
                )
            ]
            began = time.perf_counter()
            await client.search(QUERY, engines=list(urls), seconds=DEADLINE)
            at_deadline = time.perf_counter() - began
        if run:  # the first one imports
            times["first"].append(arrived[0])
            times["quorum"].append(arrived[-1])
            times["deadline"].append(at_deadline)
    return {name: median(values) for name, values in times.items()}


def theirs(urls: dict[str, str]) -> float:
    """Return the median of ddgs' time for two healthy engines and the hanging one."""
    from ddgs import DDGS
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.engines.mojeek import Mojeek
    from ddgs.engines.yahoo import Yahoo

    Duckduckgo.search_url = f"{urls['ddg_html']}/html/"
    Mojeek.search_url = f"{urls['mojeek']}/search"
    Yahoo.search_url = f"{urls['bing_html']}/search"
    times = []
    for _ in range(3):
        began = time.perf_counter()
        # More than one page's worth, so that it has a reason to ask them all.
        DDGS().text(QUERY, backend="duckduckgo, mojeek, yahoo", max_results=30)
        times.append(time.perf_counter() - began)
    return median(times)


def main() -> None:
    """Measure and print both tables."""
    require("ddgs")
    # The hanging engine's failures are the point, and not worth a line each.
    logging.disable()
    with ExitStack() as stack:
        urls = {}
        for name in ENGINES:
            server = stack.enter_context(LoopbackServer())
            server.otherwise(reply(name))
            urls[name] = server.base_url
        measured = asyncio.run(ours(urls))
        peer = theirs(urls)
    floors = {"first": FASTEST, "quorum": SLOWEST, "deadline": DEADLINE}
    names = {"first": "first items", "quorum": "quorum of 5", "deadline": "to the deadline"}
    rows = [
        (f"citeseek, {names[key]}", f"{measured[key] * 1000:.0f}", f"{floors[key] * 1000:.0f}")
        for key in GOALS
    ]
    rows.append(("ddgs, two healthy and one hanging", f"{peer * 1000:.0f}", "200"))
    print(table(("answer", "measured, ms", "ideal, ms"), rows))
    print()
    print(
        table(
            GOAL_HEADER,
            [goal.row((measured[name] - floors[name]) * 1000) for name, goal in GOALS.items()],
        )
    )


if __name__ == "__main__":
    main()
