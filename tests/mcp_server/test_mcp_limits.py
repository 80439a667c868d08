"""The server of MCP over HTTP has the tokens and the number of requests that the API has."""

from __future__ import annotations

from typing import Any

from tests.conftest import settings
from tests.mcp_server.test_mcp_http import ACCEPT, HELLO
from tests.serving.running import Caller, running

from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.rules import Rules

TOKENS = ("marked-token-5f20b7", "another-token-19c3")


def hello(address: str, token: str) -> Any:
    headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
    return Caller(address)("POST", PATH, HELLO, headers)


def test_each_of_several_tokens_lets_in_and_has_its_own_number_of_requests() -> None:
    rules = Rules(token=",".join(TOKENS), per_minute=1)
    with running(http_app(settings(), rules)) as address:
        assert [hello(address, token).status for token in TOKENS] == [200, 200]
        refused = hello(address, TOKENS[0])
        assert (refused.status, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert 0 < int(refused.headers["Retry-After"]) <= 60
        assert hello(address, ",".join(TOKENS)).status == 401
