"""Where nobody set an engine: whom the chat app asks, and what it says of that."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, refused_port, replies
from tests.loopback.models import ModelServer

from citeseek import Assistant
from citeseek.assistant import choices
from citeseek.assistant.events import Done, Event, Notice, SearchBroken, SearchDone
from citeseek.assistant.notices import NO_ENGINE
from citeseek.conversations.conversation_record import Choices
from citeseek.health.searxng.named_instance import check_searxng


@pytest.fixture
def at_no_searxng(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing listen at the usual address, whatever runs on this machine."""

    async def nobody(_: str) -> bool:
        return False

    monkeypatch.setattr(choices, "listens", nobody)


def duck(server: LoopbackServer) -> dict[str, str]:
    server.on("/html/", replies.html(page("ddg_html/html_results_zh.html")))
    return {"CITESEEK_DDG_HTML_URL": server.base_url}


def codes(events: list[Event]) -> list[str]:
    return [event.code for event in events if isinstance(event, Notice)]


@pytest.mark.usefixtures("at_no_searxng")
@pytest.mark.requirement("P42")
async def test_auto_is_asked_and_that_is_said_once(server: LoopbackServer) -> None:
    chosen = settings(env=duck(server))
    async with Assistant(lambda: chosen) as assistant:
        talk = await assistant.open()
        await talk.set_switch(on=True)
        first = [event async for event in talk.stream("茶")]
        second = [event async for event in talk.stream("绿茶")]
    (said,) = (event for event in first if isinstance(event, Notice) and event.code == NO_ENGINE)
    assert "\n" not in said.text
    assert "DuckDuckGo" in said.text
    assert "citeseek searxng up" in said.hint
    assert any(isinstance(event, SearchDone) for event in second)
    assert NO_ENGINE not in codes(second)
    done = first[-1]
    assert isinstance(done, Done)
    assert done.sources


HINT = "启用后将使用{}搜索实时信息"


@pytest.mark.usefixtures("at_no_searxng")
@pytest.mark.parametrize("command", ["/help", "/search", "/search on", "/mode chat"])
@pytest.mark.requirement("P42")
async def test_the_words_beside_the_switch_name_who_stands_in(command: str) -> None:
    async with Assistant(lambda: settings(env={})) as assistant:
        talk = await assistant.open()
        assert talk.state.switch.hint == HINT.format("DuckDuckGo")
        told = [event async for event in talk.stream(command)]
        (said,) = (event for event in told if isinstance(event, Notice))
        assert HINT.format("DuckDuckGo") in said.text
        await talk.choose(Choices(engines=("searxng",)))
        assert talk.state.switch.hint == HINT.format("SearXNG")


@pytest.mark.requirement("P42")
async def test_a_searxng_that_is_there_is_named(server: LoopbackServer) -> None:
    for env in ({"SEARXNG_BASE_URL": server.base_url}, {"SEARXNG_BASE_URL": "http://127.0.0.1:9"}):
        chosen = settings(env=env)
        async with Assistant(lambda chosen=chosen: chosen) as assistant:
            talk = await assistant.open()
            assert talk.state.switch.hint == HINT.format("SearXNG")


@pytest.mark.usefixtures("at_no_searxng")
@pytest.mark.requirement("P42")
async def test_agent_mode_does_the_same(server: LoopbackServer) -> None:
    with ModelServer() as model:
        model.calls("web_search", {"query": "茶"})
        model.says("Steamed [1].")
        chosen = settings(env={**duck(server), **model.env})
        async with Assistant(lambda: chosen) as assistant:
            talk = await assistant.open(mode="agent")
            events = [event async for event in talk.stream("茶")]
    assert codes(events).count(NO_ENGINE) == 1
    assert any(isinstance(event, SearchDone) for event in events)


@pytest.mark.usefixtures("at_no_searxng")
@pytest.mark.parametrize("how", ["address", "chat engine"])
@pytest.mark.requirement("P42")
async def test_a_searxng_that_somebody_set_is_never_replaced(
    server: LoopbackServer, how: str
) -> None:
    with refused_port() as port:
        gone = f"http://127.0.0.1:{port}"
        env = {"SEARXNG_BASE_URL": gone} if how == "address" else {}
        config: dict[str, Any] = {} if how == "address" else {"chat": {"engine": "searxng"}}
        chosen = settings(config, env={**duck(server), **env})
        async with Assistant(lambda: chosen) as assistant:
            talk = await assistant.open()
            await talk.set_switch(on=True)
            events = [event async for event in talk.stream("茶")]
    assert any(isinstance(event, SearchBroken) for event in events)
    assert NO_ENGINE not in codes(events)
    assert server.requests == []


@pytest.mark.requirement("P42")
async def test_what_listens_is_told_from_what_does_not(server: LoopbackServer) -> None:
    assert await choices.listens(server.base_url)
    with refused_port() as port:
        assert not await choices.listens(f"http://127.0.0.1:{port}")


@pytest.mark.requirement("P42")
async def test_the_start_says_who_is_asked_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await check_searxng(settings(env={"PATH": "/no/docker"}))
    if found[0].code != "refused":
        pytest.skip("a program listens at a usual port of this machine")
    assert [(one.code, one.status) for one in found] == [("refused", "warning"), ("replaced", "ok")]
    assert "DuckDuckGo" in found[1].seen
    # What is asked instead finds something.
    assert "改用 DuckDuckGo" in found[0].why
    assert "都会失败" not in found[0].why


@pytest.mark.parametrize(
    ("env", "is_on"),
    [
        ({}, True),
        ({"CITESEEK_MODEL": "openai:test"}, False),
        ({"CITESEEK_CHAT_SEARCH": "off"}, False),
        ({"CITESEEK_MODEL": "openai:test", "CITESEEK_CHAT_SEARCH": "on"}, True),
    ],
)
@pytest.mark.requirement("P43")
async def test_without_a_model_the_switch_starts_on(env: dict[str, str], *, is_on: bool) -> None:
    async with Assistant(lambda: settings(env=env)) as assistant:
        assert assistant.fresh().state.switch.value is is_on
