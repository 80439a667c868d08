"""Chat mode when the search or the model fails: a notice, an answer, and a conversation goes on."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest
from tests.assistant.chatting import (
    FOUND,
    Answer,
    Chatting,
    all_of,
    chatting,
    done,
    found,
    notice,
    numbered,
    result,
    shown,
)
from tests.loopback import black_hole, faults, refused_port, replies
from tests.loopback.models import CUT, HANG

from citeseek.assistant.events import Event, Notice, SearchBroken, SearchDone

LIMIT = "0.6"
UPSTREAM = "<h1>Upstream secret: Traceback at line 7</h1>"

FAULTS: dict[str, tuple[Answer, str, str]] = {
    "hang": (faults.hang(), "Timeout", "timeout"),
    "drip": (faults.drip(content_type=replies.JSON), "Timeout", "timeout"),
    "reset": (faults.reset(), "NetworkError", "network"),
    "500": (replies.status(500, UPSTREAM), "BadGateway", "unavailable"),
    "502": (replies.status(502, UPSTREAM), "BadGateway", "unavailable"),
    "403": (replies.status(403, UPSTREAM), "AuthError", "configuration"),
    "429": (replies.status(429, UPSTREAM, retry_after=1), "WebBlocked", "blocked"),
    "cut JSON": (replies.JUNK_JSON["cut"], "WebParseError", "unavailable"),
    "null": (replies.JUNK_JSON["null"], "WebParseError", "configuration"),
    "object": (replies.JUNK_JSON["object"], "WebParseError", "configuration"),
    "empty": (replies.JUNK_JSON["empty"], "WebParseError", "configuration"),
    "HTML": (replies.html(UPSTREAM), "WebParseError", "configuration"),
}


def degraded(chat: Chatting, events: list[Event]) -> Notice:
    """See that the answer came without a search, and return the notice."""
    assert chat.asked.prompt == "tea"
    assert shown(events) == done(events).text == "From memory."
    assert done(events).outcome == "answered"
    assert done(events).sources == ()
    assert len(all_of(events, SearchBroken)) == 1
    said = notice(events)
    words = said.text + said.hint
    assert "搜索" in said.text
    assert "本次回答未使用搜索结果" in said.text
    for secret in ("Traceback", "Upstream", "<h1>", "Error", "errno"):
        assert secret not in words
    # An address stands in the command that tries it, and nowhere else.
    assert "127.0.0.1" not in said.text
    assert said.hint.count("127.0.0.1") == said.hint.count("curl 'http://127.0.0.1:")
    return said


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.requirement(
    "P12", "S1-19", "S1-21", "S1-22", "S1-24", "S1-69", "S1-70", "S1-71", "S1-72", "S1-73"
)
async def test_fault(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    answer, error, code = FAULTS[fault]
    async with chatting(answer, CITESEEK_CHAT_TIMEOUT=LIMIT) as chat:
        chat.model.says("From memory.")
        events = await chat.say("tea")
        said = degraded(chat, events)
        assert said.code == code
        assert "SearXNG 部署" in said.hint
        (broken,) = all_of(events, SearchBroken)
        assert broken.failure.type == error
        logged = [r for r in caplog.records if r.levelno == logging.ERROR]
        assert any(error in r.getMessage() for r in logged)
        assert not any(r.exc_info for r in logged)
        # The next message is searched again, after the pause that a limiter asks for.
        chat.engine.on("/search", FOUND)
        if fault == "429":
            await asyncio.sleep(1.05)
        chat.model.says("Found [1].")
        assert done(await chat.say("tyre pressure")).cited == (1,)


@pytest.mark.parametrize("fault", ["reset", "500", "502", "403", "429", "HTML"])
@pytest.mark.requirement("S1-23", "S1-24")
async def test_the_service_is_unavailable_and_its_deployment_to_be_checked(
    fault: str,
) -> None:
    async with chatting(FAULTS[fault][0]) as chat:
        chat.model.says("From memory.")
        said = degraded(chat, await chat.say("tea"))
        assert "搜索服务不可用" in said.text
        for step in ("SearXNG 部署", "docker ps", "docker compose up -d"):
            assert step in said.hint


@pytest.mark.parametrize("fault", ["403", "HTML"])
@pytest.mark.requirement("S1-26", "S1-98")
async def test_json_that_is_not_enabled_is_named(fault: str) -> None:
    async with chatting(FAULTS[fault][0]) as chat:
        chat.model.says("From memory.")
        said = degraded(chat, await chat.say("tea"))
        assert "JSON 格式未启用" in said.text
        assert "settings.yml" in said.hint
        assert "formats" in said.hint


@pytest.mark.parametrize("fault", ["hang", "drip"])
@pytest.mark.requirement("S1-18", "S1-20", "S1-59")
async def test_a_search_ends_at_its_limit_and_closes_the_connection(
    fault: str,
) -> None:
    async with chatting(FAULTS[fault][0], config={"chat": {"timeout_seconds": 0.6}}) as chat:
        chat.model.says("From memory.")
        began = time.perf_counter()
        stream = chat.assistant.stream("tea")
        events: list[Event] = []
        async for event in stream:
            events.append(event)
            if isinstance(event, SearchBroken):
                assert 0.55 < time.perf_counter() - began < 4
        said = degraded(chat, events)
        assert "搜索超时" in said.text
        assert "0.6 秒" in said.text
        assert await chat.engine.requests[0].closed


@pytest.mark.requirement("S1-78", "S1-79", "P12")
async def test_a_refused_port_is_told_at_once() -> None:
    with refused_port() as port:
        async with chatting(at=f"http://127.0.0.1:{port}") as chat:
            chat.model.says("From memory.")
            began = time.perf_counter()
            said = degraded(chat, await chat.say("tea"))
            assert time.perf_counter() - began < 4
            assert said.code == "network"
            assert "网络连接" in said.text
            assert "检查网络连接" in said.hint
            assert "关闭联网搜索" in said.hint
            assert "SearXNG 部署" in said.hint


@pytest.mark.requirement("S1-77", "S1-78", "S1-79")
async def test_a_black_hole_ends_at_the_limit() -> None:
    with black_hole() as port:
        at = f"http://127.0.0.1:{port}"
        async with chatting(at=at, CITESEEK_CHAT_TIMEOUT=LIMIT) as chat:
            chat.model.says("From memory.")
            began = time.perf_counter()
            said = degraded(chat, await chat.say("tea"))
            assert time.perf_counter() - began < 4
            assert "搜索超时" in said.text
            assert "检查网络连接" in said.hint
            assert "关闭联网搜索" in said.hint


@pytest.mark.requirement("S1-74", "S1-75", "S1-76")
async def test_malformed_results_are_left_out_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    items = [
        {"title": "no address", "content": "x"},
        result(1),
        None,
        result(9, url=7),
        result(9, url={"deep": ["junk"]}),
        result(2, content={"deep": [1]}),
        "text",
        result(9, url="javascript:alert(1)"),
        [[]],
        result(3, title=None),
    ]
    async with chatting(found(*items)) as chat:
        chat.model.says("A [3].")
        events = await chat.say("tea")
        expected = {number: f"https://site{number}.example/page" for number in (1, 2, 3)}
        assert numbered(chat.asked.prompt) == expected
        assert done(events).cited == (3,)
        dropped = [r.getMessage() for r in caplog.records if "dropped" in r.getMessage()]
        assert dropped == [
            "3 of 10 entries dropped, first entry 3: NoneType is no object",
            "searxng: 4 results dropped: no web address (the first is number 1)",
        ]


MODEL_STATUS = {401: "没有接受密钥", 403: "没有接受密钥", 429: "限流", 500: "出错"}


@pytest.mark.parametrize("status", MODEL_STATUS)
async def test_a_model_that_refuses_ends_in_a_notice(status: int) -> None:
    async with chatting() as chat:
        chat.model.fails(status, always=True)
        events = await chat.say("tea")
        said = notice(events)
        assert said.code == "model"
        assert MODEL_STATUS[status] in said.text
        assert "upstream says no" not in said.text + said.hint
        assert "已找到的来源列在下面" in said.text
        assert done(events).outcome == "failed"
        assert len(done(events).sources) == 5


async def test_a_silent_model_ends_at_its_limit_and_keeps_the_text_so_far() -> None:
    async with chatting(CITESEEK_MODEL_TIMEOUT="1") as chat:
        chat.model.says("Use 5 bar [1].", HANG)
        began = time.perf_counter()
        events = await chat.say("tea")
        assert time.perf_counter() - began < 20
        end = await failed(chat, events)
        assert end.startswith("Use 5 bar [[1]](")
        assert await chat.model.requests[0].http.closed


async def test_a_stream_that_is_cut_keeps_the_text_so_far() -> None:
    async with chatting() as chat:
        chat.model.says("Use 5 bar [1]. And [", CUT)
        end = await failed(chat, await chat.say("tea"))
        assert end.startswith("Use 5 bar [[1]](")
        assert "And [" in end


async def test_a_model_that_sends_garbage_ends_in_a_notice() -> None:
    async with chatting() as chat:
        chat.model.sends(b"data: {not json\n\n")
        assert not await failed(chat, await chat.say("tea"))


async def test_a_model_that_says_nothing_ends_in_a_notice() -> None:
    async with chatting() as chat:
        chat.model.says()
        assert not await failed(chat, await chat.say("tea"))


async def failed(chat: Chatting, events: list[Event]) -> str:
    """See that a model's failure is told and that the next message is answered."""
    assert notice(events).code == "model"
    end = done(events)
    assert end.outcome == "failed"
    assert shown(events) == end.text
    assert chat.id is not None
    kept = await chat.assistant.store.get(chat.id)
    assert kept is not None
    assert kept.turns[-1].shown == end.text
    assert kept.turns[-1].outcome == "failed"
    chat.model.says("Again.")
    assert done(await chat.say("tea again")).text == "Again."
    return end.text


async def test_search_and_model_may_fail_in_one_turn() -> None:
    async with chatting(replies.status(500, UPSTREAM)) as chat:
        chat.model.fails(500, always=True)
        events = await chat.say("tea")
        assert [said.code for said in all_of(events, Notice)] == ["unavailable", "model"]
        assert done(events).outcome == "failed"
        assert "来源" not in all_of(events, Notice)[1].text


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_answer_that_the_models_server_cut_off_is_said_to_be(reason: str) -> None:
    async with chatting() as chat:
        chat.model.says("Tea is", finish_reason=reason)
        said = notice(await chat.say("tea", search=False))
        assert said.code == f"cut_{reason}"
        chat.model.says("Tea is a leaf.")
        assert not all_of(await chat.say("tea", search=False), Notice)


@pytest.mark.requirement("P41", "S1-72")
async def test_a_question_that_is_asked_again_is_searched_for_whatever_failed() -> None:
    down = replies.status(429, retry_after=1800)
    async with chatting(down, down, FOUND) as chat:
        chat.model.says("From memory.", always=True)
        for question in ("tea?", "coffee?", "coffee?", "coffee?"):
            await chat.say(question)
        assert [request.param("q") for request in chat.engine.requests] == [
            "tea?",
            "coffee?",
            "coffee?",
        ]


@pytest.mark.requirement("S1-28", "S1-72")
async def test_four_failures_then_recovery_and_the_next_message_searches() -> None:
    failing = [replies.status(503)] * 6
    async with chatting(*failing, FOUND) as chat:
        chat.model.says("From memory.", always=True)
        for number in range(4):
            events = await chat.say(f"question {number}?")
        assert all_of(events, SearchBroken)
        # Three were sent, each once again after its 503.
        assert len(chat.engine.requests) == 6
        await chat.assistant.clients.current().found_well("searxng")
        assert all_of(await chat.say("and now?"), SearchDone)
