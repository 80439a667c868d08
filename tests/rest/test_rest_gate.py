"""The gate over HTTP: its setting for a conversation, its event, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.assistant.chatting import found, result
from tests.assistant.test_answer_gate import FORGED, PAGE, PLAIN, TRUE
from tests.assistant.test_chat_reads import page
from tests.loopback import LoopbackServer
from tests.rest.serving import PREFIX, Served, served
from tests.rest.test_rest_answers import STREAM
from tests.rest.test_rest_reads import PATIENT
from tests.serving.running import events


@pytest.fixture
def at(server: LoopbackServer) -> Iterator[Served]:
    server.on("/tea", page(PAGE))
    with served(found(result(1, url=server.url("/tea"))), **PATIENT) as running:
        yield running


def test_the_gate_of_a_conversation_is_kept_and_moved(at: Served) -> None:
    session = at.begin()
    assert at.call("GET", session).json()["gate"] == "off"
    assert at.call("PATCH", session, {"gate": "mark"}).json()["gate"] == "mark"
    assert at.call("PATCH", session, {"title": "tea"}).json()["gate"] == "mark"
    assert at.call("GET", at.begin(gate="hold")).json()["gate"] == "hold"
    assert at.call("PATCH", session, {"gate": "shut"}).status == 422
    (state,) = [event for event in at.ask(session, "/gate hold") if event.kind == "state"]
    assert state.data["gate"] == "hold"
    assert at.call("GET", session).json()["gate"] == "hold"


def test_verdicts_are_events_and_stay_with_the_turn(at: Served) -> None:
    session = at.begin(search=True, read=True, gate="hold")
    at.model.says(f"{TRUE} {FORGED} {PLAIN}", chunk=6)
    at.model.says("I do not know.")
    sent = at.ask(session, "tea house")
    judged = [event.data["sentence"] for event in sent if event.kind == "sentence_judged"]
    assert [(each["text"], each["fate"]) for each in judged] == [(TRUE, "kept"), (FORGED, "struck")]
    assert judged[1]["checks"][0]["verdict"] == "contradicted"
    assert judged[1]["checks"][0]["evidence"] == PAGE
    told = "".join(event.data["text"] for event in sent if event.kind == "token")
    assert told == sent[-1].data["text"]
    assert "~~The tea house at the lake opened in 1921" in told
    (turn,) = at.call("GET", session).json()["turns"]
    assert turn["judged"] == judged
    assert turn["answer"] == sent[-1].data["answer"]
    export = at.call("GET", f"{session}/export").body.decode()
    assert "~~The tea house at the lake opened in 1921" in export
    assert "## Check of the sentences" in export
    assert PAGE in export.replace("\\", "")


def test_who_comes_back_with_the_number_of_an_event_hears_the_rest(at: Served) -> None:
    session = at.begin(search=True, read=True, gate="mark")
    at.model.says(f"{TRUE} {FORGED}")
    path = f"{PREFIX}{session}/messages"
    with at.http.opened("POST", path, {"text": "tea house"}, STREAM) as response:
        where = response.headers["Location"]
        sent = list(events(response))
    first = next(event for event in sent if event.kind == "sentence_judged")
    with at.http.opened("GET", where, headers={"Last-Event-ID": first.id}) as response:
        rest = list(events(response))
    (second,) = [event for event in rest if event.kind == "sentence_judged"]
    assert second.data["sentence"]["text"] == FORGED
    assert rest[-1].data == sent[-1].data


def test_a_client_of_openai_gets_the_text_alone(server: LoopbackServer) -> None:
    server.on("/tea", page(PAGE))
    env = {**PATIENT, "CITESEEK_CHAT_READ": "on", "CITESEEK_GATE": "hold"}
    with served(found(result(1, url=server.url("/tea"))), **env) as at:
        at.model.says(f"{TRUE} {FORGED}")
        at.model.says(TRUE.replace("opened", "was opened"))
        asked = {"model": "citeseek-chat", "messages": [{"role": "user", "content": "tea?"}]}
        told = at.http("POST", "/v1/chat/completions", asked).json()
    content = told["choices"][0]["message"]["content"]
    assert "was opened in 1912" in content
    assert "1921" not in content
    assert "judged" not in content
