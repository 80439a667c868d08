"""The API is what its description says: schemathesis asks whatever the description allows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.assistant.chatting import found
from tests.conftest import settings
from tests.loopback import LoopbackServer
from tests.serving.running import Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

pytestmark = pytest.mark.release

CONFIG = Path(__file__).parent / "schemathesis.toml"
SERIALIZERS = Path(__file__).parent / "schemathesis_serializers.py"
# It asks some thousand times.
SECONDS = 300


@pytest.mark.timeout(2 * SECONDS)
def test_the_api_is_what_its_description_says(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("schemathesis")
    assert command.exists(), "schemathesis is not installed: make test"
    # Without results no page of anybody is read.
    with LoopbackServer() as engine:
        engine.on("/search", found())
        loaded = settings(
            env={"SEARXNG_BASE_URL": engine.base_url, "WEB_SEARCH_BACKEND": "searxng"}
        )
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        # As `citeseek serve` runs it.
        served = guard_app(app, rules=Rules())
        with running(served, http="h11", proxy_headers=False) as base_url:
            done = subprocess.run(
                [
                    command,
                    f"--config-file={CONFIG}",
                    "run",
                    f"{base_url}/api/openapi.json",
                    "--no-color",
                    f"--report-dir={tmp_path}",
                ],
                cwd=tmp_path,
                env={**os.environ, "SCHEMATHESIS_HOOKS": str(SERIALIZERS)},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
            assert Caller(base_url)("GET", "/api/v1/health").json()["status"] == "ok"
    assert engine.requests
