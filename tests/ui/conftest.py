"""A real Chromium for the tests of the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, site, tab

from citeseek.browser import find_chrome
from citeseek.errors import SearchFailed

# For each context Chromium makes the pop-ups of an address bar, a third of what a context costs,
# and nobody sees them. Of two lists the last holds: what matters here of Playwright's is in it.
LEFT_OUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AimEnabled",
    "PreconnectToSearch",
)


# Playwright's loop runs as long as it does, and no test that is a coroutine can run meanwhile.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give the browser; a machine without Chromium fails and says what is missing."""
    try:
        chrome = find_chrome(os.environ.get("CHROME_PATH"))
    except SearchFailed as error:
        pytest.fail(f'{error} Leave these tests out with: -m "not browser"')
    # Else the first answer waits for them, which takes long where other work is done.
    import_module("langchain.agents")
    import_module("langchain_openai")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chrome,
            args=[
                "--disable-gpu",
                "--disable-software-rasterizer",
                f"--disable-features={','.join(LEFT_OUT)}",
            ],
            # Chinese names of files need UTF-8, and the locale of the tests need not be installed.
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        yield running
        running.close()


@pytest.fixture
def served() -> Iterator[Site]:
    """Give a server whose engine finds five pages."""
    with site() as running:
        yield running


@pytest.fixture
def chat(browser: Browser, served: Site) -> Iterator[ChatPage]:
    """Give the page in a tab on a desktop."""
    with tab(browser, served, DESKTOP) as opened:
        yield opened.open()


@pytest.fixture
def phone(browser: Browser, served: Site) -> Iterator[ChatPage]:
    """Give the page on a phone."""
    with tab(browser, served, PHONE) as opened:
        yield opened.open()
