"""What is refused for the moment says so in one way, whoever refuses and in whatever dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from tests.assistant.chatting import FOUND
from tests.loopback import Reply, Request
from tests.loopback.models import HANG
from tests.loopback.signals import Signal
from tests.rest.serving import PREFIX, Served, served
from tests.serving.guarding import guarding
from tests.serving.running import Answered, Caller, events, running

from citeseek.assistant.assistant import Assistant
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import AuthError, Busy, CiteseekError, ModelFailed, Timeout, WebBlocked
from citeseek.live_answers.hub import Hub
from citeseek.surfaces.rest.problems import handle
from citeseek.surfaces.server.rules import Rules

STREAM = {"Accept": "text/event-stream"}
COMPLETION = {
    "model": "citeseek-chat",
    "stream": True,
    "messages": [{"role": "user", "content": "tea"}],
}
# What each one says, whether it can be waited for, and whether the wait is known.
FAILURES: tuple[tuple[CiteseekError, bool, bool], ...] = (
    (Busy("Full.", detail_code="too_many_reports", retry_after=4.2), True, True),
    (Busy("Full.", detail_code="too_many_sessions"), False, False),
    (WebBlocked("Slower.", detail_code="http_429", retry_after=7), True, True),
    (WebBlocked("Who are you?", detail_code="captcha_required", retry_after=7), False, False),
    (AuthError("No key.", retry_after=7), False, False),
    (Timeout("Too late."), True, False),
    (ModelFailed("Slow.", detail_code="timeout"), True, False),
    (ModelFailed("No key.", detail_code="auth"), False, False),
)


def told(answered: Answered) -> tuple[int, str, bool, bool]:
    """Return status, detail code, whether it may be tried again, and whether it says when."""
    problem = answered.json()
    problem = problem.get("error", problem)
    waits = answered.headers["Retry-After"]
    assert waits is None or int(waits) > 0
    return answered.status, problem["detail_code"], problem["retryable"], waits is not None


@pytest.fixture(scope="module")
def failing() -> Iterator[Caller]:
    app = FastAPI()
    handle(app)

    async def fail(number: int) -> None:
        raise FAILURES[number][0]

    for prefix in (PREFIX, "/v1"):
        app.add_api_route(f"{prefix}/{{number}}", fail)
    with running(app) as base_url:
        yield Caller(base_url)


@pytest.mark.parametrize("prefix", [PREFIX, "/v1"])
@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_wait_is_named_only_for_what_waiting_can_help(
    failing: Caller, number: int, prefix: str
) -> None:
    error, retryable, waits = FAILURES[number]
    assert error.retryable is retryable
    assert told(failing("GET", f"{prefix}/{number}"))[2:] == (retryable, waits)


@pytest.mark.parametrize("path", [f"{PREFIX}/engines", "/v1/models", "/mcp"])
def test_more_than_the_number_of_requests_a_minute_can_be_waited_for(path: str) -> None:
    with guarding(Rules(per_minute=1)) as at:
        at.call("GET", path)
        assert told(at.call("GET", path)) == (429, "", True, True)


@pytest.fixture(scope="module")
def full() -> Iterator[tuple[Served, str]]:
    """Give a server whose only stream is open, and a conversation."""
    with served(FOUND, CITESEEK_MAX_STREAMS="1", CITESEEK_MAX_ANSWERS="1") as at:
        session = at.begin()
        with at.http.opened("GET", f"{session.replace('/sessions', '/c')}/events"):
            yield at, session


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"{PREFIX}/search?q=tea", None),
        ("POST", f"{PREFIX}/research", {"question": "tea"}),
        ("POST", f"{PREFIX}{{session}}/messages", {"text": "tea"}),
        ("POST", "/v1/chat/completions", COMPLETION),
    ],
)
def test_a_stream_too_many_is_refused_before_anything_is_begun(
    full: tuple[Served, str], method: str, path: str, body: Any
) -> None:
    at, session = full
    refused = at.http(method, path.format(session=session), body, STREAM)
    assert told(refused) == (503, "too_many_streams", True, True)
    assert not at.engine.requests
    assert not at.model.requests
    shown = at.call("GET", session).json()
    assert (shown["turns"], shown.get("running")) == ([], None)


def test_two_streams_at_once_do_not_both_get_the_last_place() -> None:
    late = Signal()

    def slowly(_: Request) -> Reply:
        late.wait()
        return FOUND

    path = f"{PREFIX}/search?q=tea&engine=searxng"
    with served(slowly, CITESEEK_MAX_STREAMS="1") as at, at.http.left("GET", path, None, STREAM):
        at.engine.requests.reach(1).wait()
        assert told(at.http("GET", path, None, STREAM)) == (503, "too_many_streams", True, True)
        assert len(at.engine.requests) == 1
        late.set()


def test_a_client_that_goes_away_before_its_stream_begins_makes_room() -> None:
    path = f"{PREFIX}/search?q=tea&engine=searxng"
    with served(replace(FOUND, delay=20), CITESEEK_MAX_STREAMS="1") as at:
        with at.http.left("GET", path, None, STREAM):
            at.engine.requests.reach(1).wait()
        stub = f"{PREFIX}/search?q=tea&engine=stub"
        tries = (at.http("GET", stub, None, STREAM).status for _ in range(1_000))
        assert next(status for status in tries if status != 503) == 200


def test_answers_in_the_way_can_be_waited_for() -> None:
    with served(FOUND, CITESEEK_MAX_ANSWERS="1") as at:
        at.model.says("Tea", HANG)
        first, second = at.begin(search=False), at.begin(search=False)
        asked = {"text": "tea"}
        with at.http.opened("POST", f"{PREFIX}{first}/messages", asked, STREAM) as response:
            next(events(response))
            again = at.call("POST", f"{first}/messages", asked)
            assert told(again) == (409, "answering", True, True)
            other = at.call("POST", f"{second}/messages", asked)
            assert told(other) == (503, "too_many_answers", True, True)


async def test_a_server_that_stops_can_be_waited_for() -> None:
    async with Assistant(store=MemoryStore()) as assistant:
        hub = Hub(assistant)
        conversation = await hub.create()
        await hub.close()
        with pytest.raises(Busy) as refused:
            await hub.ask(conversation.id, "tea")
    assert (refused.value.detail_code, refused.value.retryable) == ("stopping", True)


def test_a_wait_of_400_digits_is_a_day() -> None:
    slow = Reply(429, {"Retry-After": "9" * 400}, b"slow down")
    with served(slow, WEB_SEARCH_BACKEND="searxng") as api:
        answer = api.call("GET", "/search?q=tea&engine=searxng")
    assert (answer.status, answer.json()["detail_code"]) == (503, "http_429")
    assert answer.headers["Retry-After"] == "86400"


def test_answers_have_the_same_places_in_every_dialect() -> None:
    with served(FOUND, CITESEEK_MAX_ANSWERS="1") as api:
        api.model.says(HANG, always=True)
        session = api.begin(search=False)
        begun = api.call("POST", f"{session}/messages", {"text": "tea"})
        refused = api.http("POST", "/v1/chat/completions", {**COMPLETION, "stream": False})
        assert (refused.status, refused.json()["error"]["detail_code"]) == (503, "too_many_answers")
        api.http("DELETE", begun.json()["events"])
        # The place is free again, for the other dialect too.
        with api.http.opened("POST", "/v1/chat/completions", COMPLETION) as answer:
            assert answer.status == 200
            other = api.begin(search=False)
            assert api.call("POST", f"{other}/messages", {"text": "tea"}).status == 503
