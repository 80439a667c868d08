"""Clients of a SearXNG and of OpenAI get the same results, and failures as they know them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from tests.loopback import LoopbackServer, refused_port, replies
from tests.surfaces.an_engine import FAILURES, ITEMS, QUERIES, RESULTS, TITLE, echo
from tests.surfaces.asking import LIBRARY, Env, Outcome, all_at, of_items
from tests.surfaces.sharing import SHARED, Told

# How a SearXNG says why an engine gave nothing.
REASONS = {
    "401": "access denied",
    "403": "access denied",
    "404": "server API error: The engine refused the request (HTTP 404).",
    "429": "too many requests",
    "502": "HTTP error",
    "its engines": "HTTP error",
    "a page": "parsing error",
    "cut JSON": "parsing error",
    "reset": "HTTP connection error",
    "silence": "timeout",
}
CITING = "Tea [1]. More [2]. And [3]. Last [4]."


async def searxng(env: Env, query: str, **given: str) -> Told:
    return await SHARED.ask(env, f"/search?{urlencode({'q': query, 'format': 'json', **given})}")


async def completed(env: Env, query: str) -> Any:
    """Return the message of an answer that cites the first four results."""
    SHARED.model.says(CITING)
    messages = [{"role": "user", "content": query}]
    told = await SHARED.ask(
        env, "/v1/chat/completions", {"model": "citeseek-chat", "messages": messages}
    )
    assert told.status == 200
    return told.json["choices"][0]["message"]


def of_searxng(told: Told) -> Outcome:
    results = told.json["results"]
    return of_items(
        [
            {**result, "snippet": result["content"], "rank": result["positions"][0]}
            for result in results
        ]
    )


def test_every_failure_has_its_words() -> None:
    assert REASONS.keys() == FAILURES.keys()


async def test_items_are_the_same(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": RESULTS}))
    env = all_at(server.base_url)
    told = await searxng(env, "tea")
    assert told.status == 200
    assert of_searxng(told) == await LIBRARY.ask(env, "tea") == Outcome(tuple(ITEMS))
    assert told.json["number_of_results"] == len(ITEMS)
    assert told.json["unresponsive_engines"] == []


async def test_the_citations_of_an_answer_are_the_same_pages(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": RESULTS}))
    message = await completed(all_at(server.base_url), "tea")
    cited = [annotation["url_citation"] for annotation in message["annotations"]]
    assert [(page["title"], page["url"]) for page in cited] == [item[:2] for item in ITEMS]
    assert message["egress"]["requests"] == len(server.requests) == 1


async def test_nothing_found_is_no_failure(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": []}))
    env = all_at(server.base_url)
    told = await searxng(env, "tea")
    assert (told.status, told.json["results"], told.json["unresponsive_engines"]) == (200, [], [])
    assert "不可用" not in (await completed(env, "tea"))["content"]


@pytest.mark.parametrize("kind", QUERIES)
async def test_a_query_reaches_the_engine_as_it_was_written(
    kind: str, server: LoopbackServer
) -> None:
    written, sent = QUERIES[kind]

    server.on("/search", echo)
    found = of_searxng(await searxng(all_at(server.base_url), written))
    assert server.requests[0].param("q") == (sent or written)
    assert found.items[0][0] == (sent or written)[:TITLE]


@pytest.mark.parametrize("kind", FAILURES)
async def test_a_failure_names_the_engine_and_why(kind: str, server: LoopbackServer) -> None:
    server.on("/search", FAILURES[kind][0])
    env = {**all_at(server.base_url), "WEB_SEARCH_TIMEOUT_MS": "1000" if kind == "silence" else ""}
    told = await searxng(env, "tea")
    assert (told.status, told.json["results"]) == (200, [])
    assert told.json["unresponsive_engines"] == [["searxng", REASONS[kind]]]


@pytest.mark.parametrize(
    ("question", "told"), [("tea", "The search service is unavailable"), ("茶", "搜索服务不可用")]
)
async def test_an_answer_says_that_the_search_failed_and_cites_nothing(
    question: str, told: str
) -> None:
    with refused_port() as port:
        message = await completed(all_at(f"http://127.0.0.1:{port}"), question)
    assert message["content"].startswith(f"> ⚠️ {told}")
    assert message["annotations"] == []


@pytest.mark.parametrize(
    "given",
    [
        {"q": " \u3000\n"},
        {"q": "x" * 4_001},
        {"pageno": "0"},
        {"language": "klingon!"},
        {"time_range": "soon"},
        {"safesearch": "maybe"},
    ],
)
async def test_what_cannot_be_asked_is_refused(
    given: dict[str, str], server: LoopbackServer
) -> None:
    told = await searxng(all_at(server.base_url), given.pop("q", "tea"), **given)
    assert told.status == 400
    assert told.json.keys() == {"error"}
    assert not server.requests


async def test_a_question_that_cannot_be_asked_is_refused(server: LoopbackServer) -> None:
    for text in (" \n", "x" * 32_001):
        body = {"model": "citeseek-chat", "messages": [{"role": "user", "content": text}]}
        told = await SHARED.ask(all_at(server.base_url), "/v1/chat/completions", body)
        assert (told.status, told.json["error"]["code"]) == (400, "InvalidInput")
    assert not server.requests
