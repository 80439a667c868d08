"""What one call may spend holds at every door, whatever it is that is asked for there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import found, result
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer
from tests.mcp_server.hosting import LOOPBACK, article, hosted
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

TEXT = "The tea house at the lake opens at nine and closes when the last guest has gone."
NOTHING = {"CITESEEK_ANSWER_BYTES": "10"}
PAGE, LINK = "/tea", "/link"
# Method, address and body; PAGE stands for the address of a page.
SEARCHES: list[tuple[str, str, Any]] = [
    ("GET", "/api/v1/search?q=tea&engine=searxng", None),
    ("GET", "/search?q=tea&format=json", None),
    ("POST", "/tavily/search", {"query": "tea"}),
    ("POST", "/v1/search", {"query": "tea"}),
    ("POST", "/v2/search", {"query": "tea"}),
]
FETCHES: list[tuple[str, str, Any]] = [
    ("POST", "/api/v1/fetch", {"url": PAGE}),
    ("POST", "/tavily/extract", {"urls": [PAGE]}),
    ("POST", "/v1/scrape", {"url": PAGE}),
    ("POST", "/v2/scrape", {"url": PAGE}),
]


class House(NamedTuple):
    """A server whose settings a test changes, and the web that it reaches."""

    call: Caller
    web: LoopbackServer
    model: ModelServer
    env: dict[str, str]

    def ask(self, method: str, path: str, body: Any = None) -> Answered:
        """Ask, with the address of the page in the place of its name."""
        given = json.loads(json.dumps(body).replace(f'"{PAGE}"', f'"{self.web.url(LINK)}"'))
        return self.call(method, path, given)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with LoopbackServer() as web, ModelServer() as model:
        usual = {
            **LOOPBACK,
            **model.env,
            "SEARXNG_BASE_URL": web.base_url,
            "CITESEEK_ENGINE": "searxng",
            "WEB_FETCH_ROBOTS": "off",
            "WEB_FETCH_CACHE_TTL_MINUTES": "0",
            "CITESEEK_CACHE_TTL_MINUTES": "0",
        }
        env = dict(usual)
        app = create_app(lambda: settings(env=env), store=MemoryStore(), looks=False)
        with running(app) as address:
            yield House(Caller(address), web, model, env)


@pytest.fixture(autouse=True)
def _fresh(house: House) -> Iterator[None]:
    usual = dict(house.env)
    house.web.on("/search", found(result(1, url=house.web.url(PAGE))))
    house.web.on(PAGE, article("Tea", TEXT))
    # Another name of the same machine is another host.
    elsewhere = house.web.url(PAGE).replace("127.0.0.1", "localhost")
    house.web.on(LINK, replies.redirect(elsewhere))
    yield
    house.env.clear()
    house.env.update(usual)


@pytest.mark.parametrize(("method", "path", "body"), [*SEARCHES, *FETCHES])
def test_without_any_bytes_left_nothing_is_sent(
    house: House, method: str, path: str, body: Any
) -> None:
    house.env.update(NOTHING)
    before = len(house.web.requests)
    answer = house.ask(method, path, body)
    assert len(house.web.requests) == before
    assert answer.status == 429 or "10" in answer.text or "too many requests" in answer.text
    assert TEXT not in answer.text


@pytest.mark.parametrize(("method", "path", "body"), FETCHES)
def test_a_page_that_was_asked_for_by_its_address_is_read(
    house: House, method: str, path: str, body: Any
) -> None:
    """What the person named needs no search, and may lead on."""
    answer = house.ask(method, path, body)
    assert answer.status == 200
    assert TEXT in answer.text


@pytest.mark.parametrize(("method", "path", "body"), FETCHES)
def test_a_list_of_hosts_holds_for_addresses_as_well(
    house: House, method: str, path: str, body: Any
) -> None:
    house.env["CITESEEK_ANSWER_HOSTS"] = "listed.example"
    before = len(house.web.requests)
    answer = house.ask(method, path, body)
    assert len(house.web.requests) == before
    assert TEXT not in answer.text
    # And to a host that is listed no other one is led to.
    house.env["CITESEEK_ANSWER_HOSTS"] = "127.0.0.1"
    assert TEXT not in house.ask(method, path, body).text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tavily/search", {"query": "tea", "include_raw_content": True}),
        ("/v1/search", {"query": "tea", "scrapeOptions": {"formats": ["markdown"]}}),
    ],
)
def test_what_the_search_of_a_call_found_is_read(house: House, path: str, body: Any) -> None:
    assert TEXT in house.ask("POST", path, body).text


def test_all_pages_of_a_call_are_within_one_account(house: House) -> None:
    house.env["CITESEEK_ANSWER_REQUESTS"] = "2"
    urls = [house.web.url(path) for path in ("/one", "/two", "/three")]
    for path in ("/one", "/two", "/three"):
        house.web.on(path, article(path, TEXT))
    for _ in range(2):
        told = house.ask("POST", "/tavily/extract", {"urls": urls}).json()
        assert (len(told["results"]), len(told["failed_results"])) == (2, 1)


def test_a_check_of_citations_is_a_call_of_its_own(house: House) -> None:
    made = house.ask("POST", "/api/v1/sessions", {"search": True}).json()["id"]
    at = f"/api/v1/sessions/{made}"
    house.model.says("It opens at nine [1].")
    assert house.ask("POST", f"{at}/messages", {"text": "When does it open?"}).status == 202
    (turn,) = until(lambda: house.call("GET", at).json()["turns"])
    check = f"{at}/turns/{turn['id']}/check"
    read = house.ask("POST", check).json()
    assert read.get("unread", []) == []
    house.env.update(NOTHING)
    before = len(house.web.requests)
    refused = house.ask("POST", check).json()
    assert len(house.web.requests) == before
    assert {each["failure"]["detail_code"] for each in refused["unread"]} == {"budget_bytes"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("web_search", {"query": "tea"}),
        ("web_fetch", {"url": PAGE}),
        ("verify_citations", {"text": "It opens at nine [1].", "sources": [PAGE]}),
    ],
)
async def test_a_tool_of_mcp_is_a_call_of_its_own(
    house: House, tool: str, arguments: dict[str, Any]
) -> None:
    given = json.loads(json.dumps(arguments).replace(f'"{PAGE}"', f'"{house.web.url(LINK)}"'))
    async with hosted("http auto", house.env) as host:
        before = len(house.web.requests)
        done = await host.call_tool(tool, given)
        assert not done.is_error
        assert len(house.web.requests) > before
    async with hosted("http auto", {**house.env, **NOTHING}) as host:
        before = len(house.web.requests)
        refused = await host.call_tool(tool, given)
        assert len(house.web.requests) == before
    assert "budget_bytes" in json.dumps(refused.structured_content)
