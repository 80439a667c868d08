"""Reports over HTTP: whole, streamed, refused, failed, and stopped by going away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.assistant.chatting import found
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.loopback.models import HANG, ModelServer
from tests.rest.serving import PREFIX
from tests.serving.running import Answered, Caller, events, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

FACT = "The old tea bridge at Lin is exactly 7,845 metres long and was opened in May 2000."
PAGE = replies.html(
    f"<html><head><title>The tea bridge</title></head><body><article><h1>The tea bridge</h1>"
    f"<p>{FACT}</p><p>Its keeper sells tea at both of its ends on every day of the year.</p>"
    "</article></body></html>"
)
QUESTION = "How long is the tea bridge at Lin?"
STREAM = {"Accept": "text/event-stream"}
WAIT = {"Prefer": "wait"}


class Desk:
    """A running API, and the web that it searches and reads."""

    def __init__(self, base_url: str, web: LoopbackServer) -> None:
        self.http = Caller(base_url)
        self.web = web

    def ask(self, headers: dict[str, str] | None = None, **asked: object) -> Answered:
        headers = WAIT if headers is None else headers
        return self.http("POST", f"{PREFIX}/research", {"question": QUESTION, **asked}, headers)

    def found(self, request: Request) -> Reply:
        page = {"url": self.web.url("/bridge"), "title": "The tea bridge", "content": FACT}
        return found({**page, "engine": "stub"})


@contextmanager
def desk(**env: str) -> Iterator[Desk]:
    with LoopbackServer() as web:
        web.on("/bridge", PAGE)
        fetch = {"allow": [web.host], "fetch_delay_seconds": 0}
        where = {"SEARXNG_BASE_URL": web.base_url, "WEB_SEARCH_BACKEND": "searxng"}
        loaded = settings({"web": {"fetch": fetch}}, env={**where, **env})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(app) as base_url:
            made = Desk(base_url, web)
            web.on("/search", made.found)
            yield made


@pytest.fixture
def at() -> Iterator[Desk]:
    with desk() as made:
        yield made


def test_a_report_is_the_run_result(at: Desk) -> None:
    answer = at.ask(max_sources=1, depth=1, engines=["searxng"], model="extractive")
    assert answer.status == 200, answer.text
    run = answer.json()
    assert (run["ok"], run["task_type"], run["error"]) == (True, "research_report", None)
    assert run["result"]["query"] == QUESTION
    (source,) = run["artifacts"]["sources"]
    assert source["url"] == at.web.url("/bridge")
    quotes = [each["quote"] for each in run["artifacts"]["evidence"]]
    assert any("7,845 metres" in quote for quote in quotes)
    assert {"tool.web.search", "tool.web.fetch"} <= {step["name"] for step in run["steps"]}


def test_progress_is_streamed_and_the_result_is_the_last_event(at: Desk) -> None:
    body = {"question": QUESTION, "max_sources": 1}
    with at.http.opened("POST", f"{PREFIX}/research", body, STREAM) as response:
        assert response.status == 200
        told = list(events(response))
    assert {event.kind for event in told[:-1]} == {"progress"}
    stages = [event.data["stage"] for event in told[:-1]]
    assert list(dict.fromkeys(stages)) == ["search", "read", "rank", "write"]
    assert told[-1].kind == "result"
    assert told[-1].data["ok"]
    assert "7,845 metres" in told[-1].data["artifacts"]["report"]["text"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"question": ""}, "question"),
        ({"question": " \n"}, "没有写问题"),
        ({"question": 5}, "question"),
        ({"max_sources": 0}, "max_sources"),
        ({"max_sources": 21}, "max_sources"),
        ({"depth": 4}, "depth"),
        ({"seconds": 0.5}, "seconds"),
        ({"engines": ["nowhere"]}, "nowhere"),
        ({"sources": 3}, "sources"),
    ],
)
def test_a_wrong_call_is_a_problem_before_anything_is_sent(
    at: Desk, asked: dict[str, object], told: str
) -> None:
    for headers in ({}, WAIT, STREAM):
        refused = at.ask(headers, **asked)
        assert (refused.status, refused.json()["code"]) == (422, "InvalidInput")
        assert told in refused.json()["detail"]
    assert not at.web.requests


def test_a_run_whose_search_failed_is_a_problem_that_holds_the_run(at: Desk) -> None:
    at.web.on("/search", Reply(503, {}, b"down"))
    failed = at.ask(engines=["searxng"])
    assert failed.status == 502
    assert failed.headers["Content-Type"] == "application/problem+json"
    problem = failed.json()
    assert (problem["code"], problem["retryable"]) == ("BadGateway", True)
    assert problem["run"]["ok"] is False
    assert problem["run"]["error"]["step"] == "tool.web.search"
    body = {"question": QUESTION, "engines": ["searxng"]}
    with at.http.opened("POST", f"{PREFIX}/research", body, STREAM) as response:
        last = list(events(response))[-1]
    assert (last.kind, last.data["code"]) == ("error", "BadGateway")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_run_that_failed_is_told_in_the_language_of_who_asks(at: Desk, lang: str) -> None:
    at.web.on("/search", Reply(503, {}, b"down"))
    spoken = {"Accept-Language": lang}
    whole = at.ask(WAIT | spoken, engines=["searxng"]).json()
    body = {"question": QUESTION, "engines": ["searxng"]}
    with at.http.opened("POST", f"{PREFIX}/research", body, STREAM | spoken) as response:
        streamed = list(events(response))[-1].data
    for problem in (whole, streamed):
        assert (problem["engine"], _is_chinese(problem["detail"])) == ("searxng", lang == "zh")
    assert not _is_chinese(whole["run"]["error"]["message"])


def _is_chinese(text: str) -> bool:
    return re.search("[\u4e00-\u9fff]", text) is not None


@pytest.mark.parametrize("name", ["gpt", "nobody:knows", "openai:"])
def test_a_model_that_nobody_knows_is_a_wrong_call(at: Desk, name: str) -> None:
    for headers in ({}, WAIT, STREAM):
        refused = at.ask(headers, model=name)
        assert (refused.status, refused.json()["code"]) == (422, "InvalidInput")
        assert name.removesuffix(":") in refused.json()["detail"]
        assert "openai:gpt-5-mini" in refused.json()["hint"]
    assert not at.web.requests


def test_a_model_of_the_settings_that_cannot_be_made_is_a_problem() -> None:
    with desk(CITESEEK_MODEL="nobody:knows") as at:
        refused = at.ask()
        assert (refused.status, refused.json()["code"]) == (502, "ModelFailed")
        assert refused.json()["detail_code"] == "unknown_model"
        with at.http.opened(
            "POST", f"{PREFIX}/research", {"question": QUESTION}, STREAM
        ) as response:
            (only,) = events(response)
    assert (only.kind, only.data["detail_code"]) == ("error", "unknown_model")


@pytest.mark.parametrize("headers", [WAIT, STREAM], ids=["whole", "streamed"])
def test_a_client_that_goes_away_stops_its_run_and_makes_room(headers: dict[str, str]) -> None:
    with ModelServer() as model, desk(CITESEEK_MAX_REPORTS="1", **model.env) as at:
        model.says(HANG)
        with at.http.left("POST", f"{PREFIX}/research", {"question": QUESTION}, headers):
            model.reach(1).wait()
            second = at.ask(headers)
            assert (second.status, second.json()["detail_code"]) == (503, "too_many_reports")
            assert second.headers["Retry-After"] == "5"
        assert model.requests[0].http.closed.wait()
        tries = (at.ask(model="extractive", max_sources=1).status for _ in range(1_000))
        assert next(status for status in tries if status != 503) == 200


def test_a_stream_that_cannot_be_opened_takes_no_place() -> None:
    with desk(CITESEEK_MAX_REPORTS="1", CITESEEK_MAX_STREAMS="1") as at:
        session = at.http("POST", f"{PREFIX}/sessions", {}).json()["id"]
        with at.http.opened("GET", f"/c/{session}/events"):
            refused = at.ask(STREAM)
            assert (refused.status, refused.json()["detail_code"]) == (503, "too_many_streams")
            assert at.ask(max_sources=1).status == 200
