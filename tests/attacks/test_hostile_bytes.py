"""Pages and answers that keep a parser busy: they end in time, and a bystander notices nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.bystanders import SOON_SECONDS, bound, bystander, p99
from tests.loopback import LoopbackServer, Reply, replies
from tests.serving.command import Process, serving

pytestmark = pytest.mark.release

PAGES: dict[str, bytes] = {
    "formulas": b"<p>" + rb"\(" * 40_000,
    "brackets": b"<p>" + b"[" * 60_000,
    "breaks": b"<br>" * 41_000 + b"<blockquote>" * 200 + b"<pre>" + b"x\n" * 100_000,
    "links": (b"<div>" + b"<a href=/x>x</a>" * 2_500) * 80,
    "crossing": b"<font><div></font>" * 50_000,
    "options": b"<select>" + b"<option>" * 100_000,
    "items": b"<ul><li>" * 100_000,
    "attributes": b"<p " + b" ".join(b"a%d" % number for number in range(100_000)) + b">",
    "table": b"<table>" + b"<tr><td>tea" * 100_000,
    "text": b"tea " * 1_500_000,
}
ANSWERS: dict[str, Any] = {
    "markup": [{"title": "t", "url": "https://tea.example/", "content": "<a><div>" * 40_000}],
    "numbers": [1] * 300_000,
    "results": [
        {"title": "tea", "url": f"https://tea{number}.example/", "content": "x" * 100}
        for number in range(30_000)
    ],
    "nowhere": [{"title": "tea", "url": "tea", "content": "x"}] * 30_000,
}
SECONDS = 8
# What a call needs beside its own time, on a machine that does other things as well.
MORE_SECONDS = 5
HONEST = "<title>Tea</title><article><p>" + "Green tea is steamed. " * 40


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.monotonic()
    return call(), time.monotonic() - began


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, LoopbackServer]]:
    folder: Path = tmp_path_factory.mktemp("attacked")
    with (
        LoopbackServer() as site,
        serving(
            folder,
            WEB_FETCH_ALLOW="127.0.0.0/8",
            WEB_FETCH_DELAY_SECONDS="0",
            CITESEEK_SANDBOX_SECONDS="2",
            SEARXNG_BASE_URL=site.base_url,
            CITESEEK_HOME=str(folder),
        ) as server,
    ):
        for name, body in PAGES.items():
            site.on(f"/{name}", replies.html(body))
        site.on("/honest", replies.html(HONEST))
        # Once before: what a first page imports is not what is measured.
        read(server, site.url("/honest"))
        yield server, site


def read(server: Process, url: str, **asked: Any) -> tuple[int, Any]:
    answered = server.call("POST", "/api/v1/fetch", {"url": url, "fresh": True, **asked})
    return answered.status, answered.json()


def test_ten_hostile_pages_harm_nobody_else(attacked: tuple[Process, LoopbackServer]) -> None:
    server, site = attacked
    with bystander(server) as quiet:
        time.sleep(1)
    with bystander(server) as took, ThreadPoolExecutor(len(PAGES) + 1) as pool:
        hostile = {
            name: pool.submit(
                timed,
                lambda name=name: read(
                    server, site.url(f"/{name}"), timeout=SECONDS, form="markdown"
                ),
            )
            for name in PAGES
        }
        honest = pool.submit(
            timed, lambda: read(server, site.url("/honest"), timeout=SECONDS + MORE_SECONDS)
        )
        ended = {name: future.result() for name, future in hostile.items()}
        (status, page), seconds = honest.result()
    assert status == 200
    assert "Green tea" in page["text"]
    for name, ((status, said), seconds) in ended.items():
        assert seconds < SECONDS + MORE_SECONDS, name
        if status != 200:
            assert said["code"] in ("WebParseError", "Timeout"), (name, said)
    # Some are too much to be read, which is told.
    assert any(status != 200 for (status, _), _ in ended.values())
    assert p99(took) < bound(quiet)
    assert max(took) < SOON_SECONDS


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_of_an_engine_harms_nobody_else(
    attacked: tuple[Process, LoopbackServer], name: str
) -> None:
    server, site = attacked
    body = json.dumps({"query": "tea", "results": ANSWERS[name]}).encode()
    site.on("/search", Reply(200, {"Content-Type": "application/json"}, body))
    with bystander(server) as took:
        answered, seconds = timed(
            lambda: server.call("GET", f"/api/v1/search?q={name}&engine=searxng&timeout={SECONDS}")
        )
    assert seconds < SECONDS + MORE_SECONDS
    assert max(took) < SOON_SECONDS
    said = answered.json()
    if name in ("numbers", "nowhere"):
        assert said["code"] == "WebParseError", said
    else:
        assert answered.status == 200, said
        assert said["items"]


def test_what_is_dropped_of_an_answer_does_not_flood_the_log(tmp_path: Path) -> None:
    body = json.dumps(
        {
            "results": ANSWERS["numbers"],
            "unresponsive_engines": [["tea\x1b[31m\n", "x" * 200_000]] * 5,
        }
    ).encode()
    with LoopbackServer() as site, serving(tmp_path, SEARXNG_BASE_URL=site.base_url) as server:
        site.on("/search", Reply(200, {"Content-Type": "application/json"}, body))
        server.call("GET", "/api/v1/search?q=tea&engine=searxng")
        told = server.end()[1]
    assert len(told) < 10_000
    assert "\x1b" not in told
