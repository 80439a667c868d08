"""Chrome as it is on this system: started for real, or not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import chrome, scratch
from tests.browser.processes import PATIENCE
from tests.conftest import settings
from tests.loopback import refused_port

from citeseek.extras import how_to_install
from citeseek.health.chrome import check_chrome
from citeseek.health.finding import Finding

__all__ = ["chrome", "scratch"]


async def finding(config: dict[str, Any] | None = None, **env: str) -> Finding:
    (found,) = await check_chrome(settings(config, env=env))
    return found


@pytest.mark.release
@pytest.mark.browser
async def test_it_is_found_started_and_left_without_a_trace(chrome: str, scratch: Path) -> None:
    found = await finding(CHROME_PATH=chrome, CITESEEK_BROWSER_START_SECONDS=f"{PATIENCE}")
    assert (found.code, found.status) == ("ok", "ok")
    assert chrome in found.seen
    assert "版本 1" in found.seen


@pytest.mark.browser
async def test_a_start_beyond_the_limit_is_told(chrome: str, scratch: Path) -> None:
    found = await finding(CHROME_PATH=chrome, CITESEEK_BROWSER_START_SECONDS="0.1")
    assert (found.code, found.status) == ("slow_start", "warning")
    assert "0.1 秒" in found.seen


@pytest.mark.browser
async def test_a_program_that_is_no_browser_is_told(scratch: Path) -> None:
    env = {"CHROME_PATH": "/bin/true", "CITESEEK_BROWSER_START_SECONDS": f"{PATIENCE}"}
    found = await finding(**env)
    assert found.code == "not_started"
    assert found.repair[0].startswith("/bin/true ")


@pytest.mark.browser
async def test_a_remote_browser_that_is_not_there_is_told(scratch: Path) -> None:
    with refused_port() as port:
        url = f"http://user:marked-password@127.0.0.1:{port}"
        env = {"CITESEEK_BROWSER_CDP_URL": url, "CITESEEK_BROWSER_START_SECONDS": f"{PATIENCE}"}
        found = await finding(**env)
    assert found.code == "remote_unreachable"
    assert "marked-password" not in repr(found)


@pytest.mark.parametrize(
    ("config", "users"),
    [
        ({}, []),
        ({"chat": {"engine": "searxng"}, "search": {"engine": "auto"}}, []),
        ({"web": {"fetch": {"render": "always"}}}, ["config.json: web.fetch.render = always"]),
        ({"chat": {"engine": "Google"}}, ["config.json: chat.engine = Google"]),
        (
            {"search": {"engines": ["brave", "bing_browser"], "fallback": ["google"]}},
            [
                "config.json: search.engines = bing_browser",
                "config.json: search.fallback = google",
            ],
        ),
    ],
)
async def test_a_missing_one_is_an_error_where_an_engine_in_use_needs_it(
    config: dict[str, Any], users: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/no/programs")
    found = await finding(config, CHROME_PATH="/no/such/browser")
    assert (found.code, found.status) == ("missing", "error" if users else "warning")
    assert "/no/such/browser" in found.seen
    assert found.repair[-1] == "export CHROME_PATH=/path/to/chrome"
    named = found.why.partition("设置用到它：")[2]
    assert named == (f"{', '.join(users)}。" if users else "")


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the one browser that there is on the search path."""
    program = tmp_path / "my programs" / "chromium"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return str(program)


@pytest.mark.parametrize("name", ["CITESEEK_CHROME", "CHROME_PATH"])
async def test_a_variable_that_names_no_program_is_told_with_the_browser_that_there_is(
    name: str, other: str
) -> None:
    found = await finding(**{"CHROME_PATH": other, name: "/no/such/browser"})
    assert (found.code, found.status) == ("wrong_path", "warning")
    assert f"environment: {name}" in found.seen
    assert "/no/such/browser" in found.seen
    assert found.repair[0].startswith(f"export {name}='{other}'  #")
    assert found.repair[1].startswith(f"unset {name}  #")


async def test_an_entry_of_the_file_that_names_no_program_is_the_one_to_change(other: str) -> None:
    found = await finding({"browser": {"executable": "/no/such/browser"}}, CHROME_PATH=other)
    assert found.code == "wrong_path"
    assert "config.json: browser.executable" in found.seen
    head, line = found.repair[0].splitlines()
    assert head.startswith("# config.json：browser ")
    assert line == f'"executable": "{other}"'


async def test_where_there_is_no_browser_the_variable_that_counts_is_to_be_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/no/programs")
    found = await finding(CITESEEK_CHROME="/no/such/browser")
    assert found.code == "missing"
    assert found.repair == ("export CITESEEK_CHROME=/path/to/chrome",)


async def test_a_missing_playwright_is_told_with_what_installs_it(
    hide_modules: Callable[..., None],
) -> None:
    hide_modules("playwright")
    found = await finding()
    assert (found.code, found.status) == ("no_playwright", "warning")
    assert found.repair == (how_to_install("browser"),)
