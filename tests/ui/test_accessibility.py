"""The page without a mouse, without eyes, without motion, and magnified."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.loopback.signals import Signal
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import is_seen, shows, sideways, style

pytestmark = [pytest.mark.browser, pytest.mark.release]

MARKDOWN = """Tea [1] is *not* coffee [2].

# A heading
1. one
   - two

> A quotation with `code` and $x^2$

```sh
ls
```

| a | b |
|---|---|
| 1 | 2 |
"""
TOKEN = "a-token-of-the-tests"
FOCUSED = """() => {
  const { id, dataset, className, localName } = document.activeElement;
  return id || dataset.mode || className || localName;
}"""
COLLECT = """() => {
  window.said = [];
  const line = document.querySelector("#confirmation");
  const note = () => line.textContent && window.said.push(line.textContent);
  new MutationObserver(note).observe(line, { childList: true, characterData: true, subtree: true });
}"""


def focused(chat: ChatPage) -> Locator:
    return chat.page.locator(":focus")


def tab_to(chat: ChatPage, name: str) -> list[str]:
    """Press Tab until the element ``name`` has the focus; return what had it on the way."""
    order: list[str] = []
    while name not in order:
        assert len(order) < 20, order
        chat.page.keyboard.press("Tab")
        order.append(chat.page.evaluate(FOCUSED))
    return order


def answered(chat: ChatPage) -> None:
    """Let a question be answered from two sources."""
    chat.turn_on()
    chat.site.model.says(MARKDOWN)
    chat.ask("What is tea?")


def answered_by_agent(chat: ChatPage) -> None:
    chat.mode("agent").click()
    expect(chat.switch).to_be_disabled()
    chat.site.model.calls("web_search", {"query": "tea"}, {"query": "coffee"})
    chat.site.model.says("Tea [1] and coffee [2].")
    chat.ask("Tea or coffee?")
    chat.last.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")


# Together they have each pair of device, colours and language.
@pytest.mark.parametrize(
    ("device", "colours", "lang"),
    [
        (DESKTOP, "light", "zh"),
        (DESKTOP, "dark", "en"),
        (PHONE, "light", "en"),
        (PHONE, "dark", "zh"),
    ],
    ids=["desktop-light-zh", "desktop-dark-en", "phone-light-en", "phone-dark-zh"],
)
def test_axe_finds_nothing(
    browser: Browser, served: Site, device: dict[str, Any], colours: Any, lang: str
) -> None:
    found: dict[str, list[str]] = {}
    with tab(browser, served, device, color_scheme=colours, bypass_csp=True) as chat:

        def look(name: str, **options: str) -> None:
            found[name] = violations(chat.page, **options)

        chat.open(f"/?lang={lang}")
        look("empty")
        answered(chat)
        look("answered")
        chat.part("answer").locator(".citation a").first.focus()
        expect(chat.page.locator("#citation-card")).to_be_visible()
        # The card is read as the description of its citation, wherever it stands.
        look("citation card", without="region")
        answered_by_agent(chat)
        look("agent")
        row = chat.history().locator("li[data-session]").first
        look("history")
        row.hover()
        row.locator(".row-menu").click()
        look("history, with a menu")
        row.locator(".menu .delete").click()
        look("history, about to delete")
        chat.page.locator("#history-button").click()
        chat.page.locator("#settings-button").click()
        look("settings")
        chat.page.locator("#settings-button").click()
        served.model.fails(400)
        chat.ask("Nothing?", outcome="failed")
        expect(chat.part("notices").locator(".notice")).to_be_visible()
        look("notice")
        chat.open("/c/no-such-conversation")
        look("not found")
        chat.open("/guide")
        look("guide")
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_on_the_login_page(browser: Browser, colours: Any) -> None:
    with (
        site(CITESEEK_TOKEN=TOKEN) as served,
        tab(browser, served, PHONE, color_scheme=colours, bypass_csp=True) as chat,
    ):
        chat.open()
        assert violations(chat.page) == []
        chat.page.locator("#token").fill("not the token")
        chat.page.keyboard.press("Enter")
        expect(chat.page.locator("#login-note")).to_be_visible()
        assert violations(chat.page) == []


def test_tab_goes_through_the_page_in_order_and_is_seen(chat: ChatPage) -> None:
    answered(chat)
    chat.page.locator(".steps > summary").click()
    chat.page.keyboard.press("Tab")
    chat.page.locator("a, button").first.focus()
    order = [chat.page.evaluate(FOCUSED)]
    while order[-1] != "message":
        assert len(order) < 60, order
        at = focused(chat)
        assert style(at, "outlineStyle") == "solid", order
        assert style(at, "outlineWidth") == "2px", order
        assert shows(at), order
        chat.page.keyboard.press("Tab")
        order.append(chat.page.evaluate(FOCUSED))
    header = ["history-button", "home", "new-chat", "chat", "search-switch", "settings-button"]
    assert order[:8] == ["visually-hidden skip", "visually-hidden skip to-answer", *header]
    first = [name.split()[0] for name in order]
    assert first.index("copy") < first.index("retry") < first.index("check") < len(order) - 1
    chat.page.keyboard.type("x")
    assert tab_to(chat, "send")[:2] == ["attach", "read-switch"]
    assert style(focused(chat), "outlineStyle") == "solid"


def test_the_skip_link_leads_to_the_input(chat: ChatPage) -> None:
    skip = chat.page.locator(".skip").first
    skip.focus()
    assert is_seen(skip)
    expect(skip).to_have_text("跳到输入框")
    chat.page.keyboard.press("Enter")
    expect(chat.message).to_be_focused()


@pytest.mark.parametrize("name", ["history", "settings"])
def test_escape_closes_a_panel_and_goes_back_to_its_button(chat: ChatPage, name: str) -> None:
    opener, panel = chat.page.locator(f"#{name}-button"), chat.page.locator(f"#{name}")
    if panel.is_visible():  # as a column, from the start
        opener.click()
    expect(opener).to_have_attribute("aria-expanded", "false")
    opener.focus()
    chat.page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    expect(panel.locator(":focus")).to_have_count(1)
    expect(opener).to_have_attribute("aria-expanded", "true")
    chat.page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")


def test_arrows_choose_the_mode_and_space_turns_the_switch(chat: ChatPage) -> None:
    chat.mode("chat").focus()
    chat.page.keyboard.press("ArrowRight")
    expect(chat.mode("agent")).to_be_focused()
    expect(chat.mode("agent")).to_have_attribute("aria-checked", "true")
    expect(chat.mode("chat")).to_have_attribute("aria-checked", "false")
    expect(chat.mode("chat")).to_have_attribute("tabindex", "-1")
    expect(chat.switch).to_be_disabled()
    chat.page.keyboard.press("ArrowRight")
    expect(chat.mode("chat")).to_be_focused()
    expect(chat.mode("chat")).to_have_attribute("aria-checked", "true")
    expect(chat.switch).to_be_enabled()
    chat.page.keyboard.press("Tab")
    expect(chat.switch).to_be_focused()
    chat.page.keyboard.press("Space")
    expect(chat.switch).to_have_attribute("aria-checked", "true")
    chat.page.keyboard.press("Enter")
    expect(chat.switch).to_have_attribute("aria-checked", "false")


def test_a_focused_citation_has_its_card_until_escape(chat: ChatPage) -> None:
    answered(chat)
    citation = chat.part("answer").locator(".citation a").first
    card = chat.page.locator("#citation-card")
    citation.focus()
    expect(card).to_be_visible()
    expect(card).to_contain_text("Title 1")
    expect(citation).to_have_attribute("aria-describedby", "citation-card")
    expect(citation).to_have_accessible_description(
        "127.0.0.1 · 仅检索到，未读 Title 1 Summary 1. 尚未核对"
    )
    chat.page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(citation).to_be_focused()
    expect(chat.last).to_have_attribute("data-outcome", "answered")


def test_escape_stops_an_answer(chat: ChatPage) -> None:
    never = Signal()
    chat.site.model.says("The beginning", never)
    chat.say("Tell me a long story")
    expect(chat.part("answer")).to_contain_text("The beginning")
    chat.page.keyboard.press("Escape")
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.message).to_be_focused()
    expect(chat.page.locator("#send")).to_be_visible()
    never.set()


def test_the_stop_button_is_reached_by_tab(chat: ChatPage) -> None:
    never = Signal()
    chat.site.model.says("The beginning", never)
    chat.say("Tell me a long story")
    expect(chat.part("answer")).to_contain_text("The beginning")
    expect(chat.message).to_be_focused()
    tab_to(chat, "stop")
    expect(chat.page.locator("#stop")).to_be_focused()
    chat.page.keyboard.press("Enter")
    expect(chat.last).to_have_attribute("data-outcome", "stopped")
    expect(chat.message).to_be_focused()
    never.set()


def test_a_row_of_the_history_is_worked_on_by_keyboard(chat: ChatPage) -> None:
    answered(chat)
    row = chat.history().locator("li[data-session]").first
    menu, rename = row.locator(".row-menu"), row.locator(".rename")
    expect(menu).to_have_accessible_name("更多操作：What is tea?")
    menu.focus()
    chat.page.keyboard.press("Enter")
    expect(rename).to_be_focused()
    expect(rename).to_have_accessible_name("重命名：What is tea?")
    chat.page.keyboard.press("ArrowDown")
    expect(row.locator(".delete")).to_be_focused()
    chat.page.keyboard.press("ArrowDown")
    expect(rename).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(rename).to_be_hidden()
    for key in ("Enter", "Enter"):
        chat.page.keyboard.press(key)
    expect(row.locator("input")).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(chat.page.locator("#history")).to_be_visible()
    for key in ("Enter", "ArrowUp", "Enter"):
        chat.page.keyboard.press(key)
    expect(row.get_by_role("button", name="取消")).to_be_focused()
    chat.page.keyboard.press("Escape")
    expect(menu).to_be_focused()


def test_what_the_controls_are_called(chat: ChatPage) -> None:
    page = chat.page
    expect(page.get_by_role("radiogroup", name="模式")).to_be_visible()
    expect(page.get_by_role("radio", name="Chat", checked=True)).to_be_visible()
    expect(page.get_by_role("radio", name="Agent", checked=False)).to_be_visible()
    expect(page.get_by_role("switch", name="联网搜索")).to_have_count(1)
    expect(chat.switch).to_have_accessible_description("启用后将使用SearXNG搜索实时信息")
    expect(page.get_by_role("button", name="历史")).to_be_visible()
    expect(page.get_by_role("button", name="设置")).to_be_visible()
    expect(page.get_by_role("textbox", name="消息")).to_be_focused()
    expect(page.get_by_role("button", name="发送")).to_be_disabled()
    expect(page.get_by_role("main")).to_be_visible()
    page.locator("#settings-button").click()
    panel = page.get_by_role("complementary", name="聊天设置")
    for label in ("结果数量", "搜索语言", "搜索引擎", "外观", "界面语言"):
        expect(panel.get_by_role("combobox", name=label)).to_be_visible()
    expect(panel.get_by_role("spinbutton", name="搜索超时（秒）")).to_be_visible()
    page.locator("#model-pick summary").click()
    expect(page.get_by_role("group", name="模型").get_by_role("radio").first).to_be_visible()
    expect(page.get_by_role("textbox", name="其他模型")).to_be_visible()


@pytest.mark.parametrize(("lang", "tag"), [("zh", "zh-CN"), ("en", "en")])
def test_the_page_says_its_language(chat: ChatPage, lang: str, tag: str) -> None:
    for path in ("/", "/c/no-such-conversation"):
        chat.open(f"{path}?lang={lang}")
        expect(chat.page.locator("html")).to_have_attribute("lang", tag)


def test_a_screen_reader_hears_the_steps_and_the_end(chat: ChatPage) -> None:
    found = Signal()
    chat.page.evaluate(COLLECT)
    expect(chat.page.get_by_role("status").first).to_have_id("confirmation")
    chat.turn_on()
    expect(chat.page.locator("#confirmation")).to_have_text("联网搜索已开启")
    chat.site.model.says("Tea ", found, "is a plant [1].")
    chat.say("What is tea?")
    expect(chat.part("answer")).to_contain_text("Tea")
    found.set()
    expect(chat.page.locator("#confirmation")).to_have_text("回答完成")
    said = chat.page.evaluate("() => window.said")
    # A server that has no time yet is said to be saving.
    assert "联网搜索已开启" in said[:2]
    assert said[-1] == "回答完成"
    assert "正在回答…" in said


def test_a_screen_reader_hears_that_an_answer_failed(chat: ChatPage) -> None:
    chat.page.evaluate(COLLECT)
    chat.site.model.fails(400)
    chat.ask("What is tea?", outcome="failed")
    expect(chat.page.locator("#confirmation")).to_have_text("回答没有完成")


def test_a_screen_reader_is_not_told_each_word(chat: ChatPage) -> None:
    begun, *pauses = [Signal() for _ in range(11)]
    told = (part for each in pauses for part in ("word " * 5, each))
    chat.site.model.says(begun, *told, chunk=5)
    chat.page.evaluate(COLLECT)
    chat.say("Tell me fifty words")
    expect(chat.page.locator("#confirmation")).to_have_text("正在思考…")
    begun.set()
    for count, pause in enumerate(pauses, 1):
        expect(chat.part("answer")).to_have_text(" ".join(["word"] * 5 * count))
        pause.set()
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.page.locator("#confirmation")).to_have_text("回答完成")
    assert chat.page.evaluate("() => window.said") == ["正在思考…", "正在回答…", "回答完成"]
    expect(chat.page.locator("#messages")).to_have_attribute("aria-live", "off")
    assert chat.last.locator("[aria-live], [role=status], [role=alert], [role=log]").count() == 0


@pytest.mark.parametrize(("wish", "name"), [("reduce", "none"), ("no-preference", "turn")])
def test_nothing_moves_for_who_wants_no_motion(
    browser: Browser, served: Site, wish: Any, name: str
) -> None:
    thinking = Signal()
    with tab(browser, served, reduced_motion=wish) as chat:
        chat.open()
        served.model.says(thinking, "Tea.")
        chat.say("What is tea?")
        doing = chat.last.locator(".doing")
        expect(doing).to_be_visible()
        spinner = doing.evaluate("element => getComputedStyle(element, '::before').animationName")
        moving = chat.page.evaluate("() => document.getAnimations().length")
        thinking.set()
        assert spinner == name
        assert moving == (wish != "reduce")
        expect(chat.last).to_have_attribute("data-outcome", "answered")


@pytest.mark.parametrize(("percent", "width", "height"), [(200, 640, 400), (400, 320, 256)])
def test_a_magnified_page_can_be_used(
    browser: Browser, served: Site, percent: int, width: int, height: int
) -> None:
    magnified = {"viewport": {"width": width, "height": height}}
    with tab(browser, served, magnified, device_scale_factor=percent / 100) as chat:
        chat.open()
        answered(chat)
        assert sideways(chat.page) == []
        for name in ("history-button", "new-chat", "mode", "search-switch", "settings-button"):
            assert is_seen(chat.page.locator(f"#{name}")), name
        assert is_seen(chat.message)
        assert is_seen(chat.page.locator("#send"))
        chat.page.locator("#settings-button").click()
        last = chat.page.locator("#choice-ui-language")
        last.scroll_into_view_if_needed()
        assert is_seen(last)
        assert sideways(chat.page) == []
