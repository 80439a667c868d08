"""Engines that do not answer: what a notice says of earlier failures, and what it advises."""

from __future__ import annotations

import pytest
from msgspec import structs
from tests.assistant.chatting import Chatting, chatting, notice
from tests.assistant.conversations import turn
from tests.loopback import refused_port, replies

from citeseek.assistant.events import Notice
from citeseek.assistant.notices import failed_lately, search_failed
from citeseek.conversations.conversation_record import Choices, Search
from citeseek.conversations.notice import Said
from citeseek.conversations.switches import Mode
from citeseek.errors import BadGateway, NetworkError, Timeout

DOWN = Said(code="network", values={"engine": "searxng", "earlier": '["mojeek"]'})


async def ask(chat: Chatting, *engines: str, instead_of: str = "") -> Notice:
    """Ask with ``engines`` and return what is told of their failure."""
    assert chat.id
    conversation = await chat.assistant.open(chat.id)
    await conversation.choose(Choices(engines=engines))
    events = [event async for event in conversation.stream("tea", instead_of=instead_of)]
    return notice(events)


async def test_engines_that_failed_in_this_conversation_are_told_also_of_other_versions() -> None:
    with refused_port() as port:
        nowhere = f"http://127.0.0.1:{port}"
        async with chatting(at=nowhere, MOJEEK_BASE_URL=nowhere, DDG_HTML_BASE_URL=nowhere) as chat:
            chat.model.says("From memory.", always=True)
            first = notice(await chat.say("tea"))
            assert first.unusable_engines == ["searxng"]
            # Asked again in its place: the turn that failed is no longer shown.
            conversation = await chat.assistant.open(chat.id)
            shown = conversation.session.record.turns[-1].id
            second = await ask(chat, "ddg_html", instead_of=shown)
            assert second.failed_engines == ["ddg_html"]
            assert second.unusable_engines == ["ddg_html", "searxng"]
            third = await ask(chat, "mojeek")
            assert sorted(third.unusable_engines) == ["ddg_html", "mojeek", "searxng"]


async def test_an_engine_that_is_left_alone_is_told_to_other_conversations() -> None:
    busy = replies.status(429)
    async with chatting(busy, MOJEEK_BASE_URL="http://127.0.0.1:1") as chat:
        chat.model.says("From memory.", always=True)
        await chat.say("tea")
        other = await chat.assistant.open()
        await other.set_switch(on=True)
        chat.id = other.id
        told = await ask(chat, "mojeek")
        assert told.unusable_engines == ["mojeek", "searxng"]


def test_an_engine_counts_by_its_last_search_and_old_ones_not_at_all() -> None:
    failed = structs.replace(turn(1), at=100.0, notices=(DOWN,))
    well = structs.replace(turn(2), at=200.0, searches=(Search(query="q", provider="mojeek+stub"),))
    assert failed_lately([well, failed], since=50.0) == ["searxng"]
    assert failed_lately([failed], since=100.0) == ["mojeek", "searxng"]
    assert failed_lately([failed, well], since=150.0) == []
    later = structs.replace(failed, at=300.0)
    assert failed_lately([later, well], since=50.0) == ["mojeek", "searxng"]


@pytest.mark.parametrize("engine", ["searxng", "mojeek"])
@pytest.mark.parametrize("error", [Timeout("x"), NetworkError("x")], ids=["timeout", "network"])
def test_who_needs_a_search_is_not_told_to_turn_it_off(
    error: Timeout | NetworkError, engine: str
) -> None:
    error.engine = engine
    assert "关闭联网搜索" in search_failed(error, seconds=5).hint
    told = search_failed(error, seconds=5, needs_search=True)
    assert "关闭" not in told.hint
    assert told.hint.startswith("请检查网络连接。")
    # What says nothing of it stays as it is.
    other = BadGateway("x", engine=engine)
    assert search_failed(other, seconds=5, needs_search=True) == search_failed(other, seconds=5)


@pytest.mark.parametrize(
    ("model", "mode", "may_do_without"),
    [("", "chat", True), ("extractive", "chat", False), ("", "agent", False)],
)
async def test_only_a_model_in_chat_mode_can_do_without(
    model: str, mode: Mode, *, may_do_without: bool
) -> None:
    chosen = {"CITESEEK_MODEL": model} if model else {}
    with refused_port() as port:
        async with chatting(at=f"http://127.0.0.1:{port}", **chosen) as chat:
            if mode == "agent":
                chat.model.calls("web_search", {"query": "tea"})
            chat.model.says("From memory.")
            conversation = await chat.assistant.open(mode=mode)
            await conversation.set_switch(on=True)
            chat.id = conversation.id
            told = notice(await chat.say("tea"))
            assert ("关闭联网搜索" in told.hint) == may_do_without
