"""Addresses and proxies that somebody wrote and nobody can use: nothing is sent elsewhere."""

from __future__ import annotations

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies

from citeseek import Client
from citeseek.errors import InvalidInput, ModelFailed
from citeseek.language_model.model import load_model

SOCKS4 = "socks4://me:marked-password@127.0.0.1:1"
WITH_SPACE = "http://me:marked-password ss@127.0.0.1:1"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("CITESEEK_SEARXNG_PROXY", SOCKS4),
        ("HTTP_PROXY", WITH_SPACE),
        ("http_proxy", "garbage://x"),
        ("ALL_PROXY", SOCKS4),
        ("CITESEEK_SEARXNG_URL", "ttp://me:marked-password@localhost:8080"),
        ("CITESEEK_SEARXNG_URL", "http://localhost:8080/?key=marked-password"),
    ],
)
@pytest.mark.parametrize("engine", [None, "searxng"])
async def test_a_search_is_not_sent(
    name: str, written: str, engine: str | None, server: LoopbackServer
) -> None:
    env = {"SEARXNG_BASE_URL": server.base_url, name: written}
    async with Client(settings(env=env)) as client:
        with pytest.raises(
            InvalidInput, match=rf"{name.upper()}: .*expected is one such as"
        ) as met:
            await client.search("tea", **({"engine": engine} if engine else {}))
    assert "marked" not in str(met.value)
    assert server.requests == []


@pytest.mark.parametrize(("name", "written"), [("WEB_FETCH_PROXY", SOCKS4), ("HTTP_PROXY", SOCKS4)])
async def test_a_page_is_not_asked_for(name: str, written: str, server: LoopbackServer) -> None:
    env = {"WEB_FETCH_ALLOW": "127.0.0.0/8", name: written}
    async with Client(settings(env=env)) as client:
        with pytest.raises(InvalidInput, match=name):
            await client.fetch(server.base_url)
    assert server.requests == []


@pytest.mark.parametrize("engine", ["tavily", "brave", "exa", "serper", "bocha"])
async def test_a_key_does_not_go_past_the_gateway_that_was_written(engine: str) -> None:
    gateway = f"CITESEEK_{engine.upper()}_URL"
    env = {gateway: "http://127.0.0.1:1/search?x=1", f"{engine.upper()}_API_KEY": "marked-key"}
    async with Client(settings(env=env)) as client:
        with pytest.raises(InvalidInput, match=rf"{gateway}: .*has no query"):
            await client.search("tea", engine=engine)


async def test_who_is_not_reached_through_a_proxy_is_reached(server: LoopbackServer) -> None:
    server.otherwise(replies.html("<title>Tea</title><p>Green tea is steamed."))
    env = {"WEB_FETCH_ALLOW": "127.0.0.0/8", "HTTP_PROXY": SOCKS4, "NO_PROXY": "127.0.0.1"}
    async with Client(settings(env=env)) as client:
        assert (await client.fetch(server.base_url)).title == "Tea"


@pytest.mark.parametrize("name", ["openai:test", "ollama:test"])
def test_a_model_is_not_asked_past_its_proxy(name: str) -> None:
    env = {"CITESEEK_MODEL_BASE_URL": "http://127.0.0.1:1/v1", "HTTP_PROXY": SOCKS4}
    with pytest.raises(ModelFailed, match="HTTP_PROXY") as met:
        load_model(settings(env=env), name)
    assert met.value.detail_code == "bad_address"


async def test_a_search_of_a_remote_browser_is_not_made_in_another_one() -> None:
    env = {"CITESEEK_BROWSER_CDP_URL": "garbage"}
    async with Client(settings(env=env)) as client:
        with pytest.raises(InvalidInput, match="CITESEEK_BROWSER_CDP_URL"):
            await client.search("tea", engine="bing_browser")
