"""The network below the searches: proxies, names, and proxy tools that make addresses up."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import settings
from tests.health.examining import nowhere_else
from tests.loopback import LoopbackProxy, LoopbackServer, refused_port

from citeseek.health.finding import Finding
from citeseek.health.network import check_network


async def found(server: LoopbackServer, **env: str) -> dict[str, Finding]:
    chosen = settings(env={**nowhere_else(server), **env})
    return {finding.code: finding for finding in await check_network(chosen, seconds=2)}


async def test_without_proxies_names_and_ways_are_told(server: LoopbackServer) -> None:
    codes = await found(server)
    assert codes.keys() - {"ways", "no_network"} == {"no_proxy", "names"}
    assert "127.0.0.1" in codes["names"].seen
    assert len(server.requests) == 0


async def test_a_proxy_is_connected_to_and_its_password_not_told(server: LoopbackServer) -> None:
    with LoopbackProxy(username="user", password="marked-password") as proxy:
        codes = await found(server, HTTPS_PROXY=proxy.url, HTTP_PROXY=proxy.url)
        assert f"127.0.0.1:{proxy.port}" in codes["proxy"].seen
    assert codes["proxy"].status == "ok"
    assert "http, https" in codes["proxy"].seen
    assert "marked-password" not in repr(codes)


async def test_a_proxy_that_is_not_there_is_an_error(server: LoopbackServer) -> None:
    with refused_port() as port:
        codes = await found(server, ALL_PROXY=f"socks5://127.0.0.1:{port}")
    assert codes["proxy_unreachable"].status == "error"
    assert "拒绝连接" in codes["proxy_unreachable"].seen
    assert codes["proxy_unreachable"].repair[0].startswith("unset HTTP_PROXY")


@pytest.mark.parametrize(("bypass", "is_told"), [("", True), ("localhost,127.0.0.1", False)])
async def test_a_proxy_before_this_machine_is_told(
    *, bypass: str, is_told: bool, server: LoopbackServer
) -> None:
    with LoopbackProxy() as proxy:
        codes = await found(server, HTTP_PROXY=proxy.url, NO_PROXY=bypass)
    assert ("proxy_before_localhost" in codes) == is_told


async def test_the_names_that_need_no_proxy_are_kept_and_this_machine_added(
    server: LoopbackServer,
) -> None:
    with LoopbackProxy() as proxy:
        codes = await found(server, HTTP_PROXY=proxy.url, no_proxy="intranet.example,10.0.0.0/8")
    names = "intranet.example,10.0.0.0/8,localhost,127.0.0.1,::1"
    (line,) = codes["proxy_before_localhost"].repair
    assert line.startswith(f"export NO_PROXY={names} no_proxy={names}  #")


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
async def test_a_proxy_that_nobody_can_use_is_not_told_as_none(
    name: str, server: LoopbackServer
) -> None:
    codes = await found(server, **{name: "socks9://me:marked-password@127.0.0.1:1"})
    assert "no_proxy" not in codes
    invalid = codes["proxy_invalid"]
    assert invalid.status == "error"
    assert f"environment {name.upper()}" in invalid.seen
    assert "http, https, socks5" in invalid.seen
    example = "http://127.0.0.1:7890"
    both = f"export {name.upper()}={example} {name.lower()}={example}  #"
    assert invalid.repair[0].startswith(both)
    assert f"unset {name.upper()} {name.lower()}" in invalid.repair[1]
    assert "marked" not in repr(codes)


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({"web": {"fetch": {"proxy": "socks9://a"}}}, "web.fetch.proxy"),
        ({"engines": {"brave": {"proxy": "socks9://a"}}}, "engines.brave.proxy"),
    ],
)
async def test_a_proxy_of_a_file_that_nobody_can_use_is_told(
    config: dict[str, Any], name: str, server: LoopbackServer
) -> None:
    chosen = settings(config, env=dict(nowhere_else(server)))
    codes = {one.code: one for one in await check_network(chosen, seconds=2)}
    assert f"config.json {name}" in codes["proxy_invalid"].seen
    assert codes["proxy_invalid"].repair[0].startswith("citeseek doctor config")


@pytest.mark.parametrize("address", ["198.18.0.1", "198.19.255.254"])
async def test_made_up_addresses_of_proxy_tools_are_recognised(
    address: str, server: LoopbackServer
) -> None:
    codes = await found(server, CITESEEK_DDG_HTML_URL=f"https://{address}")
    assert codes["fake_addresses"].status == "warning"
    assert "198.18.0.0/15" in codes["fake_addresses"].seen
    assert "Clash" in codes["fake_addresses"].why


async def test_an_address_beside_that_range_is_none_of_them(server: LoopbackServer) -> None:
    codes = await found(server, CITESEEK_DDG_HTML_URL="https://198.20.0.1")
    assert "fake_addresses" not in codes


@pytest.mark.parametrize(
    ("variable", "status"), [("SEARXNG_URL", "error"), ("CITESEEK_GOOGLE_URL", "warning")]
)
async def test_a_name_that_is_not_found_matters_where_it_is_needed(
    variable: str, status: str, server: LoopbackServer
) -> None:
    name = "x" * 64 + ".test"
    env = dict(nowhere_else(server))
    env.pop("CITESEEK_SEARXNG_URL")
    chosen = settings(env={"SEARXNG_URL": server.base_url, **env, variable: f"http://{name}"})
    codes = {one.code: one for one in await check_network(chosen, seconds=2)}
    assert codes["name_not_found"].status == status
    assert name in codes["name_not_found"].seen
