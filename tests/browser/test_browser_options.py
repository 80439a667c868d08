"""Finding Chrome, and what is said where it is missing. Nothing is started here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from citeseek.browser import BrowserOptions, browser_options, find_chrome
from citeseek.browser.transport import BrowserTransport
from citeseek.errors import WebProviderError
from citeseek.models import Request

REQUEST = Request(url="http://127.0.0.1:9/search")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the only folder in which programs are found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser_options, "CHROME_PLACES", ())
    return tmp_path


def put(folder: Path, name: str) -> Path:
    program = folder / name
    program.touch(mode=0o755)
    return program


@pytest.mark.parametrize("name", browser_options.CHROME_NAMES)
def test_every_usual_name_is_found(programs: Path, name: str) -> None:
    program = put(programs, name)
    assert find_chrome() == str(program)


def test_a_place_off_the_search_path_is_found(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / "Applications").mkdir()
    program = put(programs / "Applications", "Google Chrome")
    monkeypatch.setattr(browser_options, "CHROME_PLACES", (programs / "nowhere", program))
    assert find_chrome() == str(program)


@pytest.mark.parametrize("given", ["my-chrome", "path"])
def test_the_one_that_is_named_goes_before_all(programs: Path, given: str) -> None:
    put(programs, "chromium")
    program = put(programs, "my-chrome")
    assert find_chrome(str(program) if given == "path" else given) == str(program)


@pytest.mark.requirement("S4-45")
def test_a_missing_chrome_is_detected_without_a_launch(programs: Path) -> None:
    with pytest.raises(WebProviderError) as caught:
        find_chrome()
    assert caught.value.detail_code == "browser_missing"
    assert "No Chrome or Chromium" in caught.value.message
    assert all(name in caught.value.message for name in browser_options.CHROME_NAMES)


@pytest.mark.parametrize(("manager", "command"), browser_options.CHROME_INSTALLERS.items())
@pytest.mark.requirement("S4-46")
def test_the_message_says_how_to_install_it_here(
    programs: Path, manager: str, command: str
) -> None:
    put(programs, manager)
    with pytest.raises(WebProviderError) as caught:
        find_chrome()
    assert command in caught.value.hint
    assert "CHROME_PATH" in caught.value.hint


@pytest.mark.requirement("S4-46")
def test_a_system_without_a_known_package_manager_gets_an_address(programs: Path) -> None:
    with pytest.raises(WebProviderError, match=r"https://www\.google\.com/chrome/"):
        find_chrome()


def test_one_that_is_named_and_missing_is_not_replaced(programs: Path) -> None:
    put(programs, "chromium")
    with pytest.raises(WebProviderError, match="'/opt/none/chrome' is not a program"):
        find_chrome("/opt/none/chrome")


@pytest.mark.requirement("S4-46")
async def test_a_search_says_the_same(programs: Path) -> None:
    transport = BrowserTransport()
    with pytest.raises(WebProviderError) as caught:
        await transport.send(REQUEST, seconds=60, max_bytes=1000)
    with pytest.raises(WebProviderError) as found:
        find_chrome()
    assert str(caught.value) == str(found.value)
    await transport.close()


async def test_a_missing_playwright_is_said(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chrome = put(programs, "chromium")
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    for name in ("blocking", "chromium", "sessions", "tab"):
        monkeypatch.delitem(sys.modules, f"citeseek.browser.{name}", raising=False)
    transport = BrowserTransport(BrowserOptions(executable=str(chrome)))
    with pytest.raises(WebProviderError, match='pip install "playwright>=') as caught:
        await transport.send(REQUEST, seconds=60, max_bytes=1000)
    assert caught.value.detail_code == "browser_missing"
    await transport.close()


def test_importing_the_room_loads_no_playwright() -> None:
    code = "import sys, citeseek.browser; print('playwright' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.requirement("S4-35")
def test_a_start_has_3_s() -> None:
    assert BrowserOptions().start_seconds == 3.0


def test_options_show_no_address() -> None:
    shown = repr(BrowserOptions(proxy="http://me:secret@proxy", cdp_url="ws://host/?token=secret"))
    assert "secret" not in shown
