"""The providers of the tool contract, over real servers and with no network at all."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.conftest import client_at, page, settings
from tests.loopback import LoopbackServer, Reply, faults, replies

from citeseek import Client
from citeseek.errors import (
    AuthError,
    InvalidInput,
    Timeout,
    ToolNotFound,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.faces import OPEN
from citeseek.research import Inquiry, Research
from citeseek.tools.contract import (
    BuiltinProvider,
    StubProvider,
    ToolProvider,
    WebFetchProvider,
    WebProvider,
)
from citeseek.tools.runtime import Runtime
from citeseek.tools.tool_definitions import CONTRACT_WEB_FETCH, CONTRACT_WEB_SEARCH

SEARCH = "web.search"
SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
ARTICLE = replies.html(
    f"<html><head><title>Tea</title></head><body><article><p>{SENTENCE}</p></article></body></html>"
)


class Recorder:
    """A backend that keeps what it was asked, and gives or raises ``outcome``."""

    id = "recorder"

    def __init__(self, outcome: Any = None) -> None:
        self.calls: list[tuple[str, int, int]] = []
        self._outcome = {"items": []} if outcome is None else outcome

    async def search(self, query: str, *, max_results: int, timeout_ms: int) -> Any:
        self.calls.append((query, max_results, timeout_ms))
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


async def searched(backend: Recorder, **arguments: Any) -> dict[str, Any]:
    """Return what ``web.search`` gives over ``backend``."""
    async with WebProvider(settings=settings(), backend=backend) as provider:
        return await provider.invoke(SEARCH, {"query": "tea", **arguments})


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to reach another host fail the test."""

    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize(
    "build",
    [
        lambda: WebProvider(settings=settings()),
        lambda: BuiltinProvider(settings=settings()),
        StubProvider,
    ],
    ids=["WebProvider", "BuiltinProvider", "StubProvider"],
)
@pytest.mark.requirement("S3-7")
async def test_all_providers_give_the_one_shape(build: Callable[[], ToolProvider]) -> None:
    provider = build()
    try:
        (tool,) = [tool for tool in provider.tools() if tool.name == SEARCH]
        found = await provider.invoke(SEARCH, {"query": "tea"})
    finally:
        await provider.aclose()
    assert type(found) is dict
    assert type(found["items"]) is list
    Draft202012Validator(tool.output).validate(found)


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        ("ddg_html", "ddg_html/html_results.html"),
        ("baidu_html", "baidu_html/web_2026.html"),
        ("searxng", "searxng/search.json"),
        ("bocha", "bocha/web.json"),
        ("brave", "brave/web.json"),
        ("stub", "stub"),
    ],
)
@pytest.mark.requirement("S3-1", "S3-2", "S3-14", "S3-29")
async def test_every_backend_gives_it(server: LoopbackServer, backend: str, name: str) -> None:
    if backend != "stub":
        server.otherwise(replies.html(page(name)))
    async with client_at(server.base_url, backend) as client:
        found = await WebProvider(client, backend=backend).invoke(SEARCH, {"query": "tea"})
    assert found.keys() == {"items"}
    assert 2 <= len(found["items"]) <= 5
    Draft202012Validator(CONTRACT_WEB_SEARCH.output).validate(found)
    assert {item["provider"] for item in found["items"]} == {backend}
    assert [item["rank"] for item in found["items"]] == list(range(1, len(found["items"]) + 1))


@pytest.mark.requirement("S3-10", "S3-11", "S3-15")
def test_the_schemas_say_what_goes_in_and_out() -> None:
    for tool in (CONTRACT_WEB_SEARCH, CONTRACT_WEB_FETCH):
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator.check_schema(tool.output)
        assert tool.output["type"] == "object"
    given = CONTRACT_WEB_SEARCH.parameters["properties"]
    assert given["query"] == {"type": "string", "minLength": 1}
    assert given["max_results"] == {"type": "integer", "minimum": 1, "maximum": 10}
    item = {"title": "", "url": "https://a.example/", "snippet": "", "provider": "x", "rank": 1}
    reserved = {
        "provider_meta": {"provider_name": "x", "latency_ms": 3, "request_id": "r"},
        "errors": [{"type": "Timeout", "message": "", "retryable": True}],
        "items": [{**item, "source": "y", "published_at": "2026-01-01"}],
    }
    validator = Draft202012Validator(CONTRACT_WEB_SEARCH.output)
    validator.validate(reserved)
    for wrong in (
        {"provider_meta": {"latency_ms": "3"}},
        {"errors": [{"type": "Timeout"}]},
        {"items": [{**item, "published_at": None}]},
        {"items": [{**item, "title": None}]},
        {"items": "x"},
    ):
        assert not validator.is_valid(reserved | wrong), wrong


@pytest.mark.requirement("S3-12")
async def test_a_backend_sees_query_max_results_and_the_timeout_of_the_constructor() -> None:
    backend = Recorder()
    for timeout_ms, expected in ((2_500, 2_500), (None, 15_000)):
        async with WebProvider(
            settings=settings(), backend=backend, timeout_ms=timeout_ms
        ) as provider:
            assert provider.id == "recorder"
            await provider.invoke(SEARCH, {"query": " green  tea ", "max_results": 7})
            assert backend.calls.pop() == ("green tea", 7, expected)
            await provider.invoke(SEARCH, {"query": "tea"})
            assert backend.calls.pop() == ("tea", 5, expected)


@pytest.mark.requirement("S3-12")
async def test_the_timeout_of_the_constructor_is_the_deadline(
    server: LoopbackServer,
) -> None:
    server.otherwise(faults.hang())
    async with client_at(server.base_url, "searxng") as client:
        provider = WebProvider(client, backend="searxng", timeout_ms=300)
        with pytest.raises(Timeout, match=r"0\.3 s"):
            await provider.invoke(SEARCH, {"query": "tea"})


@pytest.mark.parametrize("timeout_ms", [0, 99, 120_001, 1.5, "500", True])
def test_a_timeout_that_is_none_is_refused(timeout_ms: Any) -> None:
    with pytest.raises(InvalidInput, match="timeout_ms"):
        WebProvider(settings=settings(), timeout_ms=timeout_ms)


RESERVED: dict[str, Any] = {
    "locale": "zh-CN",
    "lang": "en",
    "time_range": "week",
    "site_filter": "example.com",
    "need_summary": True,
    "trace_id": "t-1",
    "budget_ms": 4_000,
    "of_another_version": 1,
}


@pytest.mark.requirement("S3-13")
async def test_reserved_fields_are_used_where_the_backend_can(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html(page("searxng/search.json")))
    async with client_at(server.base_url, "searxng") as client:
        provider = WebProvider(client, backend="searxng")
        found = await provider.invoke(SEARCH, {"query": "tea", **RESERVED})
    (sent,) = server.requests
    assert sent.param("q") == "tea site:example.com"
    assert sent.param("language") == "zh-CN"
    assert sent.param("time_range") == "week"
    assert len(found["items"]) == 5


@pytest.mark.parametrize("wrong", [None, "", "???", 5, -1, [], {"a": 1}, True, float("nan")])
@pytest.mark.requirement("S3-13")
async def test_reserved_fields_are_never_an_error(wrong: Any) -> None:
    backend = Recorder({"items": [{"title": "a", "url": "https://a.example/", "snippet": ""}]})
    found = await searched(backend, **{**dict.fromkeys(RESERVED, wrong), "query": "tea"})
    assert len(found["items"]) == 1
    assert len(backend.calls) == 1


@pytest.mark.requirement("S3-13")
async def test_a_budget_may_shorten_the_deadline_and_never_lengthen_it(
    server: LoopbackServer,
) -> None:
    server.otherwise(faults.hang())
    async with client_at(server.base_url, "searxng", timeout_ms=200) as client:
        patient = WebProvider(client, backend="searxng")
        with pytest.raises(Timeout, match=r"0\.2 s"):
            await patient.invoke(SEARCH, {"query": "tea", "budget_ms": 60_000})
        given = WebProvider(client, backend="searxng", timeout_ms=60_000)
        with pytest.raises(Timeout, match=r"0\.3 s"):
            await given.invoke(SEARCH, {"query": "tea", "budget_ms": 300})


@pytest.mark.usefixtures("no_connection")
@pytest.mark.requirement("S3-17", "S3-28", "S3-30", "S3-33")
async def test_unset_it_is_the_stub_without_network_or_key() -> None:
    async with WebProvider(settings=settings()) as provider:
        assert provider.id == "stub"
        first = await provider.invoke(SEARCH, {"query": "tea"})
        again = await provider.invoke(SEARCH, {"query": "tea"})
        fewer = await provider.invoke(SEARCH, {"query": "tea", "max_results": 1})
    assert first == again
    assert 2 <= len(first["items"]) <= 3
    assert fewer["items"] == first["items"][:1]


@pytest.mark.usefixtures("no_connection")
async def test_the_stub_provider_is_offline_whatever_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEB_SEARCH_BACKEND", "ddg_html")
    monkeypatch.setenv("WEB_FETCH_BACKEND", "httpx")
    async with StubProvider() as provider:
        found = await provider.invoke(SEARCH, {"query": "tea"})
        read = await provider.invoke("web.fetch", {"url": found["items"][0]["url"]})
        with pytest.raises(ToolNotFound):
            await provider.invoke("web_fetch", {"url": "https://example.com/"})
    assert {item["provider"] for item in found["items"]} == {"stub"}
    Draft202012Validator(CONTRACT_WEB_FETCH.output).validate(read)


@pytest.mark.parametrize(
    ("backend", "results", "empty", "blocked"),
    [
        pytest.param(
            "ddg_html",
            "ddg_html/html_results.html",
            "ddg_html/no_results.html",
            "ddg_html/blocked_anomaly.html",
            marks=pytest.mark.requirement("S3-18"),
            id="ddg_html",
        ),
        pytest.param(
            "baidu_html",
            "baidu_html/web_2026.html",
            "baidu_html/no_results.html",
            "baidu_html/blocked_captcha.html",
            marks=pytest.mark.requirement("S3-19"),
            id="baidu_html",
        ),
    ],
)
async def test_backends_without_key(
    server: LoopbackServer, backend: str, results: str, empty: str, blocked: str
) -> None:
    server.otherwise(replies.html(page(results)))
    chosen = settings(
        {"engines": {backend: {"base_url": server.base_url}}}, env={"WEB_SEARCH_BACKEND": backend}
    )
    async with WebProvider(settings=chosen) as provider:
        assert provider.id == backend
        found = await provider.invoke(SEARCH, {"query": "tea", "max_results": 10})
        assert len(found["items"]) >= 7
        server.otherwise(replies.html(page(empty)))
        assert await provider.invoke(SEARCH, {"query": "nothing"}) == {"items": []}
        server.otherwise(replies.html(page(blocked)))
        with pytest.raises(WebBlocked) as caught:
            await provider.invoke(SEARCH, {"query": "blocked"})
    assert caught.value.detail_code == "captcha_required"
    assert len(server.requests) == 3


@pytest.mark.requirement("S3-27", "S3-45")
async def test_brave_has_a_key_or_is_not_asked(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("brave/web.json")))
    config = {"engines": {"brave": {"base_url": server.base_url}}}
    env = {"WEB_SEARCH_BACKEND": "brave"}
    async with WebProvider(settings=settings(config, env=env)) as provider:
        with pytest.raises(AuthError, match="BRAVE_API_KEY"):
            await provider.invoke(SEARCH, {"query": "tea"})
    assert not server.requests
    env["BRAVE_API_KEY"] = "k-27"
    async with WebProvider(settings=settings(config, env=env)) as provider:
        found = await provider.invoke(SEARCH, {"query": "tea", "max_results": 10})
    assert len(found["items"]) == 10
    assert server.requests[0].headers["x-subscription-token"] == "k-27"


@pytest.mark.parametrize("name", ["web.searchx", "web_search", "web.fetch", "", "WEB.SEARCH"])
@pytest.mark.requirement("S3-38")
async def test_another_name_is_no_tool_of_the_provider(name: str) -> None:
    backend = Recorder()
    async with WebProvider(settings=settings(), backend=backend) as provider:
        with pytest.raises(ToolNotFound, match=r"web\.search"):
            await provider.invoke(name, {"query": "tea"})
    assert not backend.calls


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": " \n"},
        {"query": None},
        {"query": 5},
        *({"query": "tea", "max_results": n} for n in (0, 11, -1, 2.5, "x", "3", True, [])),
    ],
)
@pytest.mark.requirement("S3-36")
async def test_wrong_input_reaches_no_backend(arguments: dict[str, Any]) -> None:
    backend = Recorder()
    async with WebProvider(settings=settings(), backend=backend, face=OPEN) as provider:
        with pytest.raises(InvalidInput) as caught:
            await provider.invoke(SEARCH, arguments)
    assert caught.value.error_code == "InvalidInput"
    assert not backend.calls


@pytest.mark.parametrize(
    ("reply", "detail_code"),
    [
        (replies.status(403), "http_403"),
        (replies.status(429), "http_429"),
        (replies.html(page("ddg_html/blocked_anomaly.html")), "captcha_required"),
    ],
    ids=["403", "429", "captcha"],
)
@pytest.mark.requirement("S3-40", "S3-43")
async def test_a_site_that_refuses_is_web_blocked_in_the_step(
    server: LoopbackServer, reply: Reply, detail_code: str
) -> None:
    server.otherwise(reply)
    async with client_at(server.base_url, "ddg_html") as client:
        runtime = Runtime(WebProvider(client, backend="ddg_html"))
        with pytest.raises(WebBlocked) as caught:
            await runtime.invoke(SEARCH, {"query": "tea"})
    assert caught.value.detail_code == detail_code
    (step,) = runtime.steps
    assert (step.ok, step.error_code) == (False, "WebBlocked")
    assert step.meta["detail_code"] == detail_code


@pytest.mark.requirement("S3-37")
async def test_what_a_backend_raises_is_one_of_our_errors_without_its_text() -> None:
    with pytest.raises(WebProviderError) as caught:
        await searched(Recorder(RuntimeError("key sk-secret-1")))
    assert "sk-secret-1" not in str(caught.value)
    with pytest.raises(WebBlocked):
        await searched(Recorder(WebBlocked("No.", detail_code="http_403")))


@pytest.mark.requirement("S3-8")
async def test_a_backend_of_the_old_form_is_understood_and_told_of() -> None:
    items = [{"title": "Tea", "url": "https://a.example/", "snippet": "", "rank": 9}]
    with pytest.warns(DeprecationWarning, match="recorder gives a bare list"):
        old = await searched(Recorder(items))
    assert old == await searched(Recorder({"items": items}))
    assert old["items"][0] == {**items[0], "provider": "recorder", "rank": 1}


@pytest.mark.parametrize("outcome", [{"items": "x"}, {}, {"results": []}, "x", 5])
@pytest.mark.requirement("S3-9")
async def test_a_backend_without_a_list_is_not_understood(outcome: Any) -> None:
    with pytest.raises(WebParseError, match="items is no list"):
        await searched(Recorder(outcome))


@pytest.mark.requirement("S3-48")
async def test_a_link_of_baidu_is_given_as_it_is_and_not_followed(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html(page("baidu_html/web_2020.html")))
    async with client_at(server.base_url, "baidu_html") as client:
        provider = WebProvider(client, backend="baidu_html")
        found = await provider.invoke(SEARCH, {"query": "tea", "max_results": 10})
    links = [item["url"] for item in found["items"] if "/link?url=" in item["url"]]
    assert links
    assert all(link.startswith("http://www.baidu.com/link?url=") for link in links)
    assert [request.path for request in server.requests] == ["/s"]


def reading(server: LoopbackServer) -> Client:
    """Return a client that may read pages of ``server``."""
    fetch = {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0, "backend": "httpx"}
    return Client(settings({"web": {"fetch": fetch}}))


@pytest.mark.requirement("S3-49")
async def test_the_summary_of_a_fetch_names_the_landing_page(
    server: LoopbackServer,
) -> None:
    server.on("/link", replies.redirect("/tea"))
    server.on("/tea", ARTICLE)
    link = {"title": "Tea", "url": server.url("/link"), "snippet": "tea"}
    async with reading(server) as client:
        search = WebProvider(settings=settings(), backend=Recorder({"items": [link]}))
        async with search:
            run = Research(Runtime(search, WebFetchProvider(client)))
            result = (await run.run(Inquiry.of("When does the tea house open?"))).as_json()
    (fetched,) = result["artifacts"]["fetch_summaries"]
    assert fetched["url"] == server.url("/link")
    assert fetched["final_url"] == server.url("/tea")


@pytest.mark.requirement("S3-50")
async def test_a_link_that_was_read_is_not_asked_for_again(server: LoopbackServer) -> None:
    server.on("/link", replies.redirect("/tea"))
    server.on("/tea", ARTICLE)
    asked = [{"url": server.url(path)} for path in ("/link?url=a", "/link?utm_source=x&url=a#top")]
    async with reading(server) as client:
        provider = WebFetchProvider(client)
        first, again = [await provider.invoke("web.fetch", arguments) for arguments in asked]
    assert (first["cache_hit"], again["cache_hit"]) == (False, True)
    assert len(server.requests) == 2


async def test_several_engines_are_asked_together(server: LoopbackServer) -> None:
    server.on("/html/", replies.html(page("ddg_html/html_results.html")))
    server.on("/search", replies.html(page("searxng/search.json")))
    names = ("ddg_html", "searxng")
    chosen = settings({"engines": {name: {"base_url": server.base_url} for name in names}})
    async with WebProvider(settings=chosen, face=OPEN, engines=names) as provider:
        assert provider.id == "ddg_html+searxng"
        found = await provider.invoke(SEARCH, {"query": "bicycle tyre pressure"})
    assert len(server.requests) == 2
    assert len(found["items"]) == 10


@pytest.mark.parametrize(
    ("config", "named"),
    [({}, "auto"), ({"search": {"engines": ["ddg_html", "mojeek"]}}, "ddg_html+mojeek")],
)
async def test_the_id_is_what_the_settings_lead_to(config: dict[str, Any], named: str) -> None:
    async with WebProvider(settings=settings(config), face=OPEN) as provider:
        assert provider.id == named


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no engine 'nonsense'"):
        WebProvider(settings=settings(), backend="nonsense")


async def test_one_client_does_both_and_stays_open_when_it_was_lent(
    server: LoopbackServer,
) -> None:
    server.on("/tea", ARTICLE)
    async with reading(server) as client:
        async with BuiltinProvider(client) as provider:
            assert [tool.name for tool in provider.tools()] == ["web.search", "web.fetch"]
            read = await provider.invoke("web.fetch", {"url": server.url("/tea")})
        assert SENTENCE in read["text"]
        assert SENTENCE in (await client.fetch(server.url("/tea"), fresh=True)).text
