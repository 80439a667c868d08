"""How several servers at one Valkey stand: what they share is shown by each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.jobs.library import until
from tests.loopback import LoopbackServer, replies
from tests.serving.command import serving
from tests.shared_state.server import ValkeyServer

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
