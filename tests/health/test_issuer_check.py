"""What the doctor says of the issuer that people sign in at."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, refused_port, replies

from citeseek.health.finding import Finding
from citeseek.health.issuer_check import check_issuer

PUBLISHED = "/.well-known/openid-configuration"


async def looked_at(issuer: str, **env: str) -> Finding:
    whole = {
        "CITESEEK_URL": "https://search.example.org",
        "CITESEEK_OIDC_ISSUER": issuer,
        "CITESEEK_OIDC_CLIENT_ID": "citeseek",
        "CITESEEK_OIDC_CLIENT_SECRET": "marked-secret-of-a-client",
        **env,
    }
    (found,) = await check_issuer(settings(env=whole))
    assert "marked-secret" not in repr(found) + found.text().seen
    return found


def metadata(issuer: str, **more: Any) -> dict[str, Any]:
    places = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    return {"issuer": issuer, **{name: f"{issuer}/{name}" for name in places}, **more}


async def test_one_that_is_there_has_to_know_where_people_come_back_to(
    server: LoopbackServer,
) -> None:
    issuer = f"{server.base_url}/realms/home"
    server.on(f"/realms/home{PUBLISHED}", replies.as_json(metadata(issuer)))
    found = await looked_at(issuer)
    assert (found.code, found.status) == ("ok", "ok")
    assert "https://search.example.org/login/oidc/callback" in found.text().seen


async def test_one_that_calls_itself_something_else_is_told(server: LoopbackServer) -> None:
    server.on(PUBLISHED, replies.as_json(metadata(f"{server.base_url}/")))
    found = await looked_at(server.base_url)
    assert (found.code, found.status) == ("other_name", "error")
    assert found.text().repair == (f"export CITESEEK_OIDC_ISSUER={server.base_url}/",)


@pytest.mark.parametrize(
    "answer", [Reply(404), replies.as_json({}), replies.html("<p>Sign in"), replies.as_json([])]
)
async def test_one_that_publishes_nothing_is_told(server: LoopbackServer, answer: Reply) -> None:
    server.on(PUBLISHED, answer)
    assert (await looked_at(server.base_url)).code == "unpublished"


async def test_one_that_is_away_is_told() -> None:
    with refused_port() as port:
        assert (await looked_at(f"http://127.0.0.1:{port}")).code == "unreachable"


async def test_what_is_missing_is_named(server: LoopbackServer) -> None:
    found = await looked_at(server.base_url, CITESEEK_URL="", CITESEEK_OIDC_CLIENT_SECRET="")
    assert found.code == "incomplete"
    assert "CITESEEK_URL, CITESEEK_OIDC_CLIENT_SECRET" in found.text().seen


async def test_of_github_nothing_is_asked() -> None:
    found = await looked_at("", CITESEEK_OIDC_PROVIDER="github")
    assert (found.code, found.status) == ("github", "ok")


async def test_without_one_there_is_nothing_to_look_at() -> None:
    (found,) = await check_issuer(settings())
    assert (found.code, found.status) == ("none", "ok")
