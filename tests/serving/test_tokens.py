"""Several tokens: each lets in, each has its own logins, and none may be short."""

from __future__ import annotations

import pytest
from tests.conftest import settings
from tests.serving.guarding import guarding

from citeseek.errors import InvalidInput
from citeseek.surfaces.server.login_cookie import place_of
from citeseek.surfaces.server.rules import Rules

FIRST, SECOND = "marked-token-8c1d4e", "another-token-77ab"
BOTH = f"{FIRST} , {SECOND}"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("given", "status"), [(FIRST, 200), (SECOND, 200), (BOTH, 401), ("", 401), (FIRST[:-1], 401)]
)
def test_each_token_lets_in_and_nothing_else_does(given: str, status: int) -> None:
    with guarding(Rules(token=BOTH)) as served:
        headers = {"Authorization": f"Bearer {given}"}
        assert served.call("GET", "/api/v1/engines", headers=headers).status == status


def test_a_login_with_one_token_holds_while_that_token_does() -> None:
    with guarding(Rules(token=BOTH)) as served:
        answer = served.call("POST", "/login", f"token={SECOND}".encode(), FORM)
        assert answer.status == 303
        cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
        assert served.call("GET", "/api/v1/engines", headers=cookie).status == 200
    for tokens, status in ((SECOND, 200), (FIRST, 401)):
        with guarding(Rules(token=tokens)) as served:
            assert served.call("GET", "/api/v1/engines", headers=cookie).status == status


@pytest.mark.parametrize("tokens", [f"{FIRST},short", f"{FIRST},", f",{FIRST}", "short"])
def test_every_token_is_long(tokens: str) -> None:
    with pytest.raises(InvalidInput, match="less than 16 characters"):
        Rules.of(settings(env={"CITESEEK_TOKEN": tokens}))


def test_the_settings_may_name_several() -> None:
    rules = Rules.of(settings(env={"CITESEEK_TOKEN": BOTH}))
    assert rules.tokens == (FIRST, SECOND)
    assert FIRST not in repr(rules)
    assert Rules().tokens == ()
    assert place_of(SECOND, rules.tokens) == 1
    assert place_of("x", rules.tokens) is None
