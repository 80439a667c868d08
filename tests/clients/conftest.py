"""Programs of others, run as they are in environments of their own against a served Citeseek."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.assistant.chatting import found, result
from tests.conftest import RAN, settings
from tests.loopback import LoopbackServer
from tests.loopback.models import ModelServer
from tests.rest.serving import Served
from tests.serving.running import running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

PROJECT = Path(__file__).parents[2]
ENVIRONMENTS = PROJECT / ".venv-clients"
PROGRAMS = Path(__file__).parent / "programs"
TOKEN = "marked-token-8c1d4e7f"
# They import for seconds on a busy machine.
SECONDS = 250

Run: TypeAlias = Callable[..., Any]


@pytest.fixture
def at() -> Iterator[Served]:
    """Give a served Citeseek that asks for a token, over a scripted engine and model."""
    with LoopbackServer() as engine, ModelServer() as model:
        engine.on("/search", found(result(1, publishedDate="2026-03-01"), result(2)))
        env = {**model.env, "SEARXNG_BASE_URL": engine.base_url, "WEB_SEARCH_BACKEND": "searxng"}
        loaded = settings(env={**env, "WEB_FETCH_ALLOW": "127.0.0.0/8"})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(guard_app(app, rules=Rules(token=TOKEN))) as base_url:
            yield Served(base_url, engine, model)


@pytest.fixture
def run(at: Served, request: pytest.FixtureRequest) -> Run:
    """Give what runs a program in an environment and returns the JSON that it prints."""

    def run_program(environment: str, program: str, *args: str, **env: str) -> Any:
        told = run_client(
            environment, PROGRAMS / program, *args, CITESEEK=at.http.base_url, TOKEN=TOKEN, **env
        )
        answer = json.loads(told.splitlines()[-1])
        for name, version in answer.pop("versions").items():
            request.node.user_properties.append((RAN, f"{name} {version} ({program})"))
        return answer

    return run_program


def run_client(environment: str, program: Path, *args: str, **env: str) -> str:
    """Run ``program`` as it stands; return what it prints."""
    if program.suffix == ".mjs":
        command = ["node", str(_beside_packages(program))]
    else:
        command = [str(ENVIRONMENTS / environment / "bin" / "python"), str(program)]
    done = subprocess.run(
        [*command, *args],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=ENVIRONMENTS,
        env={**_clean(os.environ), **env},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _beside_packages(program: Path) -> Path:
    """Return a copy of ``program`` where its packages are found."""
    copy = ENVIRONMENTS / "node" / program.name
    copy.write_bytes(program.read_bytes())
    return copy


def _clean(env: Mapping[str, str]) -> dict[str, str]:
    """Return what our own environment says, without ours."""
    ours = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONWARNINGS")
    return {name: value for name, value in env.items() if name not in ours}
