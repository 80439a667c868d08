"""The settings of the chat: where they are, that nothing covers them, and what they change."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.assistant.chatting import numbered
from tests.loopback import Signal, replies
from tests.ui.chat_page import DESKTOP, PHONE, SMALL_PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import box
from tests.ui.kept import kept, turns

pytestmark = [pytest.mark.browser, pytest.mark.release]

LONG = 50
FIXED = ("#history-button", "#new-chat", "#mode", "#search-switch", "#settings-button")
PANEL = ("#settings-search", "#choice-results", "#choice-seconds", "#choice-engine")

# Those of which anything else is on top at the middle or near a corner.
COVERED = """names => names.filter(name => {
  const element = document.querySelector(name);
  const { left, top, width, height } = element.getBoundingClientRect();
  const spots = [[0.5, 0.5], [0.1, 0.25], [0.9, 0.25], [0.1, 0.75], [0.9, 0.75]];
  return width === 0 || !spots.every(([x, y]) => {
    const at = document.elementFromPoint(left + x * width, top + y * height);
    return at !== null && element.contains(at);
  });
})"""
SCROLL = "(messages, part) => { messages.scrollTop = part * messages.scrollHeight; }"


def covered(chat: ChatPage, *names: str) -> list[str]:
    found: list[str] = chat.page.evaluate(COVERED, names)
    return found


def open_panel(chat: ChatPage) -> None:
    chat.page.locator("#settings-button").click()
    expect(chat.page.locator("#settings")).to_be_visible()
    expect(chat.page.locator("#settings-button")).to_have_attribute("aria-expanded", "true")
    assert covered(chat, *FIXED, *PANEL) == []


def close_panel(chat: ChatPage) -> None:
    chat.page.locator("#settings-button").click()
    expect(chat.page.locator("#settings")).to_be_hidden()


@pytest.mark.parametrize("screen", [DESKTOP, PHONE, SMALL_PHONE], ids=["desk", "phone", "small"])
@pytest.mark.requirement("S1-106")
def test_every_start_shows_the_way_to_the_panel_and_nothing_hides_it(
    browser: Browser, screen: dict[str, Any]
) -> None:
    with site() as served, tab(browser, served, screen) as chat:
        for start in (chat.open, chat.page.reload):
            start()
            opener = chat.page.get_by_role("button", name="设置")
            expect(opener).to_be_visible()
            expect(opener).to_be_in_viewport(ratio=1)
            expect(opener).to_be_enabled()
            assert covered(chat, "#settings-button") == []
            # It was made with the page: one press shows what can be chosen, ready for use.
            opener.click()
            panel = chat.page.get_by_role("complementary", name="聊天设置")
            expect(panel).to_be_in_viewport()
            expect(panel.get_by_role("switch", name="联网搜索")).to_be_enabled()
            chat.page.keyboard.press("Escape")
        served.model.says("Tea.")
        chat.ask("tea")
        chat.begin_anew()
        expect(chat.turns).to_have_count(0)
        expect(chat.page.get_by_role("button", name="设置")).to_be_in_viewport(ratio=1)


@pytest.mark.requirement("S1-105", "S1-106", "S1-107")
def test_the_panel_and_its_opener_are_there_from_the_start(
    chat: ChatPage,
) -> None:
    opener = chat.page.locator("#settings-button")
    expect(opener).to_be_visible()
    expect(opener).to_have_text("设置")
    open_panel(chat)
    panel = chat.page.get_by_role("complementary", name="聊天设置")
    for name in ("结果数量", "搜索超时（秒）", "搜索语言", "搜索引擎", "外观", "界面语言"):
        expect(panel.get_by_label(name, exact=True)).to_be_visible()
    twin = panel.get_by_role("switch", name="联网搜索")
    expect(twin).to_contain_text("🔍")
    expect(twin).to_contain_text("联网搜索")
    twin.click()
    for switch in (twin, chat.switch):
        expect(switch).to_have_attribute("aria-checked", "true")
        expect(switch.locator(".state")).to_have_text("开启")
    chat.switch.click()
    for switch in (twin, chat.switch):
        expect(switch).to_have_attribute("aria-checked", "false")
        expect(switch.locator(".state")).to_have_text("关闭")
    chat.page.keyboard.press("Escape")
    expect(chat.page.locator("#settings")).to_be_hidden()
    expect(opener).to_be_focused()


@pytest.mark.requirement("S1-105")
def test_what_is_chosen_counts_for_the_next_message(chat: ChatPage) -> None:
    chat.site.model.says("Tea.", always=True)
    chat.turn_on()
    chat.ask("tea")
    assert len(numbered(chat.site.model.requests[-1].prompt)) == 5
    open_panel(chat)
    confirmation = chat.page.locator("#confirmation")
    for name, value in (("results", "3"), ("language", "zh-CN")):
        chat.page.locator(f"#choice-{name}").select_option(value)
        expect(confirmation).to_have_text("已保存")
    seconds = chat.page.locator("#choice-seconds")
    seconds.fill("2.5")
    seconds.press("Enter")
    expect(confirmation).to_have_text("已保存")
    chat.ask("coffee")
    assert len(numbered(chat.site.model.requests[-1].prompt)) == 3
    assert chat.site.engine.requests[-1].param("language") == "zh-CN"
    chat.page.reload()
    open_panel(chat)
    expect(chat.page.locator("#choice-results")).to_have_value("3")
    expect(chat.page.locator("#choice-language")).to_have_value("zh-CN")
    expect(seconds).to_have_value("2.5")


@pytest.mark.requirement("S1-105")
def test_a_value_that_cannot_be_is_refused_in_words(chat: ChatPage) -> None:
    open_panel(chat)
    seconds = chat.page.locator("#choice-seconds")
    seconds.fill("0")
    seconds.press("Tab")
    expect(chat.page.locator("#choice-seconds-trouble")).not_to_be_empty()
    expect(seconds).to_have_attribute("aria-invalid", "true")
    seconds.fill("3")
    seconds.press("Tab")
    expect(chat.page.locator("#confirmation")).to_have_text("已保存")
    expect(seconds).to_have_attribute("aria-invalid", "false")


@pytest.mark.requirement("S1-108", "S1-109", "S1-110")
def test_a_long_chat_moves_and_covers_nothing(browser: Browser) -> None:
    with site(store=kept(*turns(LONG))) as served, tab(browser, served) as chat:
        chat.open()
        places = {name: box(chat.page.locator(name)) for name in FIXED}
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(LONG)
        served.model.says("A long answer.\n\n" * 40)
        for part in (0, 0.5, 1):
            chat.page.locator("#messages").evaluate(SCROLL, part)
            assert {name: box(chat.page.locator(name)) for name in FIXED} == places
            assert covered(chat, *FIXED) == []
            open_panel(chat)
            for _ in ("folded away", "there again"):
                chat.page.locator("#history-button").click()
                assert {name: box(chat.page.locator(name)) for name in FIXED} == places
                assert covered(chat, *FIXED, *PANEL) == []
            expect(chat.page.locator("#history")).to_be_visible()
            close_panel(chat)
        chat.ask("One more?")
        assert {name: box(chat.page.locator(name)) for name in FIXED} == places
        assert covered(chat, *FIXED) == []
        chat.switch.click()
        expect(chat.page.locator("#search-state")).to_have_text("开启")


@pytest.mark.requirement("S1-109", "S1-110")
def test_the_panel_opens_while_an_answer_is_written(browser: Browser, served: Site) -> None:
    more = Signal()
    served.model.says("Tea [1] is a plant.\n\n" * 40, more, "Coffee too.")
    with tab(browser, served) as chat:
        chat.open().turn_on()
        chat.say("tea")
        expect(chat.part("answer")).to_contain_text("Tea")
        open_panel(chat)
        chat.page.locator("#choice-results").select_option("3")
        expect(chat.page.locator("#confirmation")).to_have_text("已保存")
        assert covered(chat, *FIXED, *PANEL) == []
        more.set()
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        expect(chat.page.locator("#settings")).to_be_visible()


@pytest.mark.requirement("S1-109")
def test_the_panel_opens_after_errors(chat: ChatPage) -> None:
    chat.site.engine.on("/search", replies.status(500))
    chat.site.model.fails(500, always=True)
    chat.turn_on()
    chat.ask("tea", "failed")
    expect(chat.last.locator(".notice")).to_have_count(2)
    open_panel(chat)
    chat.page.locator("#settings-search").click()
    expect(chat.page.locator("#search-state")).to_have_text("关闭")


@pytest.mark.requirement("S1-110")
def test_the_card_of_a_citation_stays_below_the_header(chat: ChatPage) -> None:
    chat.site.model.says("Tea [1].\n\n" + "More.\n\n" * 60)
    chat.turn_on()
    turn = chat.ask("tea")
    citation = turn.locator(".citation a")
    citation.evaluate("link => link.scrollIntoView({ block: 'start' })")
    citation.hover()
    card = chat.page.locator("#citation-card")
    expect(card).to_be_visible()
    bar = box(chat.page.locator("#bar"))
    assert box(card)["y"] >= bar["y"] + bar["height"]
    assert covered(chat, *FIXED) == []
