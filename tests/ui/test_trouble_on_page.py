"""The page when its surroundings fail: no storage, a silent network, none at all, a new server."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import LoopbackServer
from tests.loopback.models import HANG, ModelServer
from tests.ui.chat_page import ChatPage, Site, tab
from tests.ui.test_conversation_on_page import serving

pytestmark = [pytest.mark.browser, pytest.mark.release]

NO_STORAGE = """() => {
  for (const name of ["sessionStorage", "localStorage"]) {
    Object.defineProperty(window, name, {
      get() { throw new DOMException("denied", "SecurityError"); },
    });
  }
}"""
FULL_STORAGE = """() => {
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
}"""
NO_COOKIES = """() => {
  Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });
}"""
LONG_MS = 60_000


@pytest.mark.parametrize("storage", [NO_STORAGE, FULL_STORAGE], ids=["denied", "full"])
def test_a_browser_that_keeps_nothing_asks_all_the_same(
    browser: Browser, served: Site, storage: str
) -> None:
    with tab(browser, served) as chat:
        chat.page.add_init_script(f"({storage})()")
        chat.open()
        served.model.says("Tea [1].")
        chat.turn_on()
        chat.ask("tea")
        expect(chat.part("answer")).to_have_text("Tea [1].")
        chat.message.fill("And coffee?")
        chat.page.route(re.compile("/messages"), lambda route: route.abort())
        chat.message.press("Enter")
        expect(chat.page.locator("#problem")).to_contain_text("没有发送")
        expect(chat.message).to_have_value("And coffee?")


def test_the_language_is_chosen_without_cookies(browser: Browser, served: Site) -> None:
    with tab(browser, served) as chat:
        chat.page.add_init_script(f"({NO_COOKIES})()")
        chat.open()
        chat.page.locator("#settings-button").click()
        chat.page.locator("#choice-ui-language").select_option("en")
        expect(chat.page.locator("html")).to_have_attribute("lang", "en")


def test_a_connection_that_says_nothing_is_made_anew(browser: Browser, served: Site) -> None:
    with tab(browser, served) as chat:
        chat.page.clock.install()
        chat.open()
        served.model.says("Tea is", HANG)
        chat.say("tea")
        expect(chat.part("answer")).to_have_text("Tea is")
        with chat.page.expect_request(re.compile("/events")):
            chat.page.clock.run_for(LONG_MS)
        chat.page.locator("#stop").click()
        expect(chat.last).to_have_attribute("data-outcome", "stopped")


def test_who_is_offline_is_told_and_catches_up(chat: ChatPage) -> None:
    chat.site.model.says("Tea.")
    chat.ask("tea")
    connection = chat.page.locator("#connection")
    chat.page.context.set_offline(True)
    expect(connection).to_have_text("连接中断，正在重新连接…")
    chat.message.fill("And coffee?")
    chat.message.press("Enter")
    expect(chat.page.locator("#problem")).to_contain_text("没有发送")
    expect(chat.message).to_have_value("And coffee?")
    chat.page.context.set_offline(False)
    expect(connection).to_be_hidden()
    chat.site.model.says("Coffee.")
    chat.message.press("Enter")
    expect(chat.turns).to_have_count(2)
    expect(chat.part("answer")).to_have_text("Coffee.")


def test_a_server_that_ends_during_an_answer_leaves_what_can_be_asked_again(
    browser: Browser, tmp_path: Path
) -> None:
    store = tmp_path / "sessions.sqlite3"
    with LoopbackServer() as engine, ModelServer() as model:
        env = {**model.env, "SEARXNG_BASE_URL": engine.base_url}
        model.says("Tea is", HANG)
        model.says("A plant.")
        with serving(store, env) as base_url:
            opened = tab(browser, Site(base_url, engine, model))
            chat = opened.__enter__()
            chat.open().say("tea")
            expect(chat.part("answer")).to_have_text("Tea is")
        with serving(store, env, urlsplit(base_url).port or 0):
            expect(chat.last).not_to_have_attribute("data-outcome", "running")
            expect(chat.page.locator("#send")).to_be_visible()
            expect(chat.page.locator("#connection")).to_be_hidden()
            chat.part("actions").locator(".retry").click()
            expect(chat.part("answer")).to_have_text("A plant.")
            opened.__exit__(None, None, None)
