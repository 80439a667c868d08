"""The site in a real Chromium: it finds words of both languages and asks no other host."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright
from tests.documentation.building import build

from citeseek.browser import find_chrome
from citeseek.errors import SearchFailed

pytestmark = [pytest.mark.browser, pytest.mark.packaging]


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
        """Say nothing."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        chrome = find_chrome(os.environ.get("CHROME_PATH"))
    except SearchFailed as error:
        pytest.fail(f'{error} Leave these tests out with: -m "not browser"')
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chrome)
        yield running
        running.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    handler = partial(Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    foreign: list[str] = []
    errors: list[str] = []

    def requested(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            foreign.append(request.url)

    page.on("request", requested)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert foreign == []
    assert errors == []


@pytest.mark.parametrize(
    ("words", "title"),
    [("Caddy", "Self-hosting"), ("CITESEEK_TOKEN", "Settings"), ("备份", "自己部署")],
)
def test_a_search_finds_words_of_both_languages(tab: Page, words: str, title: str) -> None:
    box = tab.get_by_role("textbox", name="Search")
    box.fill(words)
    # The page reads the words when a key is let go, as it is when somebody types.
    box.press("End")
    results = tab.locator(".md-search-result__list")
    expect(results.get_by_role("heading", name=title).first).to_be_visible(timeout=20_000)


def test_the_way_to_chinese_and_back(tab: Page, address: str) -> None:
    tab.locator("article").get_by_role("link", name="中文", exact=True).click()
    expect(tab.locator("html")).to_have_attribute("lang", "zh-CN")
    tab.locator("article").get_by_role("link", name="English").click()
    expect(tab).to_have_url(f"{address}/")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_name_of_a_setting_is_broken(tab: Page, address: str, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(f"{address}/settings/")
    names = tab.locator("#all-settings ~ .md-typeset__scrollwrap td:not(:last-child) code")
    if not names.count():
        names = tab.locator("#all-settings ~ * td:not(:last-child) code")
    lines = names.evaluate_all(
        "all => all.map(one => [one.innerText, one.getClientRects().length])"
    )
    assert len(lines) > 150
    assert [name for name, count in lines if count != 1] == []
