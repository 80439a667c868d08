"""``citeseek fetch`` as a user runs it, and the doors of the library."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.command import run_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackProxy, LoopbackServer, Reply, replies

import citeseek
from citeseek import Client, FetchResponse
from citeseek.errors import InvalidInput, WebBlocked

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
PAGE = replies.html(
    "<html><head><title>Tea at the lake</title></head><body><article>"
    f"<h1>Tea at the lake</h1><p>{SENTENCE}</p><p>{SENTENCE} <b>Every day.</b></p>"
    "</article></body></html>"
)
OWN = {"WEB_FETCH_ALLOW": "127.0.0.0/8"}


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_citeseek(*args, env={**os.environ, **env})


@pytest.mark.release
def test_the_text_goes_to_standard_output_and_the_rest_does_not(server: LoopbackServer) -> None:
    server.on("/tea", PAGE)
    done = run("fetch", server.url("/tea"), **OWN)
    assert done.returncode == 0
    assert SENTENCE in done.stdout
    assert server.base_url not in done.stdout
    assert f"Tea at the lake <{server.url('/tea')}>" in done.stderr


@pytest.mark.release
def test_json_says_all_that_is_known(server: LoopbackServer) -> None:
    server.on("/link", replies.redirect("/old"))
    server.on("/old", replies.redirect("/tea"))
    server.on("/tea", PAGE)
    done = run("fetch", server.url("/link"), "--format", "json", **OWN)
    page = json.loads(done.stdout)
    assert page["redirects"] == [server.url("/old"), server.url("/tea")]
    assert page["egress"]["redirects"] == len(page["redirects"])
    assert page["final_url"] == server.url("/tea")
    assert page["status_code"] == 200
    assert page["title"] == "Tea at the lake"
    assert SENTENCE in page["text"]
    assert done.stderr == ""


@pytest.mark.release
def test_markdown_and_max_chars(server: LoopbackServer) -> None:
    server.on("/tea", PAGE)
    done = run("fetch", server.url("/tea"), "--format", "markdown", "--max-chars", "40", **OWN)
    assert done.returncode == 0
    assert len(done.stdout.rstrip("\n")) <= 40
    assert "--max-chars" in done.stderr


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("http://127.0.0.1:{port}/tea",), 3, "地址不允许访问"),
        (("http://10.0.0.1/",), 3, "web.fetch.allow"),
        (("ftp://example.com/",), 2, "http://"),
        (("http://x.example/", "--max-chars", "0"), 2, "max_chars"),
        (("http://x.example/", "--timeout", "0"), 2, "时限"),
    ],
)
@pytest.mark.requirement("S2-62")
def test_a_refusal_has_its_exit_code(
    server: LoopbackServer, args: tuple[str, ...], code: int, says: str
) -> None:
    done = run("fetch", *(arg.format(port=server.port) for arg in args))
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert server.connections == 0


def test_a_page_that_is_not_there_ends_with_3(server: LoopbackServer) -> None:
    done = run("fetch", server.url("/missing"), **OWN)
    assert (done.returncode, done.stdout) == (3, "")
    assert "HTTP 404" in done.stderr


def test_a_failure_is_json_where_json_was_asked_for(server: LoopbackServer) -> None:
    done = run("fetch", server.url("/missing"), "-f", "json", **OWN)
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert told["error"]["type"] == "WebProviderError"
    assert told["error"]["detail_code"] == "http_404"
    assert "HTTP 404" in done.stderr
    done = run("fetch", "ftp://example.com/", "-f", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["type"] == "InvalidInput"


async def test_the_settings_reach_the_fetcher(server: LoopbackServer) -> None:
    server.on("/a", Reply(200, {"Content-Type": "text/plain"}, "tea " * 10_000))
    fetch = {
        "allow": "127.0.0.1",
        "user_agent": "Own/1",
        "max_bytes": 20_000,
        "text_max": 5_000,
        "fetch_delay_seconds": 0,
        "cache_ttl_minutes": 0,
        "robots": "on",
    }
    async with Client(settings({"web": {"fetch": fetch}})) as client:
        page = await client.fetch(server.url("/a"))
        await client.fetch(server.url("/a"))
    assert isinstance(page, FetchResponse)
    assert (page.received_bytes, page.truncated) == (20_000, True)
    assert 4_990 < len(page.text) <= 5_000
    assert [request.path for request in server.requests] == ["/robots.txt", "/a", "/a"]
    assert {request.headers["user-agent"] for request in server.requests} == {"Own/1"}


@pytest.mark.requirement("S3-20")
async def test_the_proxy_of_the_settings_is_used(server: LoopbackServer) -> None:
    server.on("/tea", PAGE)
    with LoopbackProxy(upstream=(server.host, server.port)) as proxy:
        async with Client(settings({"web": {"fetch": {"proxy": proxy.url}}})) as client:
            page = await client.fetch("http://tea.example/tea")
    assert SENTENCE in page.text
    assert proxy.requests[0].target == "http://tea.example/tea"


@pytest.mark.parametrize("url", [None, 5, b"http://a.example/?key=MARKED", object()])
@pytest.mark.parametrize("traced", [False, True], ids=["plain", "traced"])
async def test_an_address_that_is_no_text_is_invalid_input(
    tmp_path: Path, url: Any, *, traced: bool
) -> None:
    own = settings({"trace": {"dir": str(tmp_path)}} if traced else {})
    async with Client(own) as client:
        with pytest.raises(InvalidInput, match=f"^url must be text, not {type(url).__name__}"):
            await client.fetch(url)
        with pytest.raises(InvalidInput, match=r"^url must be text"):
            client.fetch_sync(url)


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": 5},
        {"form": ["text"]},
        {"form": None},
        {"max_chars": "5"},
        {"max_chars": 2.5},
        {"seconds": "5"},
        {"seconds": b"5"},
        {"seconds": float("nan")},
    ],
    ids=str,
)
async def test_an_argument_of_a_wrong_kind_is_invalid_input(wrong: Any) -> None:
    async with Client(settings()) as client:
        with pytest.raises(InvalidInput):
            await client.fetch("http://a.example/", **wrong)


def test_once_without_a_client(server: LoopbackServer) -> None:
    server.on("/tea", PAGE)
    own = settings({"web": {"fetch": {"allow": ["127.0.0.1"]}}})
    assert SENTENCE in citeseek.fetch(server.url("/tea"), settings=own).text


async def test_once_within_a_running_loop(server: LoopbackServer) -> None:
    with pytest.raises(WebBlocked):
        citeseek.fetch(server.url("/tea"), settings=settings())
