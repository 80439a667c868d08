"""Messages and answers over HTTP: streamed, followed, resumed, stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.loopback.models import HANG
from tests.loopback.signals import Signal
from tests.rest.serving import PREFIX, Served, served
from tests.serving.running import Sent, events

STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def at() -> Iterator[Served]:
    with served() as running:
        yield running


def kinds(sent: list[Sent]) -> list[str]:
    return [event.kind for event in sent if event.kind != "token"]


@pytest.mark.requirement("S0-24", "S1-33")
def test_an_answer_streams_with_links_and_sources(at: Served) -> None:
    at.model.says("Tea is a leaf [1]. Not [99].", chunk=4)
    sent = at.ask(at.begin(search=True), "tea")
    way = ["started", "search_started", "search_done", "citation"]
    assert kinds(sent) == [*way, "notice", "done"]
    assert sent[-2].data["code"] == "unknown_sources"
    assert [event.id for event in sent] == [str(n) for n in range(1, len(sent) + 1)]
    done = sent[-1].data
    url = done["sources"][0]["url"]
    assert done["answer"] == f"Tea is a leaf [[1]]({url}). Not [99]."
    assert done["text"] == "".join(e.data["text"] for e in sent if e.kind == "token")
    assert done["text"].startswith(done["answer"])
    assert done["cited"] == [1]


@pytest.mark.requirement("S1-31")
def test_with_the_switch_off_nothing_is_searched(at: Served) -> None:
    at.model.says("Tea.")
    sent = at.ask(at.begin(), "tea")
    assert kinds(sent) == ["started", "done"]
    assert not at.engine.requests


@pytest.mark.requirement("S1-119")
def test_the_next_message_follows_the_new_state(at: Served) -> None:
    session = at.begin()
    for on in (True, False, True):
        at.call("PATCH", session, {"search": on})
        at.model.says("Tea.")
        before = len(at.engine.requests)
        at.ask(session, "tea")
        assert len(at.engine.requests) - before == on


@pytest.mark.requirement("S1-3")
def test_a_command_moves_the_switch_that_the_api_shows(at: Served) -> None:
    session = at.begin()
    sent = at.ask(session, "/search on")
    assert kinds(sent) == ["notice", "state", "done"]
    assert sent[1].data["switch"]["value"]
    assert at.call("GET", session).json()["switch"]["state"] == "开启"
    assert at.call("GET", session).json()["turns"] == []


def test_an_answer_is_resumed_behind_the_last_event(at: Served) -> None:
    at.model.says("Tea is a leaf [1].", chunk=3)
    session = at.begin(search=True)
    begun = at.call("POST", f"{session}/messages", {"text": "tea"})
    assert begun.status == 202
    path = begun.json()["events"]
    assert path == begun.headers["Location"]
    with at.http.opened("GET", path) as response:
        whole = list(events(response))
    for place in (0, 1, 4, len(whole)):
        with at.http.opened("GET", path, headers={"Last-Event-ID": str(place)}) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            assert [event.id for event in events(response)] == [event.id for event in whole[place:]]


def test_an_answer_goes_on_when_the_connection_ends(at: Served) -> None:
    go = Signal()
    at.model.says("Tea ", go, "is a leaf.")
    session = at.begin()
    path = f"{PREFIX}{session}/messages"
    with at.http.opened("POST", path, {"text": "tea"}, STREAM) as response:
        where = response.headers["Location"]
        first = next(event for event in events(response) if event.kind == "token")
    go.set()
    with at.http.opened("GET", where, headers={"Last-Event-ID": first.id}) as response:
        rest = list(events(response))
    assert rest[-1].data["answer"] == "Tea is a leaf."
    assert at.call("GET", session).json()["turns"][0]["outcome"] == "answered"


def test_stopping_keeps_what_was_written(at: Served) -> None:
    at.model.says("Tea is", HANG)
    session = at.begin()
    where = at.call("POST", f"{session}/messages", {"text": "tea"}).json()["events"]
    with at.http.opened("GET", where) as response:
        seen = []
        for event in events(response):
            seen.append(event)
            if event.kind == "token":
                assert at.http("DELETE", where).status == 204
    assert seen[-1].data["outcome"] == "stopped"
    shown = at.call("GET", session).json()
    assert (shown["running"], shown["turns"][0]["written"]) == (None, "Tea is")


def test_one_answer_at_a_time(at: Served) -> None:
    at.model.says("Tea", HANG)
    session = at.begin()
    where = at.call("POST", f"{session}/messages", {"text": "tea"}).json()["events"]
    assert at.call("GET", session).json()["running"] == where.rpartition("/")[2]
    second = at.call("POST", f"{session}/messages", {"text": "again"})
    assert (second.status, second.json()["detail_code"]) == (409, "answering")
    at.http("DELETE", where)


@pytest.mark.requirement("S1-69", "S1-73")
def test_a_failed_search_is_told_and_the_answer_comes() -> None:
    from tests.loopback import Reply

    with served(Reply(500, {}, b"Traceback: secret of the upstream")) as at:
        at.model.says("From memory.")
        sent = at.ask(at.begin(search=True), "tea")
        assert kinds(sent) == ["started", "search_started", "search_failed", "notice", "done"]
        notice = next(event.data for event in sent if event.kind == "notice")
        assert "搜索服务不可用" in notice["text"]
        assert "Traceback" not in str([event.data for event in sent])
        assert sent[-1].data["answer"] == "From memory."


@pytest.mark.parametrize(
    ("text", "status"), [("", 422), (" \n", 422), ("x" * 32_001, 422), (5, 422)]
)
def test_no_message_is_a_problem(at: Served, text: object, status: int) -> None:
    refused = at.call("POST", f"{at.begin()}/messages", {"text": text})
    assert (refused.status, refused.json()["code"]) == (status, "InvalidInput")


def test_unknown_places_are_problems(at: Served) -> None:
    session = at.begin()
    assert at.call("POST", "/sessions/nobody/messages", {"text": "tea"}).status == 404
    assert at.call("GET", f"{session}/answers/none").status == 404
    assert at.call("DELETE", f"{session}/answers/none").status == 404
    at.model.says("Tea.")
    where = at.call("POST", f"{session}/messages", {"text": "tea"}).json()["events"]
    for number in ("x", "-1", "9" * 5_000):
        assert at.http("GET", where, headers={"Last-Event-ID": number}).status == 422
    nowhere = at.call("GET", "/nowhere")
    assert (nowhere.status, nowhere.json()["status"]) == (404, 404)
    assert at.call("PUT", session, {}).status == 405
