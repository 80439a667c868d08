"""The metrics of a running server: who may read them, and that they are right."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.assistant.chatting import FOUND, Answer
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, replies
from tests.loopback.models import ModelServer
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

TOKEN = "marked-token-8c1d4e"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
CHALLENGE = replies.html(page("ddg_html/blocked_anomaly.html"))


class Metered:
    """A guarded server with an engine and a model behind it."""

    def __init__(self, base_url: str, engine: LoopbackServer, model: ModelServer) -> None:
        self.call = Caller(base_url)
        self.engine = engine
        self.model = model

    def value(self, sample_name: str, /, **labels: str) -> float:
        """Return one sample, 0 when it is not there."""
        answer = self.call("GET", "/metrics", headers=BEARER)
        assert answer.status == 200, answer.text
        for family in text_string_to_metric_families(answer.text):
            for sample in family.samples:
                if sample.name == sample_name and labels.items() <= sample.labels.items():
                    return float(sample.value)
        return 0.0


@contextmanager
def metered(*answers: Answer, token: bool = False, **env: str) -> Iterator[Metered]:
    with LoopbackServer() as engine, ModelServer() as model:
        engine.on("/search", *(answers or (FOUND,)))
        given = {"CITESEEK_TOKEN": TOKEN} if token else {}
        where = {"SEARXNG_BASE_URL": engine.base_url, "CITESEEK_DDG_HTML_URL": engine.base_url}
        loaded = settings(env={**model.env, **where, **given, **env})
        inner = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        app = guard_app(inner, rules=Rules.of(loaded), meters=inner.state.meters)
        with running(app, http="h11") as base_url:
            yield Metered(base_url, engine, model)


def search(server: Metered, query: str = "tea", engine: str = "searxng") -> Answered:
    return server.call("GET", f"/api/v1/search?q={query}&engine={engine}", headers=BEARER)


def test_searches_engines_requests_bytes_and_cache_hits_are_counted() -> None:
    with metered() as server:
        assert search(server).status == 200
        assert search(server).json()["cached"]
        count = "citeseek_operation_seconds_count"
        assert server.value(count, kind="search") == 2
        assert server.value(count, kind="engine", name="searxng") == 1
        assert server.value(count, kind="request", name="pyreqwest") == 1
        assert server.value("citeseek_cache_hits_total", kind="search") == 1
        assert server.value("citeseek_egress_bytes_total", direction="in") > 1_000
        assert 10 < server.value("citeseek_egress_bytes_total", direction="out") < 1_000
        assert server.value("citeseek_breaker_state", engine="searxng", state="closed") == 1
        route = {"route": "/api/v1/search", "status": "200", "method": "GET"}
        assert server.value("citeseek_http_requests_total", **route) == 2
        waited = "citeseek_http_request_seconds_bucket"
        assert server.value(waited, route="/api/v1/search", le="+Inf") == 2


def test_an_answer_is_counted_with_its_model_though_its_request_is_over() -> None:
    with metered() as server:
        server.model.says("Tea [1].")
        session = server.call("POST", "/api/v1/sessions", {"search": True}).json()["id"]
        path = f"/api/v1/sessions/{session}"
        begun = server.call("POST", f"{path}/messages", {"text": "tea"}).json()
        assert b"event: done" in server.call("GET", begun["events"]).body
        count = "citeseek_operation_seconds_count"
        assert server.value(count, kind="answer") == 1
        assert server.value(count, kind="model") == 1
        assert server.value(count, kind="search") == 1
        assert server.value("citeseek_model_tokens_total", direction="in") == 7
        assert server.value("citeseek_model_tokens_total", direction="out") == 5
        route = {"route": "/api/v1/sessions/{session_id}/messages", "method": "POST"}
        assert server.value("citeseek_http_requests_total", **route) == 1


def test_failures_blocks_and_an_open_breaker_are_told_with_their_codes() -> None:
    with metered() as server:
        server.engine.otherwise(CHALLENGE)
        for _ in range(2):
            assert search(server, engine="ddg_html").json()["detail_code"] == "captcha_required"
        labels = {"kind": "engine", "name": "ddg_html", "code": "WebBlocked"}
        detail = {"detail_code": "captcha_required"}
        assert server.value("citeseek_failures_total", **labels, **detail) == 2
        # The second was not sent: the engine cools down.
        assert server.value("citeseek_blocks_total", engine="ddg_html", **detail) == 1
        assert server.value("citeseek_breaker_state", engine="ddg_html", state="open") == 1
        assert server.value("citeseek_breaker_seconds_left", engine="ddg_html") > 100


def test_the_token_is_asked_for_unless_the_setting_says_open() -> None:
    with metered(token=True) as server:
        for path in ("/metrics", "/api/v1/metrics"):
            closed = server.call("GET", path)
            assert closed.status == 401
            assert closed.json()["code"] == "UNAUTHORIZED"
            assert b"citeseek_" not in closed.body
            opened = server.call("GET", path, headers=BEARER)
            assert opened.headers["Content-Type"].startswith("text/plain; version=")
        for nowhere in ("/nowhere", "/api/v1/nowhere/at/all"):
            assert server.call("GET", nowhere, headers=BEARER).status == 404
        assert server.value("citeseek_http_requests_total", route="other", status="404") == 2
        # Who was refused is counted as well.
        assert server.value("citeseek_http_requests_total", route="other", status="401") == 2
    with metered(token=True, CITESEEK_METRICS="open") as server:
        assert server.call("GET", "/metrics").status == 200
        assert server.call("GET", "/api/v1/metrics").status == 200
        assert server.call("GET", "/api/v1/engines").status == 401
        assert server.call("GET", "/metrics/").status != 200


def test_off_is_off() -> None:
    with metered(CITESEEK_METRICS="off") as server:
        answer = server.call("GET", "/metrics")
        assert answer.status == 404
        assert answer.json()["hint"] == "server.metrics 设为了 off。"


def test_what_strangers_send_makes_no_new_series() -> None:
    with metered() as server:
        before = len(server.call("GET", "/metrics").text.splitlines())
        for number in range(3):
            server.call("GET", f"/nothing/{number}")
            server.call(f"MADE{number}", "/metrics")
        assert server.value("citeseek_http_requests_total", method="other") == 3
        text = server.call("GET", "/metrics").text
        assert "MADE" not in text
        assert "/nothing" not in text
        assert len(text.splitlines()) < before + 60


def test_nothing_that_was_looked_for_and_no_key_is_in_the_metrics() -> None:
    with metered(token=True, SEARXNG_API_KEY="marked-key-0123456789") as server:
        search(server, query="marked-query-7c1e")
        text = server.call("GET", "/metrics", headers=BEARER).text
        assert "marked-" not in text
        assert re.search(r"^process_resident_memory_bytes \d", text, re.MULTILINE)


def test_the_description_has_it() -> None:
    with metered() as server:
        described = server.call("GET", "/api/openapi.json").json()["paths"]
        answer = described["/api/v1/metrics"]["get"]["responses"]["200"]
        assert list(answer["content"]) == ["text/plain"]


def test_a_failing_search_keeps_its_answer() -> None:
    with metered(Reply(500)) as server:
        assert search(server).json()["code"] == "BadGateway"


@pytest.mark.release
def test_without_the_library_a_server_works_and_says_what_to_install() -> None:
    code = """
import sys
sys.modules["prometheus_client"] = None
from citeseek.settings import Settings
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app
from starlette.requests import Request
loaded = Settings.load(config={}, agents={}, env={})
app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
assert app.state.meters is None
import asyncio
said = []
async def receive(): return {"type": "http.request", "body": b"", "more_body": False}
async def send(message): said.append(message)
scope = {"type": "http", "method": "GET", "path": "/metrics", "headers": [], "query_string": b"",
         "root_path": "", "scheme": "http", "http_version": "1.1", "server": ("localhost", 80)}
asyncio.run(app(scope, receive, send))
print(said[0]["status"], said[1]["body"].decode())
"""
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("404 ")
    assert "prometheus-client" in told.stdout
