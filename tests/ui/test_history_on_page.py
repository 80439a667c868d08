"""Conversations that are kept: listed, renamed, deleted, exported, gone back to."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec import structs
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, site, tab
from tests.ui.kept import kept, source, turn

from citeseek.conversations.conversation_record import Record, Turn
from citeseek.conversations.sqlite_store import MemoryStore

pytestmark = [pytest.mark.browser, pytest.mark.release]


def test_the_history_lists_renames_and_deletes(chat: ChatPage) -> None:
    chat.site.model.says("An answer.", always=True)
    chat.ask("First question")
    first = urlsplit(chat.page.url).path
    rows = chat.history().locator("li[data-session]")
    expect(rows).to_have_count(1)
    chat.begin_anew()
    expect(chat.turns).to_have_count(0)
    chat.ask("Second question")
    chat.history()
    expect(rows.locator("a")).to_have_text(["Second question", "First question"])
    expect(rows.first.locator("a")).to_have_attribute("aria-current", "page")

    chat.work_on(rows.first, "rename")
    rows.first.locator("form input").fill("Renamed <i>")
    rows.first.locator("form input").press("Enter")
    expect(chat.confirmation).to_have_text("已重命名")
    expect(rows.locator("a")).to_have_text(["Renamed <i>", "First question"])
    expect(chat.page).to_have_title("Renamed <i> · Citeseek")

    chat.work_on(rows.last, "delete")
    form = rows.last.locator("form")
    expect(form).to_contain_text("删除这个对话？")
    form.get_by_role("button", name="取消").click()
    expect(form).to_have_count(0)
    expect(rows.last.locator(".row-menu")).to_be_focused()
    chat.work_on(rows.last, "delete")
    form.get_by_role("button", name="删除").click()
    expect(chat.confirmation).to_have_text("已删除")
    expect(rows).to_have_count(1)
    expect(chat.turns).to_have_count(1)
    chat.open(first)
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("没有这个页面或对话")


def many(count: int) -> MemoryStore:
    """Return a store with so many conversations, the first said longest ago."""

    async def fill() -> MemoryStore:
        store = MemoryStore()
        for number in range(1, count + 1):
            record = Record(id=f"c{number}", created_at=float(number), title=f"Talk {number}")
            await store.put(record)
            await store.add_turn(record.id, turn(number, f"Question {number}", "Answer."))
        return store

    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, fill()).result()


def test_older_conversations_are_reached_page_by_page(browser: Browser) -> None:
    with site(store=many(205)) as served, tab(browser, served) as chat:
        rows = chat.open().history().locator("li[data-session]")
        expect(rows).to_have_count(100)
        older = chat.page.locator("#older")
        older.click()
        expect(rows).to_have_count(200)
        expect(rows.nth(100).locator("a").first).to_be_focused()
        # News of the list leaves what was shown behind it.
        served.model.says("Yes.", always=True)
        chat.ask("A new one?")
        expect(rows.first.locator("a")).to_have_text("A new one?")
        expect(rows).to_have_count(201)
        chat.work_on(chat.page.locator('#history-list [data-session="c200"]'), "delete")
        rows.locator("form").get_by_role("button", name="删除").click()
        expect(rows).to_have_count(200)
        older.click()
        expect(rows).to_have_count(205)
        expect(rows.last.locator("a")).to_have_text("Talk 1")
        expect(older).to_be_hidden()
        rows.last.locator("a").click()
        expect(chat.last.locator(".question")).to_have_text("Question 1")


def test_a_short_list_shows_nobody_who_is_gone(chat: ChatPage) -> None:
    chat.site.model.says("An answer.", always=True)
    chat.ask("First")
    chat.history()
    chat.begin_anew()
    expect(chat.message).to_be_focused()
    chat.ask("Second")
    rows = chat.history().locator("li[data-session]")
    expect(chat.page.locator("#older")).to_be_hidden()
    chat.work_on(rows.last, "delete")
    rows.last.locator("form").get_by_role("button", name="删除").click()
    expect(rows.locator("a")).to_have_text(["Second"])
    chat.ask("Third")
    expect(rows.locator("a")).to_have_text(["Second"])


def test_a_conversation_of_the_history_is_opened_and_gone_on_with(browser: Browser) -> None:
    said = turn(1, "Old question", "Old answer.", source(1))
    with site(store=kept(said, title="Old")) as served, tab(browser, served) as chat:
        served.model.says("New answer.")
        chat.open()
        chat.history().get_by_role("link", name="Old").click()
        expect(chat.last.locator(".question")).to_have_text("Old question")
        expect(chat.message).to_be_focused()
        chat.ask("New question")
        told = [message["content"] for message in served.model.requests[-1].messages]
        assert "Old question" in told


def test_deleting_the_open_conversation_leads_to_a_new_one(chat: ChatPage) -> None:
    chat.site.model.says("Tea.")
    chat.ask("tea")
    row = chat.history().locator("li[data-session]")
    chat.work_on(row, "delete")
    row.locator("form .yes").click()
    expect(chat.page).to_have_url(f"{chat.site.base_url}/")
    expect(chat.turns).to_have_count(0)
    expect(chat.page.locator("#empty")).to_be_visible()
    expect(chat.history()).to_have_text("还没有对话。")


def test_the_way_back_leads_to_the_conversation_as_it_is_now(chat: ChatPage) -> None:
    chat.site.model.says("Tea.", always=True)
    chat.ask("first")
    chat.ask("second")
    chat.history()
    chat.begin_anew()
    expect(chat.turns).to_have_count(0)
    chat.page.go_back()
    expect(chat.page.locator(".question")).to_have_text(["first", "second"])
    chat.ask("third")


def test_the_conversation_is_exported_as_markdown(chat: ChatPage, tmp_path: Path) -> None:
    chat.site.model.says("Tea [1].")
    chat.turn_on()
    chat.ask("什么是茶？")
    with chat.page.expect_download() as coming:
        chat.part("actions").locator(".exports > summary").click()
        chat.part("actions").locator(".export").click()
    assert coming.value.suggested_filename == "什么是茶？.md"
    coming.value.save_as(tmp_path / "export.md")
    text = (tmp_path / "export.md").read_text(encoding="utf-8")
    address = chat.site.engine.url("/page/1")
    for line in ("# 什么是茶？", "> 什么是茶？", f"Tea [[1]]({address}).", "## 参考文献"):
        assert line in text


def test_conversations_are_found_by_what_was_said_in_them(browser: Browser) -> None:
    with site(store=many(120)) as served, tab(browser, served) as chat:
        rows = chat.open().history().locator("li[data-session]")
        expect(rows).to_have_count(100)
        query = chat.page.get_by_label("搜索对话")
        query.fill("question 117")
        expect(rows).to_have_count(1)
        expect(rows.locator("a")).to_have_text("Talk 117Question 117")
        expect(rows.locator(".excerpt")).to_have_text("Question 117")
        # Also what is behind the end of the list, and page by page.
        query.fill("QUESTION 1")
        expect(rows).to_have_count(32)
        query.fill("answer")
        expect(rows).to_have_count(100)
        chat.page.locator("#older").click()
        expect(rows).to_have_count(120)
        query.fill("<b>nobody</b>")
        none = chat.page.locator("#history-list .none")
        expect(none).to_have_text("没有对话提到“<b>nobody</b>”。")
        query.fill("")
        expect(rows).to_have_count(100)
        query.fill("question 7")
        rows.filter(has_text="Talk 7Q").locator("a").click()
        expect(chat.last.locator(".question")).to_have_text("Question 7")


def spoken() -> MemoryStore:
    """Return a store with a long conversation, one of whose questions was asked in another way."""
    filler = "\n\n".join(f"Paragraph {number} says little." for number in range(40))

    def said(number: int, message: str, text: str, follows: str = "") -> Turn:
        answer = f"{filler}\n\n{text}\n\n{filler}"
        return structs.replace(turn(number, message, answer), follows=follows)

    code = f"```\n1\n2\n{'left ' * 80}rightmost\n```"
    return kept(
        said(1, "What is tea?", f"The **oolong** leaf is bruised.\n\n{code}"),
        said(2, "它是什么？", "乌龙茶的叶子经过摇青，部分氧化。", "turn-1"),
        said(3, "And cocoa?", "It has theobromine.", "turn-2"),
        said(4, "And coffee?", "It has caffeine.", "turn-2"),
        title="Drinks",
    )


IN_SIGHT = """text => {
  const [range] = CSS.highlights.get("mention") ?? [];
  if (range?.toString() !== text) return false;
  const { left, top, width, height } = range.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return Boolean(seen?.contains(range.startContainer));
}"""


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_was_found_opens_where_it_was_said(
    browser: Browser, device: dict[str, object]
) -> None:
    with (
        site(store=spoken()) as served,
        tab(browser, served, {**device, "bypass_csp": True}) as chat,
    ):
        chat.open()
        # The last one is in a version that is not shown.
        for text in ("oolong", "摇青", "rightmost", "theobromine"):
            rows = chat.history().locator("li[data-session]")
            chat.page.get_by_label("搜索对话").fill(text.upper())
            expect(rows.locator(".excerpt mark")).to_have_text(text)
            assert violations(chat.page) == []
            # From the start page, and then from the conversation itself.
            rows.locator("a").press("Enter")
            chat.page.wait_for_function(IN_SIGHT, arg=text)
            assert chat.errors == []
        expect(chat.last.locator(".question")).to_have_text("And cocoa?")
        chat.page.reload()
        chat.page.wait_for_function(IN_SIGHT, arg="theobromine")


def test_a_title_is_marked_and_renamed_as_it_is(browser: Browser) -> None:
    with site(store=spoken()) as served, tab(browser, served) as chat:
        rows = chat.open().history().locator("li[data-session]")
        chat.page.get_by_label("搜索对话").fill("drink")
        expect(rows.locator(".title mark")).to_have_text("Drink")
        expect(rows.locator(".excerpt")).to_have_count(0)
        chat.page.get_by_label("搜索对话").fill("oolong")
        expect(rows.locator(".excerpt")).to_have_count(1)
        chat.work_on(rows, "rename")
        expect(rows.locator("form input")).to_have_value("Drinks")
        rows.locator("form input").fill("Beverages")
        rows.locator("form input").press("Enter")
        expect(rows.locator(".title")).to_have_text("Beverages")
        expect(rows.locator(".excerpt")).to_have_count(1)


def test_the_list_is_grouped_by_the_days_of_its_reader(browser: Browser) -> None:
    with site(store=many(2)) as served, tab(browser, served) as chat:
        served.model.says("Tea.")
        chat.open().ask("What is tea?")
        lines = chat.history().locator("li.group, li > a")
        expect(lines).to_have_text(["今天", "What is tea?", "更早", "Talk 2", "Talk 1"])
        row = chat.page.locator("#history-list li[data-session]").first
        chat.work_on(row, "delete")
        row.locator("form .yes").click()
        expect(lines).to_have_text(["更早", "Talk 2", "Talk 1"])


def test_all_conversations_are_exported_and_imported_elsewhere(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl"
    with site(store=many(3)) as served, tab(browser, served) as chat:
        chat.open().history()
        with chat.page.expect_download() as coming:
            chat.page.get_by_role("link", name="导出全部").click()
        assert re.fullmatch(r"citeseek-[0-9-]{10}\.jsonl", coming.value.suggested_filename)
        coming.value.save_as(file)
    with site() as served, tab(browser, served) as chat:
        rows = chat.open().history().locator("li[data-session]")
        choice = chat.page.locator("#import-input")
        choice.set_input_files(file)
        expect(chat.confirmation).to_have_text("已导入 3 个对话；已有 0 个，未能导入 0 个。")
        expect(rows.locator("a")).to_have_text(["Talk 3", "Talk 2", "Talk 1"])
        choice.set_input_files(file)
        expect(chat.confirmation).to_have_text("已导入 0 个对话；已有 3 个，未能导入 0 个。")
        file.write_text("# Tea")
        choice.set_input_files(file)
        expect(chat.confirmation).to_have_text("没有导入：这不是导出的对话文件。")
        rows.last.locator("a").click()
        expect(chat.last.locator(".question")).to_have_text("Question 1")


def test_the_column_folds_away_and_stays_so(browser: Browser) -> None:
    with site(store=many(1)) as served, tab(browser, served) as chat:
        column, button = chat.page.locator("#history"), chat.page.locator("#history-button")
        chat.open()
        expect(column).to_be_visible()
        expect(button).to_have_attribute("aria-expanded", "true")
        column.get_by_role("button", name="关闭").click()
        expect(column).to_be_hidden()
        expect(button).to_be_focused()
        chat.page.reload()
        expect(button).to_have_attribute("aria-expanded", "false")
        expect(column).to_be_hidden()
        button.click()
        expect(column).to_be_visible()
        # Where there is no room for a column it is a sheet, closed until it is wanted.
        chat.page.set_viewport_size({"width": 1_099, "height": 800})
        expect(column).to_be_hidden()
        expect(button).to_have_attribute("aria-expanded", "false")
        button.click()
        expect(column).to_be_visible()
        chat.page.mouse.click(900, 400)
        expect(column).to_be_hidden()
