"""The check of a whole answer: its pages are read, and every face tells what they say."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.command import run_citeseek
from tests.loopback import LoopbackServer
from tests.loopback.models import ModelServer
from tests.rest.serving import Served, served
from tests.verification.checking import ENV, OTHER, SENTENCE, stock

from citeseek import Client
from citeseek.assistant.checking import check_citations
from citeseek.citations import Source
from citeseek.i18n import catalogue
from citeseek.settings import Settings
from citeseek.surfaces.verdict_text import check_lines
from citeseek.verification import CitationCheck

ANSWER = (
    "The tea house opened in 1912 [1]. The tea house opened in 1921 [1]. "
    "The boat house closed in 1987 [1]. The mill is old [3]."
)
VERDICTS = [(1, "supported"), (1, "contradicted"), (1, "unclear"), (3, "unfetched")]


@pytest.fixture
def at() -> Iterator[Served]:
    with served(**ENV) as running:
        stock(running.engine)
        yield running


def verdicts(told: dict[str, Any]) -> list[tuple[int, str]]:
    return [(check["number"], check["verdict"]) for check in told["checks"]]


def ask(server: LoopbackServer, model: ModelServer, *options: str) -> str:
    env = {**os.environ, **ENV, **model.env, "CITESEEK_SEARXNG_URL": server.base_url}
    done = run_citeseek("ask", "lake", "-e", "searxng", "--check", *options, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_pages_are_read_once_and_failures_are_told(server: LoopbackServer) -> None:
    stock(server)
    paths = ("/tea", "/boat", "/gone")
    sources = [Source(n, path, server.url(path), "lake") for n, path in enumerate(paths, 1)]
    async with Client(Settings.load(env=ENV)) as client:
        found = await check_citations(ANSWER, sources, client)
    assert [(check.number, check.verdict) for check in found.checks] == VERDICTS
    assert found.checks[0].evidence == SENTENCE
    assert [(page.number, page.failure.type) for page in found.unread] == [(3, "WebProviderError")]
    read = [request.path for request in server.requests]
    assert sorted(read) == ["/gone", "/tea"]  # what is not cited is not read


async def test_an_address_that_must_not_be_read_is_not(server: LoopbackServer) -> None:
    stock(server)
    async with Client(Settings.load(env={})) as client:
        found = await check_citations(
            "Tea is old [1].", [Source(1, "", server.url("/tea"), "x")], client
        )
    assert found.unread[0].failure.detail_code == "ssrf_blocked"
    assert found.checks[0].verdict == "unfetched"
    assert not server.requests


def test_the_api_checks_a_turn(at: Served) -> None:
    session = at.begin(search=True)
    at.model.says(ANSWER)
    turn = at.ask(session, "lake")[-1].data["turn_id"]
    checked = at.call("POST", f"{session}/turns/{turn}/check")
    assert checked.status == 200
    told = checked.json()
    assert verdicts(told) == VERDICTS
    assert told["checks"][0]["evidence"] == SENTENCE
    assert told["checks"][1]["missing"] == ["1921"]
    old = [check["verdict_v1"] for check in told["checks"]]
    assert old == ["supported", "unsupported", "partial", "unfetched"]
    assert told["checks"][0]["score"] > told["checks"][1]["score"] > 0
    assert [check["place"] for check in told["checks"]] == [0, 1, 2, 3]
    assert told["unread"][0]["number"] == 3


def test_the_api_names_a_turn_that_is_not_there(at: Served) -> None:
    checked = at.call("POST", f"{at.begin()}/turns/nothing/check")
    assert (checked.status, checked.json()["code"]) == (404, "NoConversation")


def test_the_api_describes_the_check(at: Served) -> None:
    told = at.http("GET", "/api/openapi.json").json()
    route = told["paths"]["/api/v1/sessions/{session_id}/turns/{turn_id}/check"]["post"]
    schema = route["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/CheckedCitations"}
    assert "CitationCheck" in told["components"]["schemas"]


def test_a_source_that_does_support_it_is_named(at: Served) -> None:
    session = at.begin(search=True)
    at.model.says(f"{OTHER[:-1]} [1]. Boats can be hired [2].")
    turn = at.ask(session, "lake")[-1].data["turn_id"]
    first, _ = at.call("POST", f"{session}/turns/{turn}/check").json()["checks"]
    assert (first["verdict"], first["elsewhere"]) == ("unclear", 2)


def test_ask_check_prints_a_line_for_each_citation(server: LoopbackServer) -> None:
    stock(server)
    with ModelServer() as model:
        model.says(ANSWER)
        said = ask(server, model)
    _, _, lines = said.partition("引用核对\n")
    assert "[1] 支持 (内容相同)" in lines
    assert "[1] 与网页不符 (与网页上的日期不同; 回答里写的是：1921)" in lines
    assert f"“{SENTENCE}”" in lines
    assert "[3] 未读到" in lines


@pytest.mark.release
def test_ask_check_as_json_holds_the_check(server: LoopbackServer) -> None:
    stock(server)
    with ModelServer() as model:
        model.says(ANSWER)
        told = json.loads(ask(server, model, "-f", "json"))
    assert verdicts(told["check"]) == VERDICTS


TWO_LOST = CitationCheck(
    number=1,
    claim="It carries about 9,300 cars a day",
    verdict="contradicted",
    verdict_v1="unsupported",
    reason="number",
    missing=("about 9,300", "cars"),
)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "(another number than the page's; in the answer: about 9,300, cars)"),
        ("zh", "(与网页上的数字不同; 回答里写的是：about 9,300、cars)"),
        ("ja", "(ページの数と違う; 回答では：about 9,300、cars)"),
    ],
)
def test_a_reason_says_whose_words_it_lists(lang: str, said: str) -> None:
    assert said in next(check_lines(TWO_LOST, catalogue(lang)))


def test_every_reason_has_words() -> None:
    from pathlib import Path
    from re import findall

    import citeseek.verification as room
    from citeseek.i18n import languages

    folder = Path(room.__file__).parent
    text = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    given = set(findall(r'(?:Objection|Support)\(\s*(?:"(?:absent|un\w+)", )?"(\w+)"', text))
    given -= {"supported"}
    for lang in languages():
        assert {f"check.reason_{reason}" for reason in given} <= set(catalogue(lang))
