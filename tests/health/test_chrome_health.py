"""Chrome as it is on this system: started for real, or not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import chrome, scratch
from tests.browser.processes import PATIENCE
from tests.conftest import settings
from tests.loopback import refused_port

from citeseek.health import Finding
from citeseek.health.chrome import check_chrome

__all__ = ["chrome", "scratch"]


async def finding(*, named: bool = False, **env: str) -> Finding:
    (found,) = await check_chrome(settings(env=env), named=named)
    return found


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


@pytest.mark.parametrize(("named", "status"), [(False, "warning"), (True, "error")])
async def test_a_missing_one_is_an_error_for_those_who_ask(*, named: bool, status: str) -> None:
    found = await finding(named=named, CHROME_PATH="/no/such/browser")
    assert (found.code, found.status) == ("missing", status)
    assert "/no/such/browser" in found.seen
    assert found.repair[-1] == "export CHROME_PATH=/path/to/chrome"
