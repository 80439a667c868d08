"""One conversation in several tabs, over a reload, and over a new start of the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.assistant.chatting import found, result
from tests.conftest import settings
from tests.loopback import LoopbackServer, Signal
from tests.loopback.models import HANG, ModelServer
from tests.serving.running import running
from tests.ui.chat_page import ChatPage, Site, tab

from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

pytestmark = [pytest.mark.browser, pytest.mark.release]

OPEN_IS_NO_DIFFERENCE = """turn => {
  const copy = turn.cloneNode(true);
  for (const details of copy.querySelectorAll("details")) details.removeAttribute("open");
  return copy.outerHTML;
}"""


@pytest.fixture
def other(browser: Browser, served: Site) -> Iterator[ChatPage]:
    """Give a second tab on the same server, with nothing open in it."""
    with tab(browser, served) as opened:
        yield opened


def html(turn: Locator) -> str:
    """Return all of a turn but whether its details are open."""
    text: str = turn.evaluate(OPEN_IS_NO_DIFFERENCE)
    return text


def test_a_page_reloaded_during_an_answer_misses_nothing(chat: ChatPage) -> None:
    more = Signal()
    chat.site.model.says("Tea [1]\n\n- is a", more, " plant [2]\n- and a drink.\n", chunk=3)
    chat.turn_on()
    chat.say("tea")
    expect(chat.part("answer")).to_contain_text("is a")
    chat.page.reload()
    expect(chat.last).to_have_attribute("data-outcome", "running")
    expect(chat.last.locator(".question")).to_have_text("tea")
    expect(chat.part("answer")).to_contain_text("is a")
    expect(chat.page.locator("#stop")).to_be_visible()
    more.set()
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.part("answer")).to_have_text("Tea [1] is a plant [2] and a drink.")
    live = html(chat.last)
    chat.page.reload()
    assert html(chat.last) == live
    assert len(chat.site.model.requests) == 1
    assert chat.site.searches == 1


def test_two_tabs_of_a_conversation_agree(chat: ChatPage, other: ChatPage) -> None:
    more = Signal()
    chat.site.model.says("Tea [1] is", more, " a plant.")
    chat.turn_on()
    # Until that is confirmed there is no such conversation.
    expect(chat.confirmation).to_have_text("联网搜索已开启")
    other.open(urlsplit(chat.page.url).path)
    other.say("tea")
    for each in (chat, other):
        expect(each.turns).to_have_count(1)
        expect(each.last.locator(".question")).to_have_text("tea")
        expect(each.part("answer")).to_have_text("Tea [1] is")
        expect(each.page.locator("#stop")).to_be_visible()
    more.set()
    for each in (chat, other):
        expect(each.last).to_have_attribute("data-outcome", "answered")
        expect(each.part("answer")).to_have_text("Tea [1] is a plant.")
        expect(each.page.locator("#send")).to_be_visible()
    assert html(chat.last) == html(other.last)
    expect(chat.page.locator(".question")).to_have_count(1)

    other.switch.click()
    expect(chat.page.locator("#search-state")).to_have_text("关闭")
    other.mode("agent").click()
    expect(chat.mode("agent")).to_have_attribute("aria-checked", "true")
    expect(chat.page.locator("#search-hint")).to_have_text("Agent 模式下由 AI 自动决策搜索")
    chat.mode("chat").click()
    expect(other.page.locator("#search-state")).to_have_text("关闭")
    expect(other.switch).to_be_enabled()

    row = other.history().locator("li[data-session]")
    other.work_on(row, "rename")
    row.locator("form input").fill("On tea")
    row.locator("form input").press("Enter")
    expect(chat.page).to_have_title("On tea · Citeseek")
    expect(chat.history().locator("li a")).to_have_text("On tea")


def test_stopped_in_one_tab_is_stopped_in_the_other(chat: ChatPage, other: ChatPage) -> None:
    chat.site.model.says("Tea is", HANG)
    chat.say("tea")
    expect(chat.part("answer")).to_have_text("Tea is")
    other.open(urlsplit(chat.page.url).path)
    other.page.locator("#stop").click()
    for each in (chat, other):
        expect(each.last).to_have_attribute("data-outcome", "stopped")
        expect(each.page.locator("#send")).to_be_visible()


def test_a_reset_begins_anew_in_every_tab(chat: ChatPage, other: ChatPage) -> None:
    chat.site.model.says("Tea.", always=True)
    chat.ask("tea")
    other.open(urlsplit(chat.page.url).path)
    chat.say("/reset")
    for each in (chat, other):
        expect(each.page.locator(".question")).to_have_text(["/reset"])
        expect(each.last.locator(".notice")).to_contain_text("对话已清空")
    chat.ask("coffee")
    expect(other.page.locator(".question")).to_have_text(["/reset", "coffee"])
    assert "tea" not in [each["content"] for each in chat.site.model.requests[-1].messages]


def test_a_conversation_deleted_elsewhere_says_so(chat: ChatPage, other: ChatPage) -> None:
    chat.site.model.says("Tea.")
    chat.ask("tea")
    other.open()
    row = other.history().locator("li[data-session]")
    other.work_on(row, "delete")
    row.locator("form .yes").click()
    expect(chat.page.get_by_text("这个对话已被删除。")).to_be_visible()
    expect(chat.message).to_be_disabled()
    expect(chat.part("answer")).to_have_text("Tea.")
    expect(other.history()).to_have_text("还没有对话。")


@contextmanager
def serving(store: Path, env: dict[str, str], port: int = 0) -> Iterator[str]:
    """Serve the conversations of the file ``store``."""
    loaded = settings(env=env)
    app = create_app(lambda: loaded, store=SqliteStore(store), looks=False)
    with running(guard_app(app, rules=Rules.of(loaded)), port=port) as base_url:
        yield base_url


def test_a_server_that_starts_again_is_found_again(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "sessions.sqlite3"
    with LoopbackServer() as engine, ModelServer() as model:
        env = {**model.env, "SEARXNG_BASE_URL": engine.base_url}
        engine.on("/search", found(result(1), result(2)))
        model.says("Before [1].")
        model.says("After.")
        with serving(store, env) as base_url:
            opened = tab(browser, Site(base_url, engine, model))
            chat = opened.__enter__()
            chat.open().turn_on()
            live = html(chat.ask("first"))
        connection = chat.page.locator("#connection")
        expect(connection).to_have_text("连接中断，正在重新连接…")
        chat.message.fill("not yet sent")
        with serving(store, env, urlsplit(base_url).port or 0):
            expect(connection).to_be_hidden()
            expect(chat.confirmation).to_have_text("已重新连接")
            expect(chat.message).to_have_value("not yet sent")
            expect(chat.turns).to_have_count(1)
            assert html(chat.last) == live
            chat.ask("second")
            expect(chat.part("answer")).to_have_text("After.")
            opened.__exit__(None, None, None)
