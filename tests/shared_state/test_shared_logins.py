"""Logins and pictures of several servers at one Valkey."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.conftest import settings
from tests.shared_state.server import ValkeyServer

from citeseek import Client
from citeseek.errors import InvalidInput
from citeseek.shared_state.valkey import Valkey
from citeseek.surfaces.server import token_check
from citeseek.surfaces.server.login import Login
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.sign_in.sign_in import SignIn, open_sign_in
from citeseek.surfaces.web.issuer_documents import ask_through
from citeseek.surfaces.web.picture_addresses import PictureAddresses

pytestmark = pytest.mark.valkey

TOKEN = "marked-token-93ab"


async def _page(_: Request) -> Response:
    return PlainTextResponse("here")


@asynccontextmanager
async def servers(
    valkey: ValkeyServer, sign_ins: Sequence[SignIn | None] = (None, None)
) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Give clients of two servers, which know nothing of each other but the Valkey."""
    shared = [Valkey(valkey.url) for _ in range(2)]
    app = Starlette(routes=[Route("/", _page)])
    doors = [
        Login(app, Rules(token=TOKEN), valkey=one, sign_in=sign_in)
        for one, sign_in in zip(shared, sign_ins, strict=True)
    ]
    transports = [httpx.ASGITransport(door) for door in doors]
    clients = [httpx.AsyncClient(transport=one, base_url="http://s") for one in transports]
    try:
        yield clients
    finally:
        for client in clients:
            await client.aclose()
        for one in shared:
            await one.aclose()


async def test_who_logs_out_is_logged_out_of_all(valkey: ValkeyServer) -> None:
    async with servers(valkey) as (one, other):
        answer = await one.post("/login", data={"token": TOKEN})
        cookie = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
        assert (await other.get("/", headers=cookie)).text == "here"
        await one.post("/logout", headers=cookie)
        assert (await other.get("/", headers=cookie)).status_code == 303
        assert (await one.get("/", headers=cookie)).status_code == 303
        # Nothing else has ended.
        assert (await other.get("/", headers={"Authorization": f"Bearer {TOKEN}"})).text == "here"


async def test_who_is_signed_in_elsewhere_is_logged_out_of_all(valkey: ValkeyServer) -> None:
    loaded = settings(
        env={
            "CITESEEK_URL": "http://localhost:8000",
            "CITESEEK_OIDC_PROVIDER": "github",
            "CITESEEK_OIDC_CLIENT_ID": "citeseek",
            "CITESEEK_OIDC_CLIENT_SECRET": "marked-secret-of-a-client",
            "CITESEEK_PEOPLE": "alice@example.org:member",
        }
    )
    registration = Rules.of(loaded).sign_in
    assert registration is not None
    async with (
        Client(loaded) as client,
        servers(
            valkey, [open_sign_in(registration, ask_through(lambda: client)) for _ in range(2)]
        ) as (one, other),
    ):
        # What one process gave, another takes.
        value = open_sign_in(registration, ask_through(lambda: client)).seal.fresh(
            '{"name": "alice@example.org"}'
        )
        cookie = {"Cookie": f"citeseek_login={value}"}
        assert (await other.get("/", headers=cookie)).text == "here"
        assert (await one.post("/logout", headers=cookie)).headers["location"] == "/login"
        assert (await other.get("/", headers=cookie)).status_code == 303
        assert (await one.get("/", headers=cookie)).status_code == 303


async def test_wrong_tries_count_for_all_and_the_right_token_is_always_taken(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_check, "DELAY_SECONDS", 0)
    async with servers(valkey) as both:
        told = [
            (await both[number % 2].post("/login", data={"token": "wrong"})).status_code
            for number in range(token_check.MOST + 2)
        ]
        assert told == [401] * token_check.MOST + [429, 429]
        for client in both:
            assert (await client.post("/login", data={"token": TOKEN})).status_code == 303


@pytest.mark.parametrize("is_gone", [False, True])
async def test_a_picture_of_one_is_shown_by_all(running: ValkeyServer, *, is_gone: bool) -> None:
    both = [PictureAddresses(), PictureAddresses()]
    url = "redis://127.0.0.1:9/0" if is_gone else running.url
    for one in both:
        valkey = Valkey(url)
        await one.share(valkey)
        await valkey.aclose()
    picture = "https://e.example/a.png"
    signature = both[0].of(picture).rpartition("=")[2]
    both[0].check(picture, signature)
    if is_gone:
        with pytest.raises(InvalidInput):
            both[1].check(picture, signature)
    else:
        both[1].check(picture, signature)
