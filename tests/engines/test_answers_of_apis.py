"""What all engines of APIs have in common: null for none, junk, and addresses as written."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from citeseek.engine import Engine, EngineOptions
from citeseek.errors import WebParseError, WebProviderError
from citeseek.models import Page
from citeseek.query import Query
from citeseek.searching import judge
from citeseek.searching.engine_registry import Registry
from citeseek.searching.request import base_address, prepare

TEA = Query.of("tea")
# The answer of each API with its list of results as it is given.
SHAPES: dict[str, Any] = {
    "searxng": lambda found: {"results": found},
    "tavily": lambda found: {"results": found},
    "exa": lambda found: {"results": found},
    "marginalia": lambda found: {"results": found},
    "serper": lambda found: {"organic": found},
    "hackernews": lambda found: {"hits": found},
    "brave": lambda found: {"type": "search", "web": {"results": found}},
    "google_cse": lambda found: {"kind": "customsearch#search", "items": found},
    "wikipedia": lambda found: {"batchcomplete": True, "query": {"pages": found}},
    "qwant": lambda found: {
        "status": "success",
        "data": {"result": {"items": {"mainline": [{"type": "web", "items": found}]}}},
    },
    "openalex": lambda found: {"results": found},
    "crossref": lambda found: {"message": {"items": found}},
    "semantic_scholar": lambda found: {"data": found},
    "stackexchange": lambda found: {"items": found},
    "github": lambda found: {"items": found},
    "bocha": lambda found: {"code": 200, "data": {"webPages": {"value": found}}},
}
NETWORKED = [engine for engine in Registry().built_in() if engine.via != "local"]


def read(engine_id: str, found: object) -> list[Any]:
    engine = Registry().get(engine_id)
    assert isinstance(engine, Engine)
    body = json.dumps(SHAPES[engine_id](found)).encode()
    return judge.read(engine, Page(url=engine.base_url, body=body))


def test_every_engine_with_json_is_here() -> None:
    apis = {engine.id for engine in NETWORKED if engine.kind == "api"}
    assert apis - SHAPES.keys() == {"arxiv"}


@pytest.mark.parametrize("found", [None, []])
@pytest.mark.parametrize("engine_id", SHAPES)
def test_null_in_place_of_results_is_nothing_found(engine_id: str, found: object) -> None:
    assert read(engine_id, found) == []


@pytest.mark.parametrize("found", [[1, 1, 1], [None], {}, "none", 5, True])
@pytest.mark.parametrize("engine_id", SHAPES)
def test_entries_that_are_none_are_no_nothing_found(engine_id: str, found: object) -> None:
    with pytest.raises(WebParseError) as caught:
        read(engine_id, found)
    assert caught.value.detail_code == "drift"


def test_what_is_dropped_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    good = {"title": "Tea", "url": "https://e.example/", "content": ""}
    assert len(read("searxng", [good, *[1] * 50_000])) == 1
    said = "50000 of 50001 entries dropped, first entry 2: int is no object"
    assert caplog.messages == [said]


def test_reasons_of_engines_are_short_and_speak_to_no_terminal() -> None:
    engine = Registry().get("searxng")
    assert isinstance(engine, Engine)
    loud = [["g\x1b[31m", "x\n" * 100_000], ["b", {"a": ["deep"]}], "c", ["d"]]
    body = json.dumps({"results": [], "unresponsive_engines": loud}).encode()
    with pytest.raises(Exception, match="SearXNG could not search") as caught:
        judge.read(engine, Page(url="http://s.example", body=body))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("engine", NETWORKED, ids=lambda engine: engine.id)
def test_an_address_may_name_the_path_that_the_engine_adds(engine: Engine) -> None:
    root = "https://gateway.example"
    options = EngineOptions(base_url=root, api_key="k")
    added = engine.request(TEA, options).url.removeprefix(root)
    segments = added.strip("/").split("/")
    for count in range(len(segments) + 1):
        for below in ("", "/some/place"):
            written = "/".join((root + below, *segments[:count]))
            request, _ = prepare(engine, TEA, EngineOptions(base_url=written, api_key="k"))
            assert request.url == root + below + added


def test_an_engine_whose_request_fails_keeps_its_address() -> None:
    def broken(query: Query, options: EngineOptions) -> Any:
        raise ValueError

    engine = Engine(id="own", label="Own", request=broken, parse=lambda _: [])
    assert base_address(engine, "https://e.example/search") == "https://e.example/search"


@pytest.mark.parametrize(
    ("body", "hinted"),
    [
        (b'{"error": "Bad Request"}', True),
        (b"<h1>Bad Request</h1>", True),
        (b'{"error": "Invalid value \\"xx\\" for parameter language"}', False),
    ],
)
def test_a_400_of_the_bot_detection_says_what_mends_it(body: bytes, *, hinted: bool) -> None:
    engine = Registry().get("searxng")
    assert isinstance(engine, Engine)
    with pytest.raises(WebProviderError) as caught:
        judge.read(engine, Page(url="http://s.example", status=400, body=body))
    assert ("X-Forwarded-For" in caught.value.hint) is hinted
    assert caught.value.detail_code == "http_400"


@pytest.mark.parametrize(
    ("engine_id", "answer"),
    [
        ("serper", {"searchParameters": {"q": "tea"}}),
        ("bocha", {"code": 200, "data": None}),
        ("brave", {"web": None}),
        ("brave", {"type": "search", "query": {"original": "tea"}}),
        ("google_cse", {"kind": "customsearch#search", "queries": {}}),
        ("wikipedia", {"batchcomplete": True}),
        ("wikipedia", {"batchcomplete": "", "query": []}),
        ("hackernews", {"hits": [], "nbHits": 0}),
    ],
)
def test_an_answer_without_its_list_found_nothing(engine_id: str, answer: dict[str, Any]) -> None:
    engine = Registry().get(engine_id)
    assert isinstance(engine, Engine)
    page = Page(url="https://api.example/", body=json.dumps(answer).encode())
    assert engine.parse(page) == []
