"""A judge over HTTP: right, wrong, with forged quotes, slow, silent; and what it may cost."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.command import run_citeseek
from tests.conftest import settings
from tests.language_model.test_ollama import line, ndjson
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import CUT, HANG, KEY, ModelServer
from tests.rest.serving import served
from tests.verification.checking import ENV, article, stock

from citeseek import Client
from citeseek.assistant.checking import check_citations
from citeseek.assistant.citation_judge import check_judge, judge_of
from citeseek.citations import Source
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.errors import InvalidInput

OPENED = "The tea house at the lake opened its doors in 1912."
FAMILY = "It is run by the Lindqvist family and serves 340 guests on a summer day."
TRUE = "The tea house at the lake welcomed its first guests in 1912 [1]."
FORGED = "The tea house at the lake welcomed its first guests in 1921 [1]."
JUDGE_KEY = "sk-judge-0123456789abcdef"


def says(*told: tuple[int, str, str]) -> str:
    return json.dumps([{"id": id_, "verdict": word, "quote": quote} for id_, word, quote in told])


RIGHT = says((1, "supported", OPENED))


@pytest.fixture
def judging() -> Iterator[ModelServer]:
    with ModelServer() as model:
        yield model


async def check(
    server: LoopbackServer, answer: str, base_url: str, *, pages: int = 1, **env: str
) -> CheckedCitations:
    """Check ``answer`` against ``pages`` equal pages, with a judge at ``base_url``."""
    server.on("/tea", replies.html(article(OPENED, FAMILY)))
    sources = [
        Source(number, "", f"{server.url('/tea')}?{number}", "x") for number in range(1, pages + 1)
    ]
    where = {
        "CITESEEK_JUDGE": "openai:judge",
        "CITESEEK_JUDGE_BASE_URL": base_url,
        "CITESEEK_JUDGE_API_KEY": JUDGE_KEY,
    }
    async with Client(settings(env={**ENV, **where, **env})) as client:
        judge = judge_of(client.settings, "extractive", _nothing)
        assert judge is not None
        return await check_citations(answer, sources, client, judge, priced=False)


def _nothing() -> Any:
    raise AssertionError("the model that answers is another one")


async def by_rules(server: LoopbackServer, answer: str) -> CheckedCitations:
    server.on("/tea", replies.html(article(OPENED, FAMILY)))
    async with Client(settings(env=ENV)) as client:
        return await check_citations(answer, [Source(1, "", server.url("/tea"), "x")], client)


@pytest.mark.parametrize(
    "said",
    [
        RIGHT,
        f"```json\n{RIGHT}\n```",
        f"Here is what I found:\n{RIGHT}\nI hope that helps.",
        json.dumps({"results": json.loads(RIGHT)}),
        RIGHT.replace('"id": 1', '"id": "1"').replace("supported", "SUPPORTED"),
        RIGHT[1:-1],
        f"{says((1, 'unclear', ''))} was my first thought.</think>{RIGHT}",
    ],
)
async def test_a_judge_that_is_right_lifts_what_was_unclear(
    server: LoopbackServer, judging: ModelServer, said: str
) -> None:
    judging.says(said, chunk=7)
    found = await check(server, TRUE, judging.base_url)
    (told,) = found.checks
    assert (told.verdict, told.by, told.reason) == ("supported", "judge", "paraphrase")
    assert told.evidence == OPENED
    assert found.judge is not None
    assert (found.judge.name, found.judge.asked, found.judge.lifted) == ("openai:judge", 1, 1)
    assert found.judge.failure is None
    (asked,) = judging.requests
    assert OPENED in asked.prompt
    assert TRUE[:-5] in asked.prompt


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param(FORGED, says((1, "supported", OPENED)), id="forged number, right quote"),
        pytest.param(
            FORGED, says((1, "supported", OPENED.replace("1912", "1921"))), id="forged quote"
        ),
        pytest.param(TRUE, says((1, "supported", TRUE[:-5])), id="the claim as its quote"),
        pytest.param(TRUE, says((1, "supported", "")), id="no quote"),
        pytest.param(TRUE, says((1, "supported", FAMILY)), id="quote of something else"),
        pytest.param(TRUE, says((1, "contradicted", OPENED)), id="a true claim accused"),
        pytest.param(TRUE, says((1, "perhaps", OPENED)), id="no verdict"),
        pytest.param(TRUE, says((7, "supported", OPENED)), id="of no claim"),
        pytest.param(
            TRUE, says((1, "unclear", ""), (1, "supported", OPENED)), id="two answers, first counts"
        ),
        pytest.param(
            TRUE, json.dumps([{"id": 1, "verdict": ["supported"], "quote": {}}]), id="types"
        ),
        pytest.param(TRUE, "[]", id="empty"),
    ],
)
async def test_a_judge_that_is_wrong_changes_nothing(
    server: LoopbackServer, judging: ModelServer, answer: str, said: str
) -> None:
    judging.says(said)
    found = await check(server, answer, judging.base_url)
    assert found.checks == (await by_rules(server, answer)).checks
    assert found.judge is not None
    assert (found.judge.asked, found.judge.lifted) == (1, 0)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (("I cannot judge this.",), "garbage"),
        ((RIGHT[:40],), "garbage"),
        (("[" * 100_000,), "garbage"),
        ((RIGHT[:40], CUT), "cut"),
        (("",), "empty"),
    ],
)
async def test_a_judge_that_breaks_off_or_babbles_changes_nothing(
    server: LoopbackServer, judging: ModelServer, said: tuple[Any, ...], code: str
) -> None:
    judging.says(*said, always=True)
    await unchanged(server, judging.base_url, code)


@pytest.mark.parametrize(
    ("status", "code"), [(500, "upstream"), (401, "auth"), (429, "rate_limited"), (400, "refused")]
)
async def test_a_judge_that_refuses_changes_nothing(
    server: LoopbackServer,
    judging: ModelServer,
    status: int,
    code: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    judging.fails(status, f"your key {JUDGE_KEY} is known", always=True)
    with caplog.at_level(logging.DEBUG):
        await unchanged(server, judging.base_url, code)
    assert JUDGE_KEY not in caplog.text


async def test_a_judge_that_is_not_there_changes_nothing(server: LoopbackServer) -> None:
    with LoopbackServer() as gone:
        base_url = gone.url("/v1")
    await unchanged(server, base_url, "unreachable")


async def test_a_judge_whose_provider_nobody_knows_changes_nothing(server: LoopbackServer) -> None:
    found = await check(server, TRUE, "", CITESEEK_JUDGE="nobody:knows")
    assert found.judge is not None
    assert found.judge.failure is not None
    assert found.judge.failure.detail_code == "unknown_model"


async def test_an_address_that_nobody_can_use_is_not_replaced_by_another(
    server: LoopbackServer, judging: ModelServer
) -> None:
    found = await check(server, TRUE, "ftp://x", CITESEEK_MODEL_BASE_URL=judging.base_url)
    assert found.judge is not None
    assert found.judge.failure is not None
    assert judging.requests == []


async def unchanged(server: LoopbackServer, base_url: str, code: str, **env: str) -> None:
    found = await check(server, TRUE, base_url, **env)
    assert found.checks == (await by_rules(server, TRUE)).checks
    assert found.checks[0].verdict == "unclear"
    assert found.judge is not None
    assert found.judge.failure is not None
    assert found.judge.failure.detail_code == code
    assert JUDGE_KEY not in str(found)


@pytest.mark.release
@pytest.mark.parametrize("before", [(), (RIGHT[:30],)])
async def test_a_judge_that_hangs_is_left_after_its_time(
    server: LoopbackServer, judging: ModelServer, before: tuple[str, ...]
) -> None:
    judging.says(*before, HANG)
    await unchanged(server, judging.base_url, "timeout", CITESEEK_JUDGE_SECONDS="1")


@pytest.mark.release
async def test_what_came_in_time_counts_though_another_page_hangs(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says(RIGHT)
    judging.says(HANG)
    answer = f"{TRUE} {TRUE.replace('[1]', '[2]')}"
    found = await check(server, answer, judging.base_url, pages=2, CITESEEK_JUDGE_SECONDS="2")
    assert sorted(told.verdict for told in found.checks) == ["supported", "unclear"]
    assert found.judge is not None
    assert (found.judge.asked, found.judge.lifted) == (2, 1)
    assert found.judge.failure is not None


async def test_claims_of_one_page_are_one_request_and_their_number_has_a_bound(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says("[]", always=True)
    answer = " ".join(TRUE.replace("its first", f"{name} and its first") for name in "ABCDEFGHIJ")
    found = await check(server, answer, judging.base_url, CITESEEK_JUDGE_MAX_CLAIMS="9")
    assert found.judge is not None
    assert found.judge.asked == 9
    assert len(judging.requests) == 2  # 8 and 1
    assert all(asked.prompt.count(OPENED) == 1 for asked in judging.requests)


async def test_what_is_sent_has_a_bound_in_tokens(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says("[]", always=True)
    answer = " ".join([TRUE] * 40)
    bounds = {"CITESEEK_JUDGE_MAX_TOKENS": "500", "CITESEEK_JUDGE_MAX_CLAIMS": "200"}
    found = await check(server, answer, judging.base_url, **bounds)
    assert found.judge is not None
    assert 0 < found.judge.asked < 40
    assert sum(len(asked.prompt) for asked in judging.requests) < 4 * 500 + 1_000


async def test_a_model_that_does_not_end_is_not_listened_to(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says("no " * 5_000, HANG)
    await unchanged(server, judging.base_url, "garbage")


async def test_the_receipt_names_the_judge_and_its_tokens(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says(RIGHT)
    prices = {"CITESEEK_MODEL_PRICE_IN": "1", "CITESEEK_MODEL_PRICE_OUT": "1"}
    found = await check(server, TRUE, judging.base_url, **prices)
    assert found.egress is not None
    assert found.egress.model is not None
    assert found.egress.model.name == "openai:judge"
    assert found.egress.model.host in judging.base_url
    assert (found.egress.model.calls, found.egress.model.input_tokens) == (1, 7)
    # The prices are those of the model that answers.
    assert found.egress.model.cost is None


async def test_no_key_goes_to_an_address_that_it_was_not_given_for(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says(RIGHT, always=True)
    model = {"CITESEEK_MODEL": "openai:big", "CITESEEK_MODEL_API_KEY": KEY}
    await check(server, TRUE, judging.base_url, CITESEEK_JUDGE_API_KEY="", **model)
    (asked,) = judging.requests
    assert KEY not in str(asked.http.headers)
    assert KEY not in asked.prompt


async def test_a_judge_of_the_same_provider_is_where_the_model_is(
    server: LoopbackServer, judging: ModelServer
) -> None:
    judging.says(RIGHT)
    none = {"CITESEEK_JUDGE_API_KEY": ""}
    found = await check(server, TRUE, "", **judging.env, **none)
    assert found.checks[0].by == "judge"
    assert judging.requests[0].body["model"] == "judge"
    assert KEY in str(judging.requests[0].http.headers)


@pytest.mark.parametrize("name", ["off", "extractive", "model"])
def test_nobody_judges_unless_somebody_is_named(name: str) -> None:
    assert judge_of(settings(env={"CITESEEK_JUDGE": name}), "extractive", _nothing) is None
    assert judge_of(settings(), "openai:big", _nothing) is None


@pytest.fixture
async def minicheck() -> AsyncIterator[LoopbackServer]:
    with LoopbackServer() as ollama:
        yield ollama


@pytest.mark.parametrize(
    ("answer", "word", "by"),
    [
        (TRUE, "Yes", "judge"),
        (TRUE, " yes.", "judge"),
        (TRUE, "No", "rules"),
        (TRUE, "Yesterday", "rules"),
        (TRUE, "I think it does. Yes", "rules"),
        (FORGED, "Yes", "rules"),
    ],
)
async def test_minicheck_says_yes_and_the_nearest_sentence_bears_it_out(
    server: LoopbackServer, minicheck: LoopbackServer, answer: str, word: str, by: str
) -> None:
    minicheck.on("/api/chat", ndjson(line(word), line(reason="stop")))
    found = await check(
        server, answer, minicheck.base_url, CITESEEK_JUDGE="ollama:bespoke-minicheck"
    )
    assert found.checks[0].by == by
    if by == "judge":
        assert (found.checks[0].verdict, found.checks[0].evidence) == ("supported", OPENED)
    (asked,) = minicheck.requests
    (told,) = asked.json()["messages"]
    assert told["content"].startswith("Document: ")
    assert told["content"].endswith(f"Claim: {answer[:-5]}")


def test_the_api_and_the_model_that_answers_as_the_judge() -> None:
    with served(**ENV, CITESEEK_JUDGE="model") as at:
        stock(at.engine)
        at.engine.on("/tea", replies.html(article(OPENED, FAMILY)))
        session = at.begin(search=True)
        at.model.says(f"{TRUE} {FORGED}")
        turn = at.ask(session, "lake")[-1].data["turn_id"]
        at.model.says(says((1, "supported", OPENED), (2, "supported", OPENED)))
        told = at.call("POST", f"{session}/turns/{turn}/check").json()
        assert [(one["verdict"], one["by"]) for one in told["checks"]] == [
            ("supported", "judge"),
            ("unclear", "rules"),
        ]
        assert told["judge"] == {"name": "openai:test", "asked": 2, "lifted": 1, "failure": None}
        assert told["egress"]["model"]["calls"] == 1
        described = at.http("GET", "/api/openapi.json").json()["components"]["schemas"]
        assert described["CitationCheck"]["properties"]["by"]["enum"] == ["judge", "rules"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_slow", [False, True])
def test_ask_check_says_who_judged(server: LoopbackServer, *, is_slow: bool) -> None:
    stock(server)
    server.on("/tea", replies.html(article(OPENED, FAMILY)))
    with ModelServer() as model:
        model.says(TRUE)
        model.says(HANG if is_slow else RIGHT)
        env = {
            **os.environ,
            **ENV,
            **model.env,
            "CITESEEK_SEARXNG_URL": server.base_url,
            "CITESEEK_JUDGE": "model",
            "CITESEEK_JUDGE_SECONDS": "2",
        }
        done = run_citeseek("ask", "lake", "-e", "searxng", "--check", env=env)
    assert done.returncode == 0, done.stderr
    _, _, lines = done.stdout.partition("引用核对\n")
    if is_slow:
        assert "[1] 不能判断" in lines
        assert "没有对全部引用作答" in lines
    else:
        assert "[1] 支持 (换了说法; 由判定模型判定)" in lines
        assert "判定模型 openai:test：询问了 1 处引用，判定了 1 处" in lines
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("judge", "said"), [("openai:", "'openai' has no name"), ("nonsense", "no model 'nonsense'")]
)
async def test_a_judge_that_nobody_knows_is_told_before_anything_is_read(
    judge: str, said: str
) -> None:
    with pytest.raises(InvalidInput, match=f"CITESEEK_JUDGE.*{said}"):
        await check_judge(settings(env={"CITESEEK_JUDGE": judge}))
    for known in ("off", "model", "ollama:qwen3", "extractive"):
        await check_judge(settings(env={"CITESEEK_JUDGE": known}))
