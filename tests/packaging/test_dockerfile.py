"""The Dockerfile: by rules, and what it starts by running it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import RAN, settings
from tests.packaging.dockerfile_rules import faults, steps
from tests.serving.running import running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import InvalidInput
from citeseek.surfaces.cli import _parser
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text()
STEPS = {step.name: step for step in steps(TEXT)}
LET_IN = {
    line.removeprefix("!")
    for line in (ROOT / ".dockerignore").read_text().splitlines()
    if line.startswith("!")
}


def ignored(source: str) -> bool:
    return source not in LET_IN


def test_it_keeps_the_rules() -> None:
    assert faults(TEXT, ROOT, ignored) == []


@pytest.mark.clients
@pytest.mark.release
def test_hadolint_finds_nothing(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    hadolint = ROOT / ".venv-clients" / "hadolint" / "bin" / "hadolint"
    command = (str(hadolint), "--no-color", "--failure-threshold", "style")
    version = subprocess.run(
        [str(hadolint), "--version"], capture_output=True, text=True, check=True
    )
    request.node.user_properties.append((RAN, version.stdout.strip()))
    found = subprocess.run(
        [*command, "Dockerfile"], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (0, "")
    worse = tmp_path / "Dockerfile"
    worse.write_text(TEXT.replace("USER 10001\n", "USER root\n", 1))
    seen = subprocess.run([*command, worse], check=False, capture_output=True, text=True)
    assert seen.returncode != 0
    assert "DL3002" in seen.stdout


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ("python:3.11.15-slim-trixie\n", "python:latest\n", "no registry or no version"),
        ("USER 10001", "USER root", "may be root"),
        ("USER 10001\n", "", "no USER"),
        ("CITESEEK_HOME=/data", "CITESEEK_TOKEN=secret", "would stay in the image"),
        ('CMD ["serve"', 'CMD serve #["serve"', "goes through a shell"),
        ("COPY src src", "COPY tests tests", "not there to be copied"),
        ("--from=build", "--from=builder", "no stage builder"),
        ("--no-cache-dir ", "", "pip keeps its cache"),
        ("--no-install-recommends ", "", "installs what nobody asked for"),
        ("VOLUME /data", "ADD x /data", "ADD is not for us"),
    ],
)
def test_a_fault_is_seen(good: str, bad: str, fault: str) -> None:
    assert good in TEXT
    assert any(fault in found for found in faults(TEXT.replace(good, bad, 1), ROOT, ignored))


def test_nothing_goes_in_but_what_is_named() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"]
    assert lines[0] == "*"
    assert {"pyproject.toml", "constraints.txt", "README.md", "LICENSE", "src"} == LET_IN


def test_its_command_is_one_that_needs_a_token() -> None:
    assert STEPS["ENTRYPOINT"].executed == ["citeseek"]
    command = STEPS["CMD"].executed
    assert command is not None
    options = _parser().parse_args(command)
    assert str(options.port) == STEPS["EXPOSE"].rest
    with pytest.raises(InvalidInput, match="CITESEEK_TOKEN"):
        Rules.of(settings(), host=options.host)


@pytest.mark.parametrize(("path", "healthy"), [("/api/v1/health", True), ("/api/v1/none", False)])
def test_its_health_check_tells_a_server_from_none(path: str, *, healthy: bool) -> None:
    token = "a-token-of-some-length"
    loaded = settings(env={"CITESEEK_TOKEN": token, "CITESEEK_CHAT_ENGINE": "stub"})
    app = guard_app(create_app(lambda: loaded, store=MemoryStore()), rules=Rules.of(loaded))
    check = STEPS["HEALTHCHECK"].executed
    assert check is not None
    assert check[:2] == ["python", "-c"]
    with running(app) as address:
        code = check[2].replace("http://127.0.0.1:8000", address).replace("/api/v1/health", path)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, timeout=30, check=False
        )
    assert (done.returncode == 0) == healthy
