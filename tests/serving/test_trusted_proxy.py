"""A proxy says who comes: from its own addresses, in one header, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.conftest import settings

from citeseek.errors import InvalidInput
from citeseek.person import current_person
from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.app import guard_app
from citeseek.surfaces.server.rules import Rules

TOKEN, ALICE = "marked-token-8c1d4e", "alices-token-5d1c0e"
PROXY = {
    "CITESEEK_PROXY_HEADER": "Remote-User",
    "CITESEEK_PROXY_ADDRESSES": "10.0.0.5, 192.168.7.0/24, fd00::/8",
    "CITESEEK_PEOPLE": f"alice:owner:{ALICE},carol:guest",
}
HERE = {"Host": "localhost"}


async def _told(_: Request) -> Response:
    person = current_person()
    return JSONResponse([person.name, person.role])


def ask(
    env: dict[str, str], headers: list[tuple[str, str]] | dict[str, str], source: str = "10.0.0.5"
) -> tuple[int, object]:
    """Ask from ``source``; return the status, and who the application was told that it is."""
    app = guard_app(
        Starlette(routes=[Route("/api/v1/x", _told)]), rules=Rules.of(settings(env=env))
    )
    with TestClient(app, base_url="http://localhost", client=(source, 50_000)) as client:
        answer = client.get("/api/v1/x", headers=headers)
    return answer.status_code, answer.json() if answer.status_code == 200 else None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("alice", ["alice", "owner"]),
        (" Alice ", ["alice", "owner"]),
        ("carol", ["carol", "guest"]),
        ("dave@example.org", ["dave@example.org", "member"]),
    ],
)
@pytest.mark.parametrize("source", ["10.0.0.5", "192.168.7.200", "::ffff:10.0.0.5", "fd00::1"])
def test_the_proxy_is_believed(name: str, told: list[str], source: str) -> None:
    assert ask(PROXY, {"remote-user": name}, source) == (200, told)


@pytest.mark.parametrize("source", ["10.0.0.6", "127.0.0.1", "::1", "192.168.8.1", "unknown"])
def test_nobody_else_is(source: str) -> None:
    assert ask(PROXY, {"Remote-User": "alice"}, source) == (401, None)
    # A token is as good from there as from anywhere, and it says who it is.
    bearer = {"Authorization": f"Bearer {ALICE}", "Remote-User": "carol"}
    assert ask(PROXY, bearer, source) == (200, ["alice", "owner"])


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Remote-User", "")],
        [("Remote-User", "../alice")],
        [("Remote-User", "alice, bob")],
        [("Remote-User", "a" * 65)],
        [("Remote-User", "alice"), ("Remote-User", "bob")],
        [("X-Remote-User", "alice")],
        [("Authorization", "Bearer a-wrong-token-of-a-stranger")],
    ],
)
def test_what_says_nothing_that_counts_lets_nobody_in(headers: list[tuple[str, str]]) -> None:
    assert ask(PROXY, headers) == (401, None)


@pytest.mark.parametrize(
    ("role", "told"),
    [("guest", (200, ["dave", "guest"])), ("none", (401, None)), ("", (200, ["dave", "member"]))],
)
def test_the_role_of_those_who_are_not_named(role: str, told: tuple[int, object]) -> None:
    env = {**PROXY, "CITESEEK_PROXY_ROLE": role} if role else PROXY
    assert ask(env, {"Remote-User": "dave"}) == told
    assert ask(env, {"Remote-User": "alice"}) == (200, ["alice", "owner"])


def test_without_the_setting_no_header_is_believed() -> None:
    for env in ({"CITESEEK_TOKEN": TOKEN}, {"CITESEEK_PEOPLE": PROXY["CITESEEK_PEOPLE"]}):
        assert ask(env, {"Remote-User": "alice", "X-Forwarded-User": "alice"}) == (401, None)
    assert ask({}, {"Remote-User": "alice"}) == (200, ["", "owner"])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"CITESEEK_PROXY_ADDRESSES": ""}, "nobody says where it is"),
        ({"CITESEEK_PROXY_ADDRESSES": "proxy.example"}, "CITESEEK_PROXY_ADDRESSES"),
        ({"CITESEEK_PROXY_ADDRESSES": "10.0.0.5, 10.0.0.300"}, "CITESEEK_PROXY_ADDRESSES"),
        ({"CITESEEK_PROXY_HEADER": "Remote User"}, "CITESEEK_PROXY_HEADER"),
    ],
)
def test_what_anybody_could_use_keeps_the_server_from_starting(
    change: dict[str, str], why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        Rules.of(settings(env={**PROXY, **change}))


def test_a_proxy_opens_a_server_to_the_network() -> None:
    env = {name: PROXY[name] for name in PROXY if name != "CITESEEK_PEOPLE"}
    rules = Rules.of(settings(env=env), host="0.0.0.0")  # noqa: S104 - only the rules
    assert rules.has_door
    assert ask(env, {"Remote-User": "alice"}) == (200, ["alice", "member"])
    assert ask(env, {}) == (401, None)


@pytest.mark.parametrize(("source", "status"), [("10.0.0.5", 200), ("10.0.0.6", 401)])
def test_mcp_goes_by_the_same(source: str, status: int, tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    headers = {"Accept": "application/json, text/event-stream", "Remote-User": "alice"}
    loaded = settings(env={**PROXY, "CITESEEK_SESSIONS": str(tmp_path / "sessions")})
    app = http_app(loaded, Rules.of(loaded))
    with TestClient(app, base_url="http://localhost", client=(source, 50_000)) as client:
        assert client.post(PATH, json=hello, headers=headers).status_code == status
