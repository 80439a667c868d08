"""What is refused before a route has it: said in the language that the request accepts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tests.rest.serving import Served, served
from tests.serving.guarding import Guarded, guarding

from citeseek.surfaces.server.rules import Rules

TOKEN = "a-token-of-this-server-0123456789"
LET_IN = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Refused:
    """A request, and what is said of it."""

    target: str
    english: str
    chinese: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


def id_of(case: object) -> str | None:
    return f"{case.target} {case.english}" if isinstance(case, Refused) else None


BY_ROUTES = [
    Refused("GET /api/v1/nowhere", "nothing at this address", "这个地址上什么也没有"),
    Refused("GET /v1/nowhere", "nothing at this address", "这个地址上什么也没有"),
    Refused("PUT /api/v1/search", "Only GET can be done here", "这里只能用 GET"),
    Refused("POST /api/v1/fetch", "no JSON: it ends too early", "不是 JSON：没有写完", b"{"),
    Refused("POST /tavily/search", "no JSON: it is not UTF-8", "不是 UTF-8 文字", b"\xff"),
    Refused("POST /api/v1/fetch", "is not what is expected", "不符合这里的要求", b'{"url": 1}'),
    Refused("GET /api/v1/search", "q: it is missing.", "q：没有给出。"),
    Refused("GET /api/v1/sessions?limit=x", "limit: it is no whole number", "limit：不是整数。"),
    Refused("GET /api/v1/sessions?limit=0", "limit: it must be 1 or more", "limit：不能小于 1。"),
]
AHEAD_OF_ROUTES = [
    Refused("GET /api/v1/engines", "missing or wrong", "令牌不对"),
    Refused("GET /v1/models", "missing or wrong", "令牌不对"),
    Refused(
        "POST /api/v1/fetch",
        "must be application/json",
        "必须是 application/json",
        b"{}",
        {**LET_IN, "Content-Type": "text/plain"},
    ),
    Refused(
        "POST /api/v1/fetch",
        "more than 262,144 bytes",
        "超过 262,144 字节",
        b" " * 262_145,
        {**LET_IN, **JSON},
    ),
    Refused(
        "GET /api/v1/engines",
        "by another site",
        "来自别的网站",
        headers={**LET_IN, "Origin": "https://a.example"},
    ),
]


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    with guarding(Rules(token=TOKEN, max_body=262_144, per_minute=1)) as running:
        yield running


LANGUAGES = [("en", "english"), ("zh-CN,en;q=0.5", "chinese")]


@pytest.mark.parametrize(("accepted", "said"), LANGUAGES)
@pytest.mark.parametrize("case", BY_ROUTES, ids=id_of)
def test_what_no_route_takes(at: Served, case: Refused, accepted: str, said: str) -> None:
    headers = {**JSON, "Accept-Language": accepted}
    refused = at.http(*case.target.split(), case.body, headers)
    assert refused.status >= 400
    assert getattr(case, said) in json.dumps(refused.json(), ensure_ascii=False)


@pytest.mark.parametrize(("accepted", "said"), LANGUAGES)
@pytest.mark.parametrize("case", AHEAD_OF_ROUTES, ids=id_of)
def test_what_the_guard_refuses(guarded: Guarded, case: Refused, accepted: str, said: str) -> None:
    headers = {**case.headers, "Accept-Language": accepted}
    refused = guarded.call(*case.target.split(), case.body, headers)
    assert refused.status >= 400
    assert getattr(case, said) in json.dumps(refused.json(), ensure_ascii=False)


def test_too_many_requests(guarded: Guarded) -> None:
    def ask(accepted: str) -> str:
        headers = {**LET_IN, "Accept-Language": accepted}
        return guarded.call("GET", "/api/v1/engines", headers=headers).text

    ask("en")
    assert "More than 1 requests a minute." in ask("en")
    assert "リクエストが 1 分間に 1 回を超えました。" in ask("ja")
