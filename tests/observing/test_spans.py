"""OpenTelemetry spans of real searches, pages and answers, as an exporter gets them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from tests.assistant.chatting import chatting, done
from tests.command import run_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, replies

from citeseek import Client, observing
from citeseek.errors import BadGateway
from citeseek.observing import hooks
from citeseek.observing.otel_spans import Spans
from citeseek.observing.span_export import spans

RESULTS = replies.as_json({"results": [{"url": "https://a.example/", "title": "A"}]})


class Exported:
    """What was exported so far."""

    def __init__(self) -> None:
        self._memory = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._memory))

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._memory.get_finished_spans())

    def tree(self) -> list[str]:
        """Return the paths of all spans, sorted."""
        names = {span.context.span_id: span for span in self.spans if span.context}

        def path(span: ReadableSpan) -> str:
            outer = names.get(span.parent.span_id) if span.parent else None
            return f"{path(outer)} > {span.name}" if outer else span.name

        return sorted(map(path, self.spans))

    def attributes(self, name: str) -> dict[str, Any]:
        (span,) = [span for span in self.spans if span.name == name]
        return dict(span.attributes or {})


@pytest.fixture
def exported() -> Exported:
    return Exported()


async def test_a_search_has_spans_for_its_engine_and_its_request(
    server: LoopbackServer, exported: Exported
) -> None:
    server.on("/search", RESULTS)
    async with Client(settings(env={"SEARXNG_BASE_URL": server.base_url})) as client:
        with observing.watching(Spans(exported.provider)):
            for _ in range(2):
                await client.search("marked-query", engines=("searxng",))
    assert exported.tree() == [
        "citeseek.search",
        "citeseek.search",
        "citeseek.search > citeseek.engine searxng",
        "citeseek.search > citeseek.engine searxng > citeseek.request",
    ]
    request = exported.attributes("citeseek.request")
    assert request["http.response.status_code"] == 200
    assert request["http.request.method"] == "GET"
    assert request["server.address"] == server.base_url.removeprefix("http://")
    assert [span.attributes for span in exported.spans][-1] == {"citeseek.cached": True}
    assert "marked-query" not in "".join(span.to_json() for span in exported.spans)
    (engine,) = [span for span in exported.spans if span.name == "citeseek.engine searxng"]
    assert engine.kind is SpanKind.INTERNAL
    assert engine.status.status_code is StatusCode.UNSET


async def test_a_failure_is_an_error_with_its_codes(
    server: LoopbackServer, exported: Exported
) -> None:
    server.on("/search", Reply(500))
    async with Client(settings(env={"SEARXNG_BASE_URL": server.base_url})) as client:
        with observing.watching(Spans(exported.provider)), pytest.raises(BadGateway):
            await client.search("tea", engines=("searxng",))
    assert exported.attributes("citeseek.engine searxng")["error.type"] == "BadGateway"
    search = next(span for span in exported.spans if span.name == "citeseek.search")
    assert search.status.status_code is StatusCode.ERROR


async def test_a_page_has_a_span_for_each_request_on_the_way(
    server: LoopbackServer, exported: Exported
) -> None:
    server.on("/old", replies.redirect("/new"))
    server.on("/new", replies.html("<p>Tea is a plant that people drink everywhere.</p>"))
    fetch = {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}
    async with Client(settings({"web": {"fetch": fetch}})) as client:
        with observing.watching(Spans(exported.provider)):
            await client.fetch(server.url("/old"))
    assert exported.tree() == ["citeseek.fetch", *["citeseek.fetch > citeseek.request"] * 2]


async def test_an_answer_holds_its_search_and_its_model(exported: Exported) -> None:
    async with chatting() as chat:
        chat.model.says("Tea [1].")
        with observing.watching(Spans(exported.provider)):
            end = done(await chat.say("tea"))
    assert exported.tree() == [
        "citeseek.answer",
        f"citeseek.answer > citeseek.model {end.model}",
        "citeseek.answer > citeseek.search",
        "citeseek.answer > citeseek.search > citeseek.engine searxng",
        "citeseek.answer > citeseek.search > citeseek.engine searxng > citeseek.request",
    ]
    model = exported.attributes(f"citeseek.model {end.model}")
    assert model["gen_ai.usage.input_tokens"] == 7
    assert model["gen_ai.usage.output_tokens"] == 5


async def test_a_span_of_the_program_is_around_ours(
    server: LoopbackServer, exported: Exported
) -> None:
    server.on("/search", RESULTS)
    tracer = exported.provider.get_tracer("program")
    async with Client(settings(env={"SEARXNG_BASE_URL": server.base_url})) as client:
        with observing.watching(Spans(exported.provider)), tracer.start_as_current_span("mine"):
            await client.search("tea", engines=("searxng",))
    assert "mine > citeseek.search > citeseek.engine searxng" in exported.tree()


def cli(server: LoopbackServer, **env: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SEARXNG_BASE_URL": server.base_url, **env}
    return run_citeseek("search", "tea", "-e", "searxng", "-f", "json", env=env)


def test_the_setting_names_an_exporter_and_standard_output_stays_data(
    server: LoopbackServer,
) -> None:
    server.on("/search", RESULTS)
    plain = cli(server)
    told = cli(server, CITESEEK_SPANS="console")
    assert plain.returncode == told.returncode == 0
    assert '"name": "citeseek.engine searxng"' in told.stderr
    assert '"service.name": "citeseek"' in told.stderr
    assert "citeseek." not in told.stdout
    assert "citeseek.engine" not in plain.stderr


def test_an_exporter_that_is_not_there_costs_no_search(server: LoopbackServer) -> None:
    server.on("/search", RESULTS)
    told = cli(server, CITESEEK_SPANS="nowhere")
    assert told.returncode == 0
    assert "没有 exporter nowhere" in told.stderr


def test_without_the_library_it_is_said_and_nothing_else_happens(
    hide_modules: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    hide_modules("opentelemetry.sdk.trace")
    assert spans("marked-exporter") == ()
    assert "opentelemetry-sdk is not installed" in caplog.text


def test_the_program_s_own_provider_is_asked_for_by_on() -> None:
    (watcher,) = spans("on")
    assert isinstance(watcher, Spans)
    assert spans("on") == (watcher,)


async def test_where_nobody_watches_nothing_is_made() -> None:
    assert observing.operation("engine", "x") is observing.leaf("model") is hooks.NOTHING
    assert observing.call("search") is hooks.NOTHING
    assert observing.current() is None
