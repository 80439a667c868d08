"""Opening conversations: what is refused, and what is shared."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback.models import ModelServer

from citeseek import Assistant, InvalidInput
from citeseek.assistant.events import Done, Notice
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.tools.search_options import WebSearchOptions

AGENTS = {"agents": [{"id": "a", "webSearch": {"enabled": True}}]}


def assistant(**chosen: Any) -> Assistant:
    return Assistant(lambda: settings({"chat": {"engine": "stub"}}, agents=AGENTS), **chosen)


@pytest.mark.parametrize(
    "asked",
    [
        {"mode": "foo"},
        {"agent_id": "nobody"},
        {"session_id": "nobody"},
        {"session_id": "no/id"},
        {"session_id": "x", "agent_id": "a"},
    ],
)
async def test_what_cannot_be_opened_is_an_invalid_input(asked: dict[str, Any]) -> None:
    async with assistant() as opened:
        with pytest.raises(InvalidInput):
            await opened.open(**asked)


@pytest.mark.parametrize("message", ["", " \n\u3000", "\ud800", "x" * 32_001, None, 5])
async def test_what_is_no_message_is_an_invalid_input(message: Any) -> None:
    async with assistant() as opened:
        conversation = await opened.open()
        with pytest.raises(InvalidInput):
            await anext(conversation.stream(message))
        assert not conversation.session.record.turns


async def test_an_agents_conversation_begins_in_agent_mode() -> None:
    async with assistant() as opened:
        assert (await opened.open(agent_id="a")).state.mode == "agent"
        assert (await opened.open(agent_id="a", mode="chat")).state.mode == "chat"
        assert (await opened.open()).state.mode == "chat"


async def test_two_tabs_that_open_a_kept_conversation_at_once_share_it(tmp_path: Path) -> None:
    path = str(tmp_path / "kept.sqlite3")
    async with assistant(store=SqliteStore(path)) as opened:
        session_id = (await opened.open()).id
        await opened.store.put((await opened.open(session_id)).session.record)
    async with assistant(store=SqliteStore(path)) as opened:
        one, other = await asyncio.gather(opened.open(session_id), opened.open(session_id))
        assert one is other


async def test_a_model_that_answers_a_chat_with_a_tool_call_alone_gave_no_answer() -> None:
    with ModelServer() as model:
        model.calls("web_search", {"query": "tea"})
        chosen = settings({"chat": {"engine": "stub"}}, env=model.env)
        async with Assistant(lambda: chosen) as opened:
            events = [event async for event in opened.stream("tea", search=False)]
    assert [event.code for event in events if isinstance(event, Notice)] == ["model"]
    assert isinstance(events[-1], Done)
    assert events[-1].outcome == "failed"


@pytest.mark.requirement("S2-48")
async def test_a_conversation_takes_the_resolved_search_of_an_agent(tmp_path: Path) -> None:
    options = WebSearchOptions(
        enabled=True, provider="stub", api_key="marked-key", max_results=2, cache_ttl_minutes=0
    )
    path = tmp_path / "kept.sqlite3"
    with ModelServer() as model:
        chosen = settings(env={**model.env, "CITESEEK_CHAT_ENGINE": "searxng"})
        async with Assistant(lambda: chosen, store=SqliteStore(path)) as opened:
            talk = await opened.open(web_search=options)
            assert talk.state.mode == "agent"
            model.calls("web_search", {"query": "tea", "count": 9})
            model.says("Steamed [1].")
            events = [event async for event in talk.stream("how?")]
            done = events[-1]
            assert isinstance(done, Done)
            assert len(done.sources) == 2
            assert all("示例结果" in source.snippet for source in done.sources)
            talk_id = talk.id
        # What is kept goes on, without the key.
        assert b"marked-key" not in path.read_bytes()
        async with Assistant(lambda: chosen, store=SqliteStore(path)) as opened:
            again = await opened.open(talk_id)
            assert again.session.web_search == {
                "enabled": True,
                "provider": "stub",
                "cacheTtlMinutes": 0,
                "maxResults": 2,
            }


@pytest.mark.parametrize("enabled", [False, "true", None])
@pytest.mark.requirement("S2-48", "P22")
async def test_a_search_that_is_not_enabled_is_no_tool(enabled: Any) -> None:
    with ModelServer() as model:
        chosen = settings(env=model.env)
        async with Assistant(lambda: chosen) as opened:
            talk = await opened.open(web_search={"enabled": enabled})
            assert "未启用" in talk.state.switch.hint
            model.says("Hello.")
            _ = [event async for event in talk.stream("hi")]
        assert model.requests[0].tools == []
