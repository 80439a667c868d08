"""Search, engines, settings, health and the description over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.loopback import Reply, Request
from tests.loopback.signals import Signal
from tests.rest.serving import PREFIX, Served, served
from tests.serving.running import Caller, events, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import InvalidInput
from citeseek.settings import Settings
from citeseek.surfaces.server.app import create_app

STREAM = {"Accept": "text/event-stream"}
SECRET = "sk-secret-0123456789"


@pytest.fixture
def at() -> Iterator[Served]:
    with served(BRAVE_API_KEY=SECRET) as running:
        yield running


def test_a_search_gives_the_whole_response(at: Served) -> None:
    found = at.call("GET", "/search?q=tea&engine=searxng&count=3&language=zh-CN").json()
    assert found["provider"] == "searxng"
    assert len(found["items"]) == 3
    assert [item["rank"] for item in found["items"]] == [1, 2, 3]
    (request,) = at.engine.requests
    assert (request.param("q"), request.param("language")) == ("tea", "zh-CN")


def test_several_engines_are_asked_together(at: Served) -> None:
    found = at.call("GET", "/search?q=tea&engine=searxng&engine=stub").json()
    assert set(found["provider"].split("+")) == {"searxng", "stub"}


def test_a_search_is_streamed_as_its_engines_answer() -> None:
    late = Signal()

    def slowly(_: Request) -> Reply:
        late.wait()
        return FOUND

    with served(slowly) as at:
        path = f"{PREFIX}/search?q=tea&engine=searxng&engine=stub"
        with at.http.opened("GET", path, headers=STREAM) as response:
            told = events(response)
            first = next(told)
            late.set()
            last = list(told)[-1]
    assert (first.kind, first.data["provider"], first.data["pending"]) == (
        "response",
        "stub",
        ["searxng"],
    )
    assert (last.kind, last.data["provider"], last.data["pending"]) == (
        "response",
        "searxng+stub",
        [],
    )


@pytest.mark.release
def test_a_stream_of_a_search_that_is_wrong_or_fails_is_a_problem() -> None:
    with served(Reply(503, {}, b"down"), CITESEEK_MAX_STREAMS="1") as at:
        for query, status in (("q=", 422), ("q=tea&engine=searxng", 502)):
            assert at.call("GET", f"/search?{query}", headers=STREAM).status == status
        session = at.begin()
        with at.http.opened("GET", f"{session.replace('/sessions', '/c')}/events"):
            busy = at.call("GET", "/search?q=tea&engine=stub", headers=STREAM)
            assert (busy.status, busy.json()["detail_code"]) == (503, "too_many_streams")


@pytest.mark.parametrize(
    ("query", "told"),
    [("", "q"), ("q=", "搜索什么"), ("q=x&count=many", "count"), ("q=x&engine=nowhere", "nowhere")],
)
def test_a_wrong_search_is_a_problem(at: Served, query: str, told: str) -> None:
    refused = at.call("GET", f"/search?{query}")
    assert (refused.status, refused.json()["code"]) == (422, "InvalidInput")
    assert told in refused.json()["detail"]
    assert not at.engine.requests


def test_a_failed_search_is_a_problem_and_never_nothing_found() -> None:
    with served(Reply(503, {}, b"down")) as at:
        failed = at.call("GET", "/search?q=tea&engine=searxng")
        assert failed.status == 502
        problem = failed.json()
        assert (problem["code"], problem["engine"]) == ("BadGateway", "searxng")
        assert problem["retryable"]


def test_settings_that_cannot_be_read_are_a_problem_and_on_the_page_a_sentence() -> None:
    broken = [False]

    def load() -> Settings:
        if broken[0]:
            raise InvalidInput("config.json is damaged.", hint="Mend it.")
        return settings()

    with running(create_app(load, store=MemoryStore())) as base_url:
        broken[0] = True
        http = Caller(base_url)
        assert http("GET", "/api/v1/health").json()["detail"] == "config.json is damaged."
        page = http("GET", "/")
        assert (page.status, page.text) == (422, "config.json is damaged. Mend it.")


def test_no_secret_is_shown(at: Served) -> None:
    for path in ("/engines", "/settings", "/health"):
        shown = at.call("GET", path)
        assert shown.status == 200
        assert SECRET not in shown.text
        assert "sk-loopback" not in shown.text
    rows = at.call("GET", "/engines").json()
    assert {row["id"] for row in rows} >= {"searxng", "ddg_html", "brave"}
    assert at.call("GET", "/health").json()["status"] == "ok"


def test_the_description_names_every_route_and_type(at: Served) -> None:
    page = at.http("GET", "/api/openapi.json").json()
    assert {
        "/api/v1/sessions",
        "/api/v1/sessions/archive",
        "/api/v1/sessions/{session_id}",
        "/api/v1/sessions/{session_id}/messages",
        "/api/v1/sessions/{session_id}/answers/{answer_id}",
        "/api/v1/sessions/{session_id}/export",
        "/api/v1/sessions/{session_id}/files",
        "/api/v1/sessions/{session_id}/files/{file_id}",
        "/api/v1/search",
        "/api/v1/sessions/{session_id}/turns/{turn_id}/check",
        "/api/v1/sessions/{session_id}/turns/{turn_id}/follow-ups",
        "/api/v1/sessions/{session_id}/watch",
        "/api/v1/fetch",
        "/api/v1/research",
        "/api/v1/research/{report_id}",
        "/api/v1/research/{report_id}/events",
        "/api/v1/research/{report_id}/result",
        "/api/v1/batches",
        "/api/v1/batches/{batch_id}",
        "/api/v1/batches/{batch_id}/events",
        "/api/v1/batches/{batch_id}/result",
        "/api/v1/engines",
        "/api/v1/agents",
        "/api/v1/models",
        "/api/v1/people",
        "/api/v1/people/{name}",
        "/api/v1/shares",
        "/api/v1/shares/{share_id}",
        "/api/v1/programs",
        "/api/v1/programs/{program_id}",
        "/api/v1/settings",
        "/api/v1/health",
        "/api/v1/status",
        "/search",
        "/config",
        "/healthz",
        "/api/v1/metrics",
        "/v1/models",
        "/v1/models/{model}",
        "/v1/chat/completions",
        "/v1/responses",
        "/tavily/search",
        "/tavily/extract",
        "/v1/search",
        "/v1/scrape",
        "/v2/search",
        "/v2/scrape",
        "/v1/responses/{response_id}",
    } == set(page["paths"])
    schemas = page["components"]["schemas"]
    assert {"Session", "NewSession", "TurnShown", "Source", "Problem", "Done"} <= set(schemas)
    assert "requestBody" in page["paths"]["/api/v1/sessions"]["post"]
    for name in _references(page):
        assert name in schemas, name


def _references(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["$ref"]).rpartition("/")[2]} if "$ref" in value else set()
        return own.union(*map(_references, value.values()))
    if isinstance(value, list):
        return set().union(*map(_references, value))
    return set()
