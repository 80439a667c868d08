"""A conversation on the page: stopped, repeated, copied, kept, reloaded, in two tabs at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.assistant.chatting import found, result
from tests.conftest import settings
from tests.loopback import LoopbackServer, Signal
from tests.loopback.models import HANG, ModelServer
from tests.serving.running import running
from tests.ui.chat_page import DESKTOP, ChatPage, Site, site, tab
from tests.ui.holding import Held
from tests.ui.kept import kept, source, turn

from citeseek.assistant.store import SqliteStore
from citeseek.surfaces.server.access import guarded
from citeseek.surfaces.server.app import create_app
from citeseek.surfaces.server.rules import Rules

pytestmark = pytest.mark.browser

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


def history(chat: ChatPage) -> Locator:
    """Return the list of conversations, opened."""
    if chat.page.locator("#history").is_hidden():
        chat.page.locator("#history-button").click()
    return chat.page.locator("#history-list")


def confirmation(chat: ChatPage) -> Locator:
    return chat.page.locator("#confirmation")


def test_an_answer_that_is_stopped_keeps_what_was_written(chat: ChatPage) -> None:
    chat.site.model.says("Tea [1] is", HANG)
    chat.site.model.says("Still here.")
    chat.turn_on()
    chat.say("tea")
    expect(chat.part("answer")).to_contain_text("Tea [1] is")
    expect(chat.page.locator("#send")).to_be_hidden()
    chat.page.locator("#stop").click()
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.part("progress")).to_have_text("回答已停止。")
    expect(chat.part("answer")).to_have_text("Tea [1] is")
    expect(chat.part("references").locator("li")).to_have_count(1)
    expect(chat.page.locator("#stop")).to_be_hidden()
    chat.site.model.requests[-1].http.closed.wait()
    chat.page.reload()
    expect(chat.part("answer")).to_have_text("Tea [1] is")
    chat.ask("and now?")
    expect(chat.part("answer")).to_have_text("Still here.")


@pytest.mark.parametrize("way", ["Escape", "button"])
def test_other_ways_to_stop(chat: ChatPage, way: str) -> None:
    chat.site.model.says("Tea is", HANG)
    chat.say("tea")
    expect(chat.part("answer")).to_have_text("Tea is")
    if way == "Escape":
        chat.page.keyboard.press("Escape")
    else:
        chat.part("actions").locator(".stop").click()
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.message).to_be_focused()


def test_a_question_is_asked_again(chat: ChatPage) -> None:
    chat.site.model.fails(500, always=True)
    chat.ask("What is <b>tea</b>?\nAnd why?", "failed")
    expect(chat.last.locator(".notice")).to_contain_text("模型没有完成回答")
    chat.site.model.says("A plant.")
    chat.part("actions").locator(".retry").click()
    expect(chat.turns).to_have_count(2)
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.last.locator(".question")).to_have_text("What is <b>tea</b>?\nAnd why?")
    assert chat.site.model.requests[-1].prompt == "What is <b>tea</b>?\nAnd why?"


def test_an_answer_is_copied_as_markdown_with_its_links(browser: Browser, served: Site) -> None:
    served.model.says("**Tea** [1] is a `plant`.")
    permissions = ["clipboard-read", "clipboard-write"]
    with tab(browser, served, DESKTOP, permissions=permissions) as chat:
        chat.open().turn_on()
        chat.ask("tea")
        chat.part("actions").locator(".copy").click()
        expect(confirmation(chat)).to_have_text("已复制")
        text = chat.page.evaluate("() => navigator.clipboard.readText()")
        address = served.engine.url("/page/1")
        body, _, listed = text.partition("参考文献")
        assert f"**Tea** [[1]]({address}) is a `plant`." in body
        assert f"1. [Title 1]({address}) - 127.0.0.1" in listed


def test_code_is_copied_as_it_stands(browser: Browser, served: Site) -> None:
    served.model.says("Try:\n\n```sh\nls -l | grep '<a>'\n```\n")
    permissions = ["clipboard-read", "clipboard-write"]
    with tab(browser, served, DESKTOP, permissions=permissions) as chat:
        chat.open().ask("how?")
        chat.part("answer").get_by_role("button", name="复制代码").click()
        expect(confirmation(chat)).to_have_text("已复制")
        text = chat.page.evaluate("() => navigator.clipboard.readText()")
        assert text.rstrip("\n") == "ls -l | grep '<a>'"


def test_the_conversation_is_exported_as_markdown(chat: ChatPage, tmp_path: Path) -> None:
    chat.site.model.says("Tea [1].")
    chat.turn_on()
    chat.ask("什么是茶？")
    with chat.page.expect_download() as coming:
        chat.part("actions").get_by_role("link", name="导出对话").click()
    assert coming.value.suggested_filename == "什么是茶？.md"
    coming.value.save_as(tmp_path / "export.md")
    text = (tmp_path / "export.md").read_text(encoding="utf-8")
    address = chat.site.engine.url("/page/1")
    for line in ("# 什么是茶？", "> 什么是茶？", f"Tea [[1]]({address}).", "## 参考文献"):
        assert line in text


def test_the_history_lists_renames_and_deletes(chat: ChatPage) -> None:
    chat.site.model.says("An answer.", always=True)
    chat.ask("First question")
    first = urlsplit(chat.page.url).path
    rows = history(chat).locator("li[data-session]")
    expect(rows).to_have_count(1)
    chat.page.locator("#new-chat").click()
    expect(chat.turns).to_have_count(0)
    chat.ask("Second question")
    history(chat)
    expect(rows.locator("a")).to_have_text(["Second question", "First question"])
    expect(rows.first.locator("a")).to_have_attribute("aria-current", "page")

    rows.first.locator(".rename").click()
    rows.first.locator("form input").fill("Renamed <i>")
    rows.first.locator("form input").press("Enter")
    expect(confirmation(chat)).to_have_text("已重命名")
    expect(rows.locator("a")).to_have_text(["Renamed <i>", "First question"])
    expect(chat.page).to_have_title("Renamed <i> · Citeseek")

    delete = rows.last.locator(".delete")
    delete.click()
    form = rows.last.locator("form")
    expect(form).to_contain_text("删除这个对话？")
    form.get_by_role("button", name="取消").click()
    expect(form).to_have_count(0)
    expect(delete).to_be_focused()
    delete.click()
    form.get_by_role("button", name="删除").click()
    expect(confirmation(chat)).to_have_text("已删除")
    expect(rows).to_have_count(1)
    expect(chat.turns).to_have_count(1)
    chat.open(first)
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("没有这个页面或对话")


def test_a_conversation_of_the_history_is_opened_and_gone_on_with(browser: Browser) -> None:
    said = turn(1, "Old question", "Old answer.", source(1))
    with site(store=kept(said, title="Old")) as served, tab(browser, served) as chat:
        served.model.says("New answer.")
        chat.open()
        history(chat).get_by_role("link", name="Old").click()
        expect(chat.last.locator(".question")).to_have_text("Old question")
        chat.ask("New question")
        told = [message["content"] for message in served.model.requests[-1].messages]
        assert "Old question" in told


def test_deleting_the_open_conversation_leads_to_a_new_one(chat: ChatPage) -> None:
    chat.site.model.says("Tea.")
    chat.ask("tea")
    row = history(chat).locator("li[data-session]")
    row.locator(".delete").click()
    row.locator("form .yes").click()
    expect(chat.page).to_have_url(f"{chat.site.base_url}/")
    expect(chat.turns).to_have_count(0)
    expect(chat.page.locator("#empty")).to_be_visible()
    expect(history(chat)).to_have_text("还没有对话。")


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

    row = history(other).locator("li[data-session]")
    row.locator(".rename").click()
    row.locator("form input").fill("On tea")
    row.locator("form input").press("Enter")
    expect(chat.page).to_have_title("On tea · Citeseek")
    expect(history(chat).locator("li a")).to_have_text("On tea")


def test_stopped_in_one_tab_is_stopped_in_the_other(chat: ChatPage, other: ChatPage) -> None:
    chat.site.model.says("Tea is", HANG)
    chat.say("tea")
    expect(chat.part("answer")).to_have_text("Tea is")
    other.open(urlsplit(chat.page.url).path)
    other.page.locator("#stop").click()
    for each in (chat, other):
        expect(each.last).to_have_attribute("data-outcome", "stopped")
        expect(each.page.locator("#send")).to_be_visible()


def test_a_conversation_deleted_elsewhere_says_so(chat: ChatPage, other: ChatPage) -> None:
    chat.site.model.says("Tea.")
    chat.ask("tea")
    other.open()
    row = history(other).locator("li[data-session]")
    row.locator(".delete").click()
    row.locator("form .yes").click()
    expect(chat.page.get_by_text("这个对话已被删除。")).to_be_visible()
    expect(chat.message).to_be_disabled()
    expect(chat.part("answer")).to_have_text("Tea.")
    expect(history(other)).to_have_text("还没有对话。")


@contextmanager
def serving(store: Path, env: dict[str, str], port: int = 0) -> Iterator[str]:
    """Serve the conversations of the file ``store``."""
    loaded = settings(env=env)
    app = create_app(lambda: loaded, store=SqliteStore(store), looks=False)
    with running(guarded(app, rules=Rules.of(loaded)), port=port) as base_url:
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
            expect(confirmation(chat)).to_have_text("已重新连接")
            expect(chat.message).to_have_value("not yet sent")
            expect(chat.turns).to_have_count(1)
            assert html(chat.last) == live
            chat.ask("second")
            expect(chat.part("answer")).to_have_text("After.")
            opened.__exit__(None, None, None)


def test_enter_that_ends_a_composition_does_not_send(chat: ChatPage) -> None:
    chat.site.model.says("茶。")
    keyboard = chat.page.context.new_cdp_session(chat.page)
    chat.message.focus()
    composing = {"text": "cha", "selectionStart": 3, "selectionEnd": 3}
    keyboard.send("Input.imeSetComposition", composing)
    enter = {"type": "rawKeyDown", "key": "Enter", "code": "Enter"}
    keyboard.send("Input.dispatchKeyEvent", {**enter, "windowsVirtualKeyCode": 13})
    expect(chat.message).to_have_value("cha")
    keyboard.send("Input.insertText", {"text": "茶"})
    # Safari tells of the key after the end of the composition, under a code of its own.
    keyboard.send("Input.dispatchKeyEvent", {**enter, "windowsVirtualKeyCode": 229})
    expect(chat.message).to_have_value("茶")
    expect(chat.page.locator(".question")).to_have_count(0)
    chat.page.keyboard.press("Enter")
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    assert chat.site.model.requests[-1].prompt == "茶"


def test_shift_enter_begins_a_line(chat: ChatPage) -> None:
    chat.site.model.says("Two lines.")
    chat.message.fill("one")
    chat.message.press("Shift+Enter")
    chat.message.press_sequentially("two")
    chat.message.press("Enter")
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    assert chat.site.model.requests[-1].prompt == "one\ntwo"


@pytest.mark.parametrize("how", ["unreachable", "refused"])
def test_a_message_that_was_not_sent_is_kept(chat: ChatPage, how: str) -> None:
    chat.site.model.says("Tea.", always=True)
    problem = {"title": "Busy", "detail": "Too many answers.", "hint": "Try again.", "status": 503}

    def fail(page: Page) -> None:
        if how == "unreachable":
            page.route("**/messages", lambda route: route.abort())
        else:
            body = json.dumps(problem)
            page.route("**/messages", lambda route: route.fulfill(status=503, body=body))

    fail(chat.page)
    chat.say("A long thought\nof mine")
    alert = chat.page.get_by_role("alert")
    expect(alert).to_contain_text("没有发送")
    expect(alert).to_contain_text("连不上服务器" if how == "unreachable" else "Too many answers.")
    expect(chat.message).to_have_value("A long thought\nof mine")
    expect(chat.page.locator(".question")).to_have_count(0)
    chat.page.reload()
    expect(chat.message).to_have_value("A long thought\nof mine")
    chat.page.unroute("**/messages")
    chat.message.press("Enter")
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.message).to_have_value("")
    expect(alert).to_be_hidden()


def test_a_question_is_shown_before_the_server_has_it(chat: ChatPage) -> None:
    chat.site.model.says("Tea.")
    held = Held(chat.page, "/messages$")
    chat.say("tea")
    expect(chat.page.locator(".question")).to_have_text("tea")
    expect(chat.message).to_have_value("")
    chat.message.press_sequentially("more")
    held.release()
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.page.locator(".question")).to_have_count(1)
    expect(chat.message).to_have_value("more")


def test_an_example_is_searched_for(chat: ChatPage) -> None:
    chat.site.model.says("News [1].")
    example = chat.page.locator("#empty .example").first
    question = example.get_attribute("data-question") or ""
    example.click()
    expect(chat.last.locator(".question")).to_have_text(question)
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.page.locator("#search-state")).to_have_text("开启")
    expect(chat.page.locator("#empty")).to_be_hidden()
    assert chat.site.searches == 1
