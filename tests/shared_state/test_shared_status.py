"""How several servers at one Valkey stand: what they share is shown by each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, replies
from tests.serving.command import serving
from tests.serving.running import Caller, running
from tests.shared_state.server import ValkeyServer

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

pytestmark = pytest.mark.valkey


@pytest.mark.release
def test_a_breaker_that_one_opened_is_shown_by_the_other(
    valkey: ValkeyServer, server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", replies.status(429, retry_after=3600))
    env = {"SEARXNG_BASE_URL": server.base_url, "CITESEEK_REDIS_URL": valkey.url}
    # Of processes that were forked from one, all have its number at the Valkey.
    with (
        serving(tmp_path, alone=True, **env) as one,
        serving(tmp_path, alone=True, **env) as other,
    ):
        # Nobody had asked either of them anything.
        assert [
            each.call("GET", "/api/v1/status").json()["process"]["processes"]
            for each in (other, one)
        ] == [2, 2]
        assert one.call("GET", "/api/v1/search?q=tea&engine=searxng").status == 503

        def told() -> Any:
            # Who is looked at is there.
            one.call("GET", "/api/v1/status")
            shown = other.call("GET", "/api/v1/status").json()
            found = [each for each in shown["engines"] if each["id"] == "searxng"]
            is_open = [each["state"] for each in found] == ["open"]
            return (shown, found[0]) if is_open and shown["process"]["processes"] == 2 else None

        shown, engine = until(told)
    assert shown["is_shared"]
    assert engine["opened_by"] == "WebBlocked/http_429"
    # It never asked the engine itself.
    assert (engine["recent"]["calls"], engine["recent"]["failed_at"]) == (0, None)
    assert {"kind": "valkey", "is_up": True, "revision": ""} in shown["stores"]


def test_a_valkey_that_goes_is_said_by_status_and_health(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as valkey:
        loaded = settings(
            env={"CITESEEK_CHAT_ENGINE": "stub", "CITESEEK_REDIS_URL": valkey.url},
        )
        with running(create_app(lambda: loaded, store=MemoryStore())) as at:
            call = Caller(at)
            # The look of the start, which is good for a minute, finds nothing of it.
            before = call("GET", "/api/v1/health?max_age=0").json()
            assert [each for each in before["findings"] if each["part"] == "valkey"] == []
            valkey.stop()
            health, status = (
                call("GET", f"/api/v1/{path}").json() for path in ("health", "status")
            )
            page = call("GET", "/status", headers={"Accept": "text/html", "Accept-Language": "en"})
    for told in (health, status):
        assert told["status"] == "degraded"
        named = [(each["part"], each["code"]) for each in told["findings"]]
        assert ("valkey", "unreachable") in named
    assert "Something that searches need is broken." in page.text
    assert "The server that processes share cannot be used" in page.text
