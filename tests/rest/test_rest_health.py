"""How the search service is, over HTTP: looked at at the start, and when somebody asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, refused_port, replies
from tests.serving.running import Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app


@contextmanager
def looking(base_url: str) -> Iterator[Caller]:
    loaded = settings(env={"SEARXNG_BASE_URL": base_url})
    with running(create_app(lambda: loaded, store=MemoryStore())) as address:
        yield Caller(address)


@pytest.mark.requirement("S1-13", "S1-15", "S1-65", "S1-89")
def test_a_searxng_that_is_down_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with refused_port() as port, looking(f"http://127.0.0.1:{port}") as http:
        health = http("GET", "/api/v1/health").json()
    assert health["status"] == "degraded"
    (finding,) = health["searxng"]["findings"]
    # A machine may have a SearXNG at the usual port; then that is what is said.
    code = finding["code"]
    assert (finding["part"], finding["status"]) == ("searxng", "error")
    assert code in ("refused", "wrong_port")
    assert finding["repair"]
    assert f"searxng {code}" in caplog.text


@pytest.mark.requirement("S1-57")
def test_one_that_is_no_searxng_is_told_from_one_that_is_down(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html("<title>Something else</title>"))
    with looking(server.base_url) as http:
        health = http("GET", "/api/v1/health").json()
        assert health["searxng"]["findings"][0]["code"] == "not_searxng"
        looked = len(server.requests)
        http("GET", "/api/v1/health")
        assert len(server.requests) == looked, "a report of the last minute is good enough"
        http("GET", "/api/v1/health?max_age=0")
        assert len(server.requests) > looked


def test_a_server_that_asks_another_engine_is_well_without_searxng() -> None:
    loaded = settings(
        {"search": {"engine": "ddg_html"}, "browser": {"engine": "google"}},
        env={"CITESEEK_CHAT_ENGINE": "ddg_html"},
    )
    with running(create_app(lambda: loaded, store=MemoryStore())) as address:
        health = Caller(address)("GET", "/api/v1/health").json()
    assert (health["status"], health["engine"]) == ("ok", "ddg_html")
    assert health["searxng"]["findings"][0]["status"] == "skipped"


@pytest.mark.requirement("S4-45")
def test_an_engine_without_its_browser_is_said_at_the_start_and_in_the_health(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/no/programs")
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "google", "CHROME_PATH": "/no/such/chrome"})
    with running(create_app(lambda: loaded, store=MemoryStore())) as address:
        health = Caller(address)("GET", "/api/v1/health").json()
    (finding,) = health["findings"]
    assert (finding["part"], finding["code"], finding["status"]) == ("chrome", "missing", "error")
    assert health["status"] == "degraded"
    assert "CITESEEK_CHAT_ENGINE = google" in finding["why"]
    assert "chrome missing" in caplog.text
    assert [one["part"] for one in health["searxng"]["findings"]] == ["searxng"]


def test_a_library_that_is_missing_is_said_at_the_start_and_in_the_health(
    caplog: pytest.LogCaptureFixture, hide_modules: Callable[..., None]
) -> None:
    hide_modules("pypdfium2")
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "ddg_html"})
    with running(create_app(lambda: loaded, store=MemoryStore())) as address:
        health = Caller(address)("GET", "/api/v1/health").json()
    (finding,) = health["findings"]
    assert (finding["part"], finding["code"], finding["status"]) == (
        "libraries",
        "not_whole",
        "warning",
    )
    assert "pypdfium2 is not installed" in finding["seen"]
    assert 'pip install "pypdfium2>=5.15"' in caplog.text
    # It searches and answers as before.
    assert health["status"] == "ok"
