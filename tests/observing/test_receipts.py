"""What an answer sent out and brought in: on real connections, in every surface that shows it."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.assistant.agent_runs import bench
from tests.assistant.chatting import chatting, done
from tests.command import run_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Signal, faults, replies
from tests.page.page_talk import rendering, talking
from tests.rest.serving import served

from citeseek import Client, observing
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done
from citeseek.errors import WebBlocked
from citeseek.observing.receipt import EgressReceipt, HostTraffic, Ledger, ModelUse
from citeseek.replay import replay
from citeseek.surfaces.page.turn_reducer import of_turn
from citeseek.trace import into

ARTICLE = replies.html(
    "<html><head><title>Tea house</title></head><body><article>"
    + "<p>The tea house at the lake opens at nine and closes when the last guest has gone.</p>" * 3
    + "</article></body></html>"
)
READING = {"web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}}}


def host(server: LoopbackServer) -> str:
    return server.base_url.removeprefix("http://")


def receipt_of(end: Done) -> EgressReceipt:
    assert end.egress is not None
    return end.egress


async def test_an_answer_says_which_hosts_it_asked_and_what_its_model_took() -> None:
    prices = {"CITESEEK_MODEL_PRICE_IN": "2", "CITESEEK_MODEL_PRICE_OUT": "10"}
    async with chatting(**prices) as chat:
        chat.model.says("Tea [1].")
        receipt = receipt_of(done(await chat.say("what is tea?")))
        (row,) = receipt.hosts
        (request,) = chat.engine.requests
        assert (row.host, row.requests, row.failed) == (host(chat.engine), 1, 0)
        assert row.sent_bytes >= len(request.target) + len(chat.engine.base_url)
        assert row.received_bytes > 1_000
        assert receipt.sent_bytes == row.sent_bytes
        assert receipt.received_bytes == row.received_bytes
        assert (receipt.requests, receipt.cached, receipt.refused) == (1, 0, ())
        assert receipt.model is not None
        assert receipt.model.host == host(chat.model.http)
        assert receipt.model.calls == 1
        assert (receipt.model.input_tokens, receipt.model.output_tokens) == (7, 5)
        assert receipt.model.cost == pytest.approx((7 * 2 + 5 * 10) / 1_000_000)


async def test_the_receipt_is_kept_with_the_turn_and_has_no_cost_without_prices() -> None:
    async with chatting() as chat:
        chat.model.says("Tea [1].")
        receipt = receipt_of(done(await chat.say("tea")))
        conversation = await chat.assistant.open(chat.id)
        assert conversation.session.record.turns[-1].egress == receipt
        assert receipt.model is not None
        assert receipt.model.cost is None


async def test_what_may_be_asked_next_costs_what_its_answers_receipt_says() -> None:
    prices = {"CITESEEK_MODEL_PRICE_IN": "2", "CITESEEK_MODEL_PRICE_OUT": "10"}
    async with chatting(**prices) as chat:
        chat.model.says("Tea [1].")
        chat.model.says("Is it cold?")
        before = receipt_of(done(await chat.say("tea")))
        conversation = await chat.assistant.open(chat.id)
        turn = await conversation.follow_ups.suggest(conversation.session.record.turns[-1].id)
        kept = (await chat.assistant.open(chat.id)).session.record.turns[-1]
    assert turn.follow_ups == ("Is it cold?",)
    after = turn.egress
    assert after is not None
    assert kept.egress == after
    assert after.hosts == before.hosts
    assert before.model is not None
    assert after.model is not None
    assert (before.model.calls, after.model.calls) == (1, 2)
    assert (after.model.input_tokens, after.model.output_tokens) == (14, 10)
    assert after.model.cost == pytest.approx(2 * (7 * 2 + 5 * 10) / 1_000_000)
    assert after.other_models == ()


def test_receipts_of_several_models_are_added_by_name() -> None:
    a = ModelUse(name="a", calls=1, input_tokens=3, output_tokens=1, cost=0.5)
    silent = ModelUse(name="b", host="b.example", calls=2)
    first = EgressReceipt(requests=4, model=a)
    both = first.add_models(EgressReceipt(requests=9, model=silent, other_models=(a,)))
    assert both.requests == 4
    twice = ModelUse(name="a", calls=2, input_tokens=6, output_tokens=2, cost=1.0)
    assert (both.model, both.other_models) == (twice, (silent,))
    of_silent = EgressReceipt(model=silent).add_models(EgressReceipt(model=silent)).model
    assert of_silent == ModelUse(name="b", host="b.example", calls=4)
    assert EgressReceipt().add_models(EgressReceipt()) == EgressReceipt()


async def test_without_a_search_nothing_is_sent_and_the_built_in_model_is_nowhere() -> None:
    async with chatting(CITESEEK_MODEL="extractive") as chat:
        receipt = receipt_of(done(await chat.say("tea", search=False)))
        assert receipt == EgressReceipt(model=ModelUse(name="extractive", calls=1))


async def test_a_failed_engine_is_counted_with_both_of_its_tries() -> None:
    async with chatting(Reply(500)) as chat:
        chat.model.says("I do not know.")
        receipt = receipt_of(done(await chat.say("tea")))
        assert receipt.requests == len(chat.engine.requests) == 2
        assert receipt.hosts[0].failed == 0  # it answered, though with an error


async def test_a_cut_connection_is_a_request_without_an_answer() -> None:
    with LoopbackServer() as cutting:
        cutting.otherwise(faults.reset())
        async with chatting(at=cutting.base_url) as chat:
            chat.model.says("I do not know.")
            (row,) = receipt_of(done(await chat.say("tea"))).hosts
            assert row.requests == row.failed == 2
            assert row.received_bytes == 0


async def test_pages_redirects_kept_answers_and_refusals_of_an_agent(
    server: LoopbackServer,
) -> None:
    server.on("/old", replies.redirect("/tea"))
    server.on("/tea", ARTICLE)
    server.on("/inside", replies.redirect("http://169.254.169.254/latest/meta-data/"))
    with bench() as at:
        at.config = READING
        at.model.calls("web_search", {"query": "tea"})
        at.model.calls("web_search", {"query": "tea"})
        at.model.calls("web_fetch", {"url": server.url("/old")})
        at.model.calls("web_fetch", {"url": server.url("/inside")})
        at.model.says("It opens at nine [4].")
        async with Assistant(at.load) as assistant:
            talk = await assistant.open(mode="agent")
            message = f"read {server.url('/old')} and {server.url('/inside')}"
            events = [event async for event in talk.stream(message)]
        receipt = receipt_of(done(events))
        by_host = {row.host: row for row in receipt.hosts}
        assert by_host[host(at.engine)].requests == len(at.engine.requests) == 1
        assert by_host[host(server)].requests == len(server.requests) == 3
        assert receipt.redirects == 2
        assert receipt.cached == 1
        assert receipt.refused == (host(server),)
        assert "169.254.169.254" not in by_host
        assert receipt.model is not None
        assert receipt.model.calls == len(at.model.requests) == 5
        assert receipt.model.input_tokens == 5 * 7


async def test_a_stopped_answer_has_its_receipt_too() -> None:
    async with talking() as talk:
        more = Signal()
        talk.model.says("Tea [1] is", more, " never said")
        answer = await talk.ask("tea")
        async for _, event in answer.follow():
            if getattr(event, "text", "").endswith(" is"):
                answer.stop()
        more.set()
        (end,) = [event for event in answer.events if isinstance(event, Done)]
        receipt = receipt_of(end)
        assert receipt.requests == 1
        assert receipt.model is not None
        assert receipt.model.calls == 1
        assert receipt.model.input_tokens is None


async def test_two_answers_at_once_count_what_each_of_them_asked() -> None:
    async with chatting() as one, chatting() as other:
        one.model.says("Tea [1].")
        other.model.says("Coffee [1].")
        ends = await asyncio.gather(one.say("tea"), other.say("coffee"))
        hosts = [[row.host for row in receipt_of(done(end)).hosts] for end in ends]
        assert hosts == [[host(one.engine)], [host(other.engine)]]


async def test_a_search_that_joins_an_equal_one_sends_nothing(server: LoopbackServer) -> None:
    more = Signal()

    def late(_: Any) -> Reply:
        assert more.wait(10)
        return replies.as_json({"results": [{"url": "https://a.example/", "title": "A"}]})

    server.on("/search", late)
    first, second = Ledger(), Ledger()
    async with Client(settings(env={"SEARXNG_BASE_URL": server.base_url})) as client:

        async def ask(ledger: Ledger) -> None:
            with observing.watching(ledger):
                await client.search("tea", engines=("searxng",))

        asked = [asyncio.create_task(ask(ledger)) for ledger in (first, second)]
        while not second_waits(asked, server):  # noqa: ASYNC110 - the request comes by itself
            await asyncio.sleep(0)
        more.set()
        await asyncio.gather(*asked)
    assert (first.receipt().requests, first.receipt().shared) == (1, 0)
    assert (second.receipt().requests, second.receipt().shared) == (0, 1)


def second_waits(asked: list[asyncio.Task[None]], server: LoopbackServer) -> bool:
    return bool(server.requests) and all(not task.done() for task in asked)


async def test_a_refused_address_names_the_host_that_was_asked_for() -> None:
    ledger = Ledger()
    async with Client(settings()) as client:
        with observing.watching(ledger), pytest.raises(WebBlocked):
            await client.fetch("http://user:marked-secret@127.0.0.1:9/x")
    assert ledger.receipt() == EgressReceipt(refused=("127.0.0.1:9",))


async def test_nothing_that_was_looked_for_is_in_a_receipt() -> None:
    async with chatting(SEARXNG_API_KEY="marked-key-0123456789") as chat:
        chat.model.says("Tea [1].")
        receipt = receipt_of(done(await chat.say("marked-query-7c1e")))
        assert "marked-" not in repr(receipt)


async def test_a_replay_has_the_receipt_of_then(tmp_path: Path) -> None:
    async with chatting() as chat:
        chat.model.says("Tea [1].")
        with into(None) as kept:
            receipt = receipt_of(done(await chat.say("tea")))
        (trace,) = kept.traces
    again = await replay(trace)
    assert again.call.result == trace.call.result
    assert again.call.result["egress"]["requests"] == receipt.requests == 1


def test_the_api_gives_it_with_the_last_event_and_with_the_turn() -> None:
    with served() as api:
        api.model.says("Tea [1].")
        session = api.begin(search=True)
        last = api.ask(session, "tea")[-1]
        assert last.kind == "done"
        assert last.data["egress"]["requests"] == 1
        assert last.data["egress"]["hosts"][0]["host"] == host(api.engine)
        assert last.data["egress"]["model"]["input_tokens"] == 7
        (turn,) = api.call("GET", session).json()["turns"]
        assert turn["egress"] == last.data["egress"]
        described = api.http("GET", "/api/openapi.json").json()["components"]["schemas"]
        assert "received_bytes" in described["EgressReceipt"]["properties"]


def test_ask_gives_it_as_json(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": [{"url": "https://a.example", "title": "A"}]}))
    env = {**os.environ, "SEARXNG_BASE_URL": server.base_url}
    told = run_citeseek("ask", "tea", "-e", "searxng", "-f", "json", env=env)
    egress = json.loads(told.stdout)["egress"]
    assert egress["hosts"][0]["host"] == host(server)
    assert egress["model"] == {"name": "extractive", "calls": 1}


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_the_page_says_it_below_the_answer(lang: Any) -> None:
    async with talking() as talk:
        talk.model.says("Tea [1].")
        await talk.say("tea")
        view = of_turn(await talk.kept())
    tree = LexborHTMLParser(rendering(lang).part("egress", view, "s"))
    fold = tree.css_first("section.egress")
    assert fold is not None
    summary = fold.css_first(".summary")
    assert summary is not None
    assert re.search(
        r"1 个请求，收到 [\d.]+ K?B" if lang == "zh" else "1 request, ", summary.text()
    )
    assert [cell.text() for cell in fold.css("tbody th")] == [host(talk.at.engine)]
    assert "7" in fold.css("li")[-1].text()


async def test_the_page_says_everything_that_happened_and_escapes_it() -> None:
    async with talking() as talk:
        talk.model.says("Tea [1].")
        await talk.say("tea")
        view = of_turn(await talk.kept())
    egress = EgressReceipt(
        hosts=(HostTraffic(host="<b>.example", requests=3, received_bytes=2_500_000, failed=1),),
        requests=3,
        received_bytes=2_500_000,
        redirects=2,
        cached=1,
        shared=1,
        refused=("10.0.0.1", "<i>"),
        model=ModelUse(name="m", calls=2, input_tokens=10, output_tokens=4, cost=0.25),
    )
    from msgspec.structs import replace

    html = rendering("en").part("egress", replace(view, egress=egress), "s")
    for said in ("3 requests, hosts: 1, 2.5 MB", "3 (1 failed)", "Redirects: 2", "cache: 1"):
        assert said in html
    assert "Addresses refused: 10.0.0.1, &lt;i&gt;" in html
    assert "tokens in: 10, out: 4, cost 0.2500" in html
    assert "<b>" not in html
    assert rendering("en").part("egress", replace(view, egress=None), "s") == ""
