"""Agent mode: the numbers that a model is shown, and where they lead in the answer.

The real agent asks a real server, which plays the model, and searches on another, which plays
SearXNG. The agent is a configured one: its searches show up to ten results.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any, cast

import msgspec
from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.loopback.completions import streamed
from tests.loopback.turns import Call, Turn

from citeseek import Settings
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done
from tools.cases import Case
from tools.cases.expectations import differences
from tools.cases.rendered import Rendered

_EVERY = "every shown number once"
_SHOWN = re.compile(r"^\[(\d+)\] .*<(\S+)>$", re.MULTILINE)
_AGENT = {"enabled": True, "provider": "searxng", "maxResults": 10}


class Run(msgspec.Struct):
    """A run of the agent: ``shown`` are numbers and addresses in the tool's texts, by search."""

    searches: list[dict[str, Any]]
    answer: str
    is_parallel: bool
    shown: list[list[tuple[int, str]]] = []
    asked: list[dict[str, Any]] = []

    def think(self, request: Request) -> Reply:
        """Be the model: search what is left to search, then answer."""
        body = cast("dict[str, Any]", request.json())
        texts = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        self.shown = [[(int(n), url) for n, url in _SHOWN.findall(text)] for text in texts]
        left = self.searches[len(texts) :]
        if not left:
            numbers = sorted({number for shown in self.shown for number, _ in shown})
            marks = " ".join(f"fact [{number}]." for number in numbers)
            return streamed(Turn((marks if self.answer == _EVERY else self.answer,), chunk=2))
        asked = left if self.is_parallel else left[:1]
        calls = (
            Call(f"call_{place}", "web_search", {"query": search["query"]})
            for place, search in enumerate(asked, len(texts))
        )
        return streamed(Turn(tuple(calls)))

    def find(self, request: Request) -> Reply:
        """Be the engine."""
        equal = [one for one in self.searches if one["query"] == request.param("q")]
        earlier = [one["query"] for one in self.asked].count(request.param("q"))
        # A query may be asked more often than the case has searches of it: the last one stands.
        search = equal[min(earlier, len(equal) - 1)]
        self.asked.append(search)
        results = [{"url": url, "title": "A page", "content": "A leaf."} for url in urls(search)]
        late = search.get("delay_ms", 0) / 1000
        return replace(replies.as_json({"results": results}), delay=late)


def urls(search: dict[str, Any]) -> list[str]:
    """Return the addresses that a search finds."""
    pages = range(1, search.get("results", 0) + 1)
    return search.get("urls") or [f"https://{search['query']}.example/{page}" for page in pages]


def check(case: Case) -> list[str]:
    """Check ``agent.run``. What becomes of a fetched page is not looked at: nothing fetches."""
    given, expect = case["input"], case["expect"]
    run = Run(given["searches"], given.get("answer", "Done."), given.get("parallel", False))
    seen = Rendered(asyncio.run(_answered(run)))
    links = {link.number: link.href for link in seen.citations}
    numbers = [[number for number, _ in shown] for shown in run.shown]
    flat = [number for shown in numbers for number in shown]
    pages = {number: url for shown in reversed(run.shown) for number, url in shown}
    wanted = {int(number): place for number, place in expect.get("links_to", {}).items()}
    got = {
        "shown_numbers": numbers,
        "numbers_distinct": len(set(flat)) == len(flat) > 0,
        "every_number_links_to_its_page": links == pages != {},
        "links_to": {str(number): _place(links.get(number), run) for number in wanted},
    }
    return differences(expect, got)


def _place(url: str | None, run: Run) -> str:
    for place, search in enumerate(run.searches, 1):
        if url in urls(search):
            return f"search {place} result {urls(search).index(url) + 1}"
    return f"{url}"


async def _answered(run: Run) -> str:
    with LoopbackServer() as engine, LoopbackServer() as model:
        engine.on("/search", run.find)
        model.on("/v1/chat/completions", run.think)
        env = {
            "CITESEEK_MODEL": "openai:test",
            "CITESEEK_MODEL_BASE_URL": model.url("/v1"),
            "SEARXNG_BASE_URL": engine.base_url,
        }
        agents = {"agents": [{"id": "one", "webSearch": _AGENT}]}
        async with Assistant(lambda: Settings.load(config={}, agents=agents, env=env)) as assistant:
            events = assistant.stream("?", mode="agent", agent_id="one")
            (done,) = [event async for event in events if isinstance(event, Done)]
    return done.text
