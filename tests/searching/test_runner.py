"""How one engine is run: within a deadline, and never taking rubbish for "nothing found"."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest
from msgspec import structs
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.shelf import Shelf

from citeseek.engine import EngineOptions, TransportKind
from citeseek.errors import SearchFailed, Timeout, WebParseError, WebProviderError
from citeseek.http import Proxies, Transport, Transports
from citeseek.models import Page, Request
from citeseek.query import Query
from citeseek.searching.engine_registry import Registry
from citeseek.searching.runner import Outcome, Route, Runner

SEARXNG = Registry().get("searxng")
TAVILY = Registry().get("tavily")
TEA = Query.of("tea")
PLAIN = Route(options=EngineOptions())
NOWHERE = {"title": "Tea", "url": "javascript:void(0)", "content": "A leaf."}


@pytest.fixture
async def transports() -> AsyncIterator[Transports]:
    opened = Transports()
    yield opened
    await opened.close()


def to(server: LoopbackServer) -> Route:
    return Route(options=EngineOptions(base_url=server.base_url))


async def test_results_without_a_web_address_are_a_page_that_is_not_understood(
    server: LoopbackServer, transports: Transports
) -> None:
    server.otherwise(replies.as_json({"results": [NOWHERE, NOWHERE]}))
    with pytest.raises(WebParseError, match="None of the 2 results") as caught:
        await Runner(transports).run(SEARXNG, TEA, to(server), seconds=5)
    assert caught.value.detail_code == "drift"
    assert caught.value.page is not None
    assert json.loads(caught.value.page.body)["results"] == [NOWHERE, NOWHERE]


async def test_results_without_a_web_address_are_a_plain_engines_fault(
    transports: Transports,
) -> None:
    with pytest.raises(WebProviderError, match="None of the 1 result "):
        await Runner(transports).run(
            Shelf([NOWHERE]), TEA, Route(options=EngineOptions()), seconds=5
        )


class SlowTransports(Transports):
    """The real transports, in a time of their own in which each request takes ``pace`` seconds.

    ``given`` are the seconds that each request was given.
    """

    def __init__(self, pace: float) -> None:
        super().__init__()
        self.pace = pace
        self.now = 1000.0
        self.given: list[float] = []

    def clock(self) -> float:
        return self.now

    def get(self, kind: TransportKind, proxy: str | None = None) -> Transport:
        return SlowTransport(self, super().get(kind, proxy))


class SlowTransport:
    def __init__(self, time: SlowTransports, real: Transport) -> None:
        self._time = time
        self._real = real

    async def send(self, request: Request, *, seconds: float, **limits: object) -> Page:
        self._time.given.append(seconds)
        self._time.now += self._time.pace
        return await self._real.send(request, seconds=5, **limits)

    async def end_session(self, session: str) -> None:
        await self._real.end_session(session)

    async def close(self) -> None:
        await self._real.close()


def results(*numbers: int) -> Reply:
    found = [{"title": "Tea", "url": f"https://e.example/{n}", "content": ""} for n in numbers]
    return replies.as_json({"results": found})


async def run_slowly(
    server: LoopbackServer, *answers: Reply, pace: float, count: int = 1, fill: bool = False
) -> tuple[list[float], Outcome | SearchFailed]:
    """Search within 10 s; return the seconds that each request was given, and what came of it."""
    server.on("/search", *answers)
    transports = SlowTransports(pace)
    route = Route(options=EngineOptions(base_url=server.base_url), fill=fill)
    runner = Runner(transports, clock=transports.clock)
    try:
        query = Query.of("tea", count=count)
        outcome = await runner.run(SEARXNG, query, route, seconds=10)
    except SearchFailed as error:
        return transports.given, error
    finally:
        await transports.close()
    return transports.given, outcome


HOP = replies.redirect("/search")


@pytest.mark.parametrize(
    ("answers", "given"),
    [
        ([HOP, HOP, results(1)], [10, 8, 6]),
        ([replies.status(503), results(1)], [10, 8]),
        ([faults.reset(), results(1)], [10, 8]),
        ([HOP, replies.status(503), HOP, HOP, results(1)], [10, 8, 6, 4, 2]),
    ],
    ids=["redirects", "retry after a 503", "retry after a reset", "redirects and a retry"],
)
async def test_each_request_is_given_what_is_left_of_the_deadline(
    server: LoopbackServer, answers: list[Reply], given: list[float]
) -> None:
    seconds, outcome = await run_slowly(server, *answers, pace=2)
    assert seconds == given
    assert isinstance(outcome, Outcome)
    assert len(server.requests) == len(given)


@pytest.mark.parametrize(
    "answers",
    [[HOP], [replies.status(503), HOP], [HOP, HOP, faults.reset()]],
    ids=["redirects", "a retry and redirects", "redirects and a reset"],
)
async def test_when_nothing_is_left_nothing_is_sent(
    server: LoopbackServer, answers: list[Reply]
) -> None:
    seconds, error = await run_slowly(server, *answers, pace=4)
    assert seconds == [10, 6, 2]
    assert isinstance(error, Timeout)
    assert "within 10 s" in error.message
    assert error.engine == "searxng"
    assert len(server.requests) == 3


async def test_further_pages_share_the_deadline_and_lose_nothing(server: LoopbackServer) -> None:
    pages = [results(1), results(2), results(3), results(4)]
    seconds, outcome = await run_slowly(server, *pages, pace=4, count=9, fill=True)
    assert seconds == [10, 6, 2]
    assert isinstance(outcome, Outcome)
    assert [item.url[-1] for item in outcome.items] == ["1", "2", "3"]


def with_key(server: LoopbackServer) -> Route:
    return Route(options=EngineOptions(base_url=server.base_url, api_key="a-key"))


@pytest.mark.parametrize("status", [307, 308])
async def test_a_post_stays_one_where_the_redirect_says_so(
    server: LoopbackServer, transports: Transports, status: int
) -> None:
    server.on("/search", replies.redirect("/v2?region=eu", status))
    server.on("/v2", results(1))
    outcome = await Runner(transports).run(TAVILY, TEA, with_key(server), seconds=5)
    first, second = server.requests
    assert [item.url for item in outcome.items] == ["https://e.example/1"]
    assert second.target == "/v2?region=eu"
    assert (second.method, second.body) == ("POST", first.body)
    assert second.headers["authorization"] == "Bearer a-key"
    assert second.headers["content-type"] == "application/json"


async def test_a_post_is_asked_for_after_a_303(
    server: LoopbackServer, transports: Transports
) -> None:
    server.on("/search", replies.redirect("/found", 303))
    server.on("/found", results(1))
    await Runner(transports).run(TAVILY, TEA, with_key(server), seconds=5)
    assert (server.requests[1].method, server.requests[1].body) == ("GET", b"")


async def test_the_parameters_of_a_search_are_not_added_to_where_it_is_sent(
    server: LoopbackServer, transports: Transports
) -> None:
    server.on("/search", replies.redirect("/there?q=tea", 307))
    server.on("/there", results(1))
    await Runner(transports).run(SEARXNG, TEA, to(server), seconds=5)
    assert server.requests[1].target == "/there?q=tea"


async def test_no_key_is_sent_to_another_port(
    server: LoopbackServer, transports: Transports
) -> None:
    with LoopbackServer() as other:
        server.on("/search", replies.redirect(other.url("/search"), 307))
        with pytest.raises(WebParseError) as caught:
            await Runner(transports).run(TAVILY, TEA, with_key(server), seconds=5)
        assert (caught.value.detail_code, caught.value.engine) == ("redirect", "tavily")
        assert not other.requests


async def test_each_redirect_has_the_proxy_of_its_scheme(
    server: LoopbackServer, transports: Transports
) -> None:
    asked: list[str | None] = []

    class Noting(Transports):
        def get(self, kind: TransportKind, proxy: str | None = None) -> Transport:
            asked.append(proxy)
            return transports.get(kind)

    server.on("/search", replies.redirect(server.url("/s").replace("http:", "https:")))
    route = structs.replace(to(server), proxies=Proxies(https="http://127.0.0.1:9"))
    with pytest.raises(SearchFailed):
        await Runner(Noting()).run(SEARXNG, TEA, route, seconds=5)
    assert asked[:2] == [None, "http://127.0.0.1:9"]


@pytest.mark.parametrize(
    ("published", "told"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 10, tzinfo=UTC), "2026-03-01T10:00:00+00:00"),
        (None, None),
        ("", None),
    ],
)
async def test_the_date_of_a_plain_engines_result_is_kept(
    transports: Transports, published: object, told: str | None
) -> None:
    found = {"title": "Tea", "url": "https://e.example/", "published_at": published}
    for shape in (found, SimpleNamespace(**found)):
        outcome = await Runner(transports).run(Shelf([shape]), TEA, PLAIN, seconds=5)
        assert outcome.items[0].published_at == told


async def test_a_plain_engine_that_is_not_asynchronous_is_told_so(transports: Transports) -> None:
    class Blocking:
        id = "blocking"

        def search(self, query: str, num_results: int) -> list[object]:
            return []

    with pytest.raises(WebProviderError, match="async def search"):
        await Runner(transports).run(Blocking(), TEA, PLAIN, seconds=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ValueError("set LIBRARY_URL first"), "(ValueError: set LIBRARY_URL first)"),
        (KeyError("books"), "(KeyError: 'books')"),
        (ValueError(""), "(ValueError)"),
        (ValueError("two\nlines \x1b[31mred"), "(ValueError: two lines [31mred)"),
        (ValueError("refused my-own-key"), "(ValueError: refused ***)"),
        (ValueError("api_key=abc123 is old"), "(ValueError: api_key=*** is old)"),
        (ValueError("the token abc is old"), "(ValueError: the token *** is old)"),
        (ValueError("got sk-0123456789abcdef"), "(ValueError: got ***)"),
        (
            ValueError("at https://me:pw@s.example/?q=1"),
            "(ValueError: at https://***@s.example)",
        ),
    ],
)
async def test_what_an_engine_raises_is_said_without_secrets(
    transports: Transports, raised: Exception, said: str
) -> None:
    route = Route(options=EngineOptions(api_key="my-own-key"))
    with pytest.raises(WebProviderError) as caught:
        await Runner(transports).run(Shelf(raised), TEA, route, seconds=5)
    assert said in caught.value.message
