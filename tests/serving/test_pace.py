"""How many requests programs may make, and what each of their dialects says of more."""

from __future__ import annotations

import pytest
from starlette.types import Receive, Scope, Send
from tests.conftest import settings
from tests.serving.guarding import guarding

from citeseek.surfaces.server.rate_limit import MAX_CALLERS, RequestRate
from citeseek.surfaces.server.rules import Rules

TOKENS = ("marked-token-8c1d4e", "another-token-77ab")
JSON = {"Content-Type": "application/json"}


async def _nobody(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_may_make_so_many_at_once_and_then_one_at_a_time() -> None:
    clock = Clock()
    pace = RequestRate(_nobody, 6, clock)
    assert [pace.wait("a", 6) for _ in range(7)] == [0] * 6 + [10]
    assert pace.wait("b", 6) == 0
    clock.now += 9.5
    assert pace.wait("a", 6) == 1
    clock.now += 0.5
    assert [pace.wait("a", 6), pace.wait("a", 6)] == [0, 10]
    clock.now += 3_600
    assert [pace.wait("a", 6) for _ in range(7)] == [0] * 6 + [10]


def test_callers_that_were_quiet_are_forgotten() -> None:
    pace = RequestRate(_nobody, 1, Clock())
    for number in range(MAX_CALLERS + 1):
        assert pace.wait(str(number), 1) == 0
    assert pace.wait("0", 1) == 0
    assert pace.wait("2", 1) == 60


def test_each_token_has_a_number_of_its_own_and_pages_are_not_counted() -> None:
    first, second = ({"Authorization": f"Bearer {token}"} for token in TOKENS)
    with guarding(Rules(token=", ".join(TOKENS), per_minute=2)) as served:
        told = [served.call("GET", "/api/v1/engines", headers=first) for _ in range(3)]
        assert [answer.status for answer in told] == [200, 200, 429]
        problem = told[2].json()
        assert (problem["status"], problem["code"]) == (429, "RATE_LIMITED")
        assert 0 < int(told[2].headers["Retry-After"]) <= 30
        assert told[2].headers["Content-Type"] == "application/problem+json"
        assert served.call("GET", "/api/v1/health", headers=first).status == 200
        assert served.call("GET", "/", headers=first).status == 200
        assert served.call("GET", "/api/v1/engines", headers=second).status == 200


def test_without_a_token_an_address_is_counted_and_told_in_its_dialect() -> None:
    with guarding(Rules(per_minute=1)) as served:
        assert served.call("POST", "/v1/chat/completions", b"{}", JSON).status == 200
        refused = served.call("POST", "/v1/chat/completions", b"{}", JSON)
        error = refused.json()["error"]
        assert (refused.status, error["type"]) == (429, "rate_limit_error")
        assert error["code"] == "RATE_LIMITED"
        searched = served.call("GET", "/search?q=tea&format=json")
        assert (searched.status, searched.json()) == (
            429,
            {"error": "一分钟的请求超过了 1 次。"},
        )
        assert served.call("GET", "/healthz").status == 200


def test_without_the_setting_nothing_is_counted() -> None:
    with guarding() as served:
        assert {served.call("GET", "/api/v1/engines").status for _ in range(50)} == {200}
    assert Rules.of(settings()).per_minute == 0
    assert Rules.of(settings(env={"CITESEEK_PER_MINUTE": "30"})).per_minute == 30


@pytest.mark.parametrize("path", ["/api/v1/engines", "/v1/models", "/search?q=x", "/config"])
def test_programs_are_told_that_the_token_is_missing_and_never_sent_to_a_page(path: str) -> None:
    with guarding(Rules(token=TOKENS[0])) as served:
        refused = served.call("GET", path)
        assert refused.status == 401
        assert "令牌" in refused.text
        assert refused.headers["WWW-Authenticate"].startswith("Bearer")
        assert (served.call("GET", "/healthz").text, served.call("GET", "/").status) == ("OK", 303)
