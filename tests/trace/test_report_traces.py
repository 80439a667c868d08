"""A recorded report, written again without network and model, is the same byte for byte."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Request, Signal, faults, replies
from tests.loopback.models import ModelServer
from tests.trace.recorded import no_network, recorded, replayed

from citeseek import Client, Settings
from citeseek.assistant.report_writer import writer_of
from citeseek.replay import bundle, is_same, replay
from citeseek.research import Inquiry, Journal, research
from citeseek.research.gathering import AT_ONCE
from citeseek.trace.trace_record import Part

QUESTION = "How high is Mount Tea?"
FACTS = (
    "Mount Tea is 1,234 metres high and stands in the north of the island.",
    "The height of Mount Tea was measured again in 2021: it is 1,236 metres high.",
    "Few people climb Mount Tea, whose height is given as 1,234 metres on most maps.",
)


def _page(fact: str) -> Reply:
    more = "The mountain is known for its gardens and for its weather. " * 5
    return replies.html(f"<html><body><article><p>{fact}</p><p>{more}</p></article></body></html>")


@pytest.fixture
def site(server: LoopbackServer) -> LoopbackServer:
    def search(request: Request) -> Reply:
        del request
        found = [
            {"url": server.url(f"/{n}"), "title": f"Mount Tea {n}", "content": fact}
            for n, fact in enumerate(FACTS)
        ]
        return replies.as_json({"results": found})

    server.on("/search", search)
    for n, fact in enumerate(FACTS):
        server.on(f"/{n}", _page(fact))
    return server


def at(server: LoopbackServer, **env: str) -> Settings:
    return settings(
        {
            "search": {"engine": "searxng"},
            "engines": {"searxng": {"base_url": server.base_url}},
            "web": {"fetch": {"allow": ["127.0.0.0/8"], "fetch_delay_seconds": 0}},
        },
        env=env,
    )


async def test_a_report_that_only_quotes(site: LoopbackServer) -> None:
    inquiry = Inquiry.of(QUESTION, max_sources=3)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    again = await replayed(found)
    assert "1,234 metres" in again.call.result["report"]["text"]
    text = bundle(found)
    assert text.count("fetch: ") == 3
    assert "step: tool.web.search ok" in text


async def test_pages_that_fail_are_told_alike(site: LoopbackServer) -> None:
    site.on("/0", replies.status(403, "no"))
    site.on("/1", faults.reset())
    inquiry = Inquiry.of(QUESTION, max_sources=3)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    again = await replayed(found)
    assert again.call.result["report"]["notes"]


async def test_a_run_that_is_not_ok(site: LoopbackServer) -> None:
    site.on("/search", Reply(503, {}, "down"))
    found = await recorded(at(site), lambda client: research(Inquiry.of(QUESTION), client))
    assert found.call.result["error"]
    assert "status: failed" in bundle(found)
    await replayed(found)


async def test_pages_come_back_in_the_order_of_then(site: LoopbackServer) -> None:
    gate = Signal()

    def last(request: Request) -> Reply:
        del request
        gate.set()
        return _page(FACTS[2])

    site.on("/0", replies.held(_page(FACTS[0]), gate))
    site.on("/2", last)
    inquiry = Inquiry.of(QUESTION, max_sources=3)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    await replayed(found)


async def test_a_page_that_began_when_others_were_there_comes_after_them(
    site: LoopbackServer,
) -> None:
    count = AT_ONCE + 2
    found_pages = [
        {"url": site.url(f"/{n}"), "title": f"Mount Tea {n}", "content": FACTS[n % 3]}
        for n in range(count)
    ]
    site.on("/search", replies.as_json({"results": found_pages}))
    for n in range(AT_ONCE):
        site.on(f"/{n}", _page(f"{FACTS[n % 3]} It is page {n}."))
    for n in range(AT_ONCE, count):
        site.on(f"/{n}", replies.status(404, "gone"))
    inquiry = Inquiry.of(QUESTION, max_sources=count)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    # As if all of the first had ended before the others began.
    for part in found.call.inner("fetch"):
        place = int(part.name.rpartition("/")[2])
        if place >= AT_ONCE:
            part.began_ms += 10_000
        part.took_ms = 10_000 + place
    with no_network():
        again = await replay(found)
    parts = sorted(again.call.inner("fetch"), key=lambda part: part.began_ms + part.took_ms)
    assert [part.name for part in parts] == [site.url(f"/{n}") for n in range(count)]


async def test_pages_that_are_not_read_any_more_are_waited_for_once(
    site: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeseek.trace.track.TURN_SECONDS", 0.5)
    inquiry = Inquiry.of(QUESTION, max_sources=3)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    lost = [Part(kind="fetch", name=f"https://lost.example/{n}") for n in range(12)]
    found.call.parts += lost
    began = time.monotonic()
    with no_network():
        again = await replay(found)
    assert is_same(found, again)
    assert time.monotonic() - began < len(lost) * 0.5


async def test_a_report_with_a_model_and_several_rounds(site: LoopbackServer) -> None:
    inquiry = Inquiry.of(QUESTION, max_sources=2, depth=2)
    with ModelServer() as model:
        model.says("height of Mount Tea\nMount Tea maps")
        model.says("无")
        model.says("Mount Tea is 1,234 metres high [1].")
        chosen = at(site, **model.env)

        async def call(client: Client) -> Any:
            writer = writer_of(client.settings)
            assert writer
            try:
                return await research(inquiry, client, writer=writer)
            finally:
                await writer.close()

        found = await recorded(chosen, call)
    assert len(found.call.inner("model")) == 3
    assert len(found.call.inner("search")) == 3
    await replayed(found)


async def test_a_report_with_a_judge_of_its_citations(site: LoopbackServer) -> None:
    quoted = [{"id": 1, "verdict": "supported", "quote": FACTS[0]}]
    with ModelServer() as model:
        model.says("无")
        model.says("Mount Tea stands in the north of the island and measures 1,234 metres [1].")
        model.says(json.dumps(quoted))

        async def call(client: Client) -> Any:
            writer = writer_of(client.settings)
            assert writer
            try:
                return await research(Inquiry.of(QUESTION), client, writer=writer)
            finally:
                await writer.close()

        found = await recorded(at(site, **model.env, CITESEEK_JUDGE="model"), call)
        asked = len(model.requests)
    assert (asked, len(found.call.inner("model"))) == (3, 3)
    again = await replayed(found)
    checks = [found.call.result["report"]["checks"], again.call.result["report"]["checks"]]
    assert checks[0] == checks[1]
    assert [(one["verdict"], one["by"]) for one in checks[1]] == [("supported", "judge")]


async def test_what_an_earlier_run_knew_is_in_the_trace(site: LoopbackServer) -> None:
    inquiry = Inquiry.of(QUESTION, max_sources=2)
    journal = Journal()

    async def call(client: Client) -> Any:
        return await research(inquiry, client, journal=journal)

    found = await recorded(at(site), call, before=call)
    assert not found.call.inner("search")
    again = await replayed(found)
    assert "1,234 metres" in again.call.result["report"]["text"]


async def test_the_day_of_what_was_kept_is_in_the_trace(
    site: LoopbackServer, tmp_path: Path
) -> None:
    inquiry = Inquiry.of(QUESTION, max_sources=2)
    path = tmp_path / "journal.jsonl"

    async def call(client: Client) -> Any:
        return await research(inquiry, client, journal=Journal.of(path, inquiry))

    found = await recorded(at(site), call, before=call)
    again = await replayed(found)
    today = datetime.now(UTC).date().isoformat()
    assert f"the oldest of {today} (UTC)" in again.call.result["report"]["text"]


@pytest.mark.release
async def test_a_report_whose_time_ran_out(site: LoopbackServer) -> None:
    site.on("/1", faults.hang())
    inquiry = Inquiry.of(QUESTION, max_sources=3, seconds=1)
    found = await recorded(at(site), lambda client: research(inquiry, client))
    assert found.call.ran_out_of_time
    await replayed(found)
