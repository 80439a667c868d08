"""Pages read for an answer of Chat mode, over HTTP: the switch, and what each source says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.assistant.chatting import found, result
from tests.loopback import LoopbackServer, replies
from tests.rest.serving import Served, served

SENTENCE = "The tea house at the lake closes at half past nine."
ARTICLE = replies.html(f"<article><p>{SENTENCE}</p><p>{SENTENCE}</p></article>")

# No page of this machine is late, however busy it is.
PATIENT = {
    "WEB_FETCH_ALLOW": "127.0.0.1",
    "WEB_FETCH_DELAY_SECONDS": "0",
    "CITESEEK_CHAT_READ_TIMEOUT": "60",
}


@pytest.fixture
def at(server: LoopbackServer) -> Iterator[Served]:
    server.on("/open", ARTICLE)
    server.on("/wall", replies.status(403))
    pages = [result(n, url=server.url(path)) for n, path in enumerate(("/wall", "/open"), 1)]
    with served(found(*pages), **PATIENT) as running:
        yield running


def marks(sources: list[dict[str, Any]]) -> dict[int, bool]:
    return {source["number"]: source["was_read"] for source in sources}


def test_the_switch_of_a_conversation_is_kept_and_moved(at: Served) -> None:
    session = at.begin(search=True)
    assert at.call("GET", session).json()["read"] == {
        "value": False,
        "disabled": False,
        "hint": "启用后先读取搜索到的网页，再回答",
        "state": "关闭",
    }
    assert at.call("PATCH", session, {"read": True}).json()["read"]["state"] == "开启"
    in_agent = at.call("PATCH", session, {"mode": "agent", "read": False}).json()["read"]
    assert (in_agent["value"], in_agent["disabled"]) == (False, True)
    assert in_agent["hint"] == "Agent 模式下由 AI 自动决策读取"
    assert at.call("PATCH", session, {"mode": "chat"}).json()["read"]["value"] is True
    assert at.call("GET", at.begin(read=True)).json()["read"]["value"] is True


def test_each_source_says_whether_it_was_read(at: Served, server: LoopbackServer) -> None:
    session = at.begin(search=True, read=True)
    at.model.says("At half past nine [2], they say [1].")
    sent = at.ask(session, "When does the tea house close?")
    kinds = [event.kind for event in sent]
    assert kinds.count("read_started") == 2
    (read,) = [event.data for event in sent if event.kind == "read_done"]
    assert read["source"]["url"] == server.url("/open")
    (failed,) = [event.data for event in sent if event.kind == "read_failed"]
    assert failed["url"] == server.url("/wall")
    cited = [event.data["source"] for event in sent if event.kind == "citation"]
    assert marks(cited) == marks(sent[-1].data["sources"]) == {1: False, 2: True}
    (turn,) = at.call("GET", session).json()["turns"]
    assert marks(turn["sources"]) == {1: False, 2: True}
    assert [each["passages"] for each in turn["reads"]] == [[], [SENTENCE]]
    assert turn["egress"]["requests"] == sent[-1].data["egress"]["requests"] == 3
    export = at.call("GET", f"{session}/export").body.decode()
    assert "*read [2] · only found, not read [1]*" in export.replace("\\", "")
    # A list of references has the cited ones alone.
    at.model.says("At half past nine [2].")
    at.ask(session, "When does the tea house close?")
    last = at.call("GET", f"{session}/export").body.decode().rpartition("---")[2]
    assert "*read [2]*" in last.replace("\\", "")


def test_the_switch_decides_the_next_answer(at: Served, server: LoopbackServer) -> None:
    session = at.begin(search=True, read=True)
    at.ask(session, "/read off")
    at.model.says("I do not know [2].")
    sent = at.ask(session, "When does the tea house close?")
    assert server.requests == []
    assert marks(sent[-1].data["sources"]) == {1: False, 2: False}
    assert "已读" not in at.call("GET", f"{session}/export").body.decode()


def test_a_client_of_openai_is_told_in_the_annotations(server: LoopbackServer) -> None:
    server.on("/open", ARTICLE)
    server.on("/wall", replies.status(403))
    pages = [result(n, url=server.url(path)) for n, path in enumerate(("/open", "/wall"), 1)]
    with served(found(*pages), CITESEEK_CHAT_READ="on", **PATIENT) as at:
        at.model.says("At half past nine [1][2].")
        asked = {"model": "citeseek-chat", "messages": [{"role": "user", "content": "tea?"}]}
        told = at.http("POST", "/v1/chat/completions", asked).json()
    cited = [each["url_citation"] for each in told["choices"][0]["message"]["annotations"]]
    assert [each["was_read"] for each in cited] == [True, False]
