"""What the pages ask of the server with curl, asked of a server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.documentation.blocks import Block, all_blocks, typed
from tests.documentation.surroundings import small_web
from tests.serving.running import running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

SERVER = "localhost:8000"
pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="no curl here")


def asks(line: str) -> bool:
    return SERVER in line and "curl " in line


BLOCKS = [block for block in all_blocks("console", "sh") if any(map(asks, typed(block)))]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with small_web() as web:
        loaded = settings(env=web.environment)
        app = create_app(lambda: loaded, store=MemoryStore())
        with running(guard_app(app, rules=Rules.of(loaded))) as base_url:
            yield base_url.removeprefix("http://")


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_the_server_answers_as_the_page_says(block: Block, address: str, tmp_path: Path) -> None:
    # A refusal ends curl with an error, and what follows is not asked.
    (tmp_path / ".curlrc").write_text("fail\nmax-time = 30\n")
    script = [line.replace(SERVER, address) for line in typed(block) if asks(line)]
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
        env={**os.environ, "CURL_HOME": str(tmp_path), "PATH": f"{folder}:{os.environ['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
