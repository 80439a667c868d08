"""Searches, pages, completions, reports and checks say what they sent out, in one form."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from msgspec import convert
from openai import OpenAI
from tests.assistant.chatting import FOUND
from tests.command import run_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply
from tests.mcp_server.hosting import QUESTION, a_web, article, results, searching
from tests.rest.serving import Served, served
from tests.serving.running import events

from citeseek import Client, trace
from citeseek.assistant.checking import check_citations
from citeseek.citations import Source
from citeseek.i18n import catalogue
from citeseek.observing.receipt import EgressReceipt, HostTraffic, ModelUse
from citeseek.replay import replay
from citeseek.research import Inquiry, RunFolder, research
from citeseek.research.report_text import closing

STREAM = {"Accept": "text/event-stream"}
READING = {"WEB_FETCH_ALLOW": "127.0.0.0/8", "WEB_FETCH_DELAY_SECONDS": "0"}


def host(server: LoopbackServer) -> str:
    return server.base_url.removeprefix("http://")


def receipt_of(told: Any) -> EgressReceipt:
    return convert(told, EgressReceipt)


def printed(*args: str, **env: str) -> Any:
    done = run_citeseek(*args, "-f", "json", env={**os.environ, **env})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_api_gives_it_with_searches_pages_and_completions(server: LoopbackServer) -> None:
    server.on("/length", article("The bridge", "It is 412 metres long. " * 9))
    with served(FOUND, WEB_SEARCH_BACKEND="searxng", **READING) as at:
        search_says_whom_it_asked(at)
        page = at.call("POST", "/fetch", {"url": server.url("/length")}).json()
        (row,) = receipt_of(page["egress"]).hosts
        assert (row.host, row.requests) == (host(server), 1)
        again = at.call("POST", "/fetch", {"url": server.url("/length")}).json()
        assert receipt_of(again["egress"]) == EgressReceipt(cached=1)
        the_openai_client_reads_it(at)
        described = at.http("GET", "/api/openapi.json").json()["components"]["schemas"]
        shape = {"$ref": "#/components/schemas/EgressReceipt"}
        for name in ("Searched", "Fetched"):
            assert described[name]["properties"]["egress"] == shape
        for name in ("Reply", "CheckedCitations", "Done"):
            told = described[name]["properties"]["egress"]
            assert shape in (told, *told.get("anyOf", ()))


def search_says_whom_it_asked(at: Served) -> None:
    whole = receipt_of(at.call("GET", "/search?q=tea").json()["egress"])
    assert [(row.host, row.requests) for row in whole.hosts] == [(host(at.engine), 1)]
    assert whole.received_bytes > 0
    with at.http.opened("GET", "/api/v1/search?q=coffee", headers=STREAM) as response:
        last = list(events(response))[-1]
    assert receipt_of(last.data["egress"]).requests == 1


def the_openai_client_reads_it(at: Served) -> None:
    asked: Any = {"model": "citeseek-chat", "messages": [{"role": "user", "content": "tea"}]}
    with OpenAI(base_url=f"{at.http.base_url}/v1", api_key="unused", max_retries=0) as ai:
        at.model.says("Tea [1].")
        done = ai.chat.completions.create(**asked)
        at.model.says("Tea [1].")
        pieces = list(ai.chat.completions.create(**asked, stream=True))
    whole = receipt_of((done.choices[0].message.model_extra or {})["egress"])
    extra = [piece.choices[0].delta.model_extra or {} for piece in pieces]
    last = receipt_of(extra[-1]["egress"])
    assert not any("egress" in each for each in extra[:-1])
    for receipt in (whole, last):
        assert [row.host for row in receipt.hosts] in ([host(at.engine)], [])
        assert receipt.model is not None
        assert (receipt.model.calls, receipt.model.input_tokens) == (1, 7)


def test_the_command_line_gives_it_with_searches_and_pages(server: LoopbackServer) -> None:
    a_web(server)
    found = printed("search", "tea", **searching(server))
    assert receipt_of(found["egress"]).hosts[0].host == host(server)
    page = printed("fetch", server.url("/length"), **searching(server))
    assert receipt_of(page["egress"]).requests == 1


async def test_a_check_of_citations_says_what_it_read(server: LoopbackServer) -> None:
    server.on("/a", article("The bridge", "The bridge is 412 metres long. " * 5))
    sources = [
        Source(number, "", url, "")
        for number, url in enumerate([server.url("/a"), "http://10.0.0.1/b"], 1)
    ]
    async with Client(settings(env=READING)) as client:
        found = await check_citations("It is long [1]. It is red [2].", sources, client)
    assert found.egress is not None
    assert [(row.host, row.requests) for row in found.egress.hosts] == [(host(server), 1)]
    assert found.egress.refused == ("10.0.0.1",)


async def test_a_report_says_what_its_run_sent_and_what_it_took_over(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    server.on("/builders", Reply(503))
    inquiry = Inquiry.of(QUESTION)
    async with Client(settings(env=searching(server))) as client:
        journal = RunFolder(tmp_path).journal(inquiry)
        with trace.into(None) as kept:
            first = await research(inquiry, client, engines=["searxng"], journal=journal)
    assert first.egress is not None
    assert first.egress.requests == len(server.requests)
    assert first.egress.hosts[0].host == host(server)
    assert first.as_json()["artifacts"]["egress"]["requests"] == first.egress.requests
    assert first.report is not None
    last = first.report.text.splitlines()[-1]
    assert last.startswith(f"Network: requests: {first.egress.requests}, hosts: 1, sent: ")
    assert "earlier run" not in last
    (again,) = [await replay(one) for one in kept.traces]
    assert again.call.result["egress"] == kept.traces[0].call.result["egress"]

    server.on("/builders", article("Who built it", "The Alder Bridge was built in four years."))
    before = len(server.requests)
    async with Client(settings(env=searching(server))) as client:
        journal = RunFolder(tmp_path).journal(inquiry)
        second = await research(inquiry, client, engines=["searxng"], journal=journal)
    assert second.egress is not None
    assert second.egress.requests == len(server.requests) - before == 1
    assert second.egress.resumed == 2  # the search, and the page that was read
    assert second.report is not None
    assert re.search(r"an earlier run took for 2 of the answers$", second.report.text.strip())


def test_a_report_that_failed_has_its_receipt(server: LoopbackServer) -> None:
    server.on("/search", Reply(500))
    with served(**searching(server)) as at:
        at.model.says("bridge length")
        asked = {"question": QUESTION, "engines": ["searxng"]}
        problem = at.call("POST", "/research", asked, {"Prefer": "wait"})
    assert problem.status == 502
    receipt = receipt_of(problem.json()["run"]["artifacts"]["egress"])
    assert receipt.requests == len(server.requests)
    assert receipt.model is not None
    assert (receipt.model.calls, receipt.model.input_tokens) == (1, 7)


async def test_a_report_names_the_hosts_that_were_refused(server: LoopbackServer) -> None:
    server.on("/search", results(server, "length"))
    env = {**searching(server), "WEB_FETCH_ALLOW": ""}
    async with Client(settings(env=env)) as client:
        result = await research(Inquiry.of(QUESTION), client, engines=["searxng"])
    assert result.error is not None
    assert result.egress is not None
    assert result.egress.refused == (host(server),)


def test_the_last_line_of_a_report_is_short_and_says_everything() -> None:
    egress = EgressReceipt(
        hosts=(HostTraffic(host="a.example", requests=3),),
        requests=3,
        sent_bytes=850,
        received_bytes=2_500_000,
        refused=("10.0.0.1", "<i>.example"),
        model=ModelUse(name="m_1_", calls=2, cost=0.25),
        resumed=4,
    )
    told = closing(egress, catalogue("en"))
    assert told.startswith("\n---\n\nNetwork: requests: 3, hosts: 1, sent: 850 B, received: 2.5 MB")
    assert "refused: 10.0.0.1, &lt;i&gt;.example" in told
    assert "cost: 0.2500" in told
    assert "for 4 of the answers\n" in told
    assert len(told.splitlines()) == 4
    assert "请求 3 个，主机 1 台" in closing(egress, catalogue("zh"))
    assert "拒绝" not in closing(EgressReceipt(), catalogue("zh"))
