"""The page on phones: small, touched, and half under a keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.chat_page import PHONE, SMALL_PHONE, ChatPage, Site, site, tab
from tests.ui.geometry import box, is_seen, sideways, too_small
from tests.ui.kept import kept, turns

pytestmark = [pytest.mark.browser, pytest.mark.release]

NARROWEST = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}
LYING = {"viewport": {"width": 667, "height": 375}, "has_touch": True, "is_mobile": True}
DEVICES = pytest.mark.parametrize(
    "device", [PHONE, SMALL_PHONE, NARROWEST, LYING], ids=["390", "375", "320", "lying"]
)
HEADER = (
    "#history-button",
    "#new-chat",
    '#mode [data-mode="chat"]',
    '#mode [data-mode="agent"]',
    "#search-switch",
    "#settings-button",
)
OPEN_KEYBOARD = """seen => {
  for (const [name, value] of Object.entries(seen)) {
    Object.defineProperty(visualViewport, name, { value, configurable: true });
  }
  visualViewport.dispatchEvent(new Event("resize"));
}"""


@pytest.fixture
def small(browser: Browser, served: Site) -> Iterator[ChatPage]:
    """Give the page on the phone of the requirement, 375×667."""
    with tab(browser, served, SMALL_PHONE) as opened:
        yield opened.open()


def answered(chat: ChatPage) -> None:
    """Let a question be answered from two sources."""
    chat.turn_on()
    chat.site.model.says("Tea is a plant [1] and a drink [2].")
    chat.ask("What is tea?")


def hidden_of_header(chat: ChatPage) -> list[str]:
    return [name for name in HEADER if not is_seen(chat.page.locator(name))]


@pytest.mark.requirement("S1-111")
def test_the_switch_and_the_settings_work_on_a_phone(small: ChatPage) -> None:
    assert hidden_of_header(small) == []
    small.switch.tap()
    expect(small.page.locator("#search-state")).to_have_text("开启")
    small.page.locator("#settings-button").tap()
    twin = small.page.locator("#settings-search")
    assert is_seen(twin)
    twin.tap()
    expect(small.page.locator("#search-state")).to_have_text("关闭")
    assert sideways(small.page) == []
    assert hidden_of_header(small) == []


@DEVICES
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_switch_says_what_is_on_and_who_decides(
    browser: Browser, served: Site, device: dict[str, Any], lang: str
) -> None:
    with tab(browser, served, device) as chat:
        chat.open(f"/?lang={lang}")
        name, state = chat.page.locator("#search-label"), chat.page.locator("#search-state")
        automatic = chat.page.locator("#search-control .automatic")
        assert is_seen(name)
        assert is_seen(state)
        chat.mode("agent").tap()
        expect(automatic).to_be_visible()
        assert is_seen(name)
        within = box(chat.page.locator("#search-control"))
        for part in (name, automatic):
            place = box(part)
            assert place["x"] >= within["x"]
            assert place["x"] + place["width"] <= within["x"] + within["width"] + 1
        assert automatic.evaluate("each => each.scrollWidth <= each.clientWidth")


@DEVICES
@pytest.mark.requirement("S1-111")
def test_nothing_is_cut_off_or_scrolls_sideways(
    browser: Browser, served: Site, device: dict[str, Any]
) -> None:
    with tab(browser, served, device) as chat:
        chat.open()
        assert hidden_of_header(chat) == []
        assert sideways(chat.page) == []
        answered(chat)
        assert hidden_of_header(chat) == []
        assert sideways(chat.page) == []
        assert is_seen(chat.message)
        assert is_seen(chat.page.locator("#send"))


@pytest.mark.requirement("S1-108", "S1-110")
def test_the_switch_stays_where_it_is(browser: Browser) -> None:
    with site(store=kept(*turns(50))) as served, tab(browser, served, SMALL_PHONE) as chat:
        before = box(chat.open().switch)
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(50)
        messages = chat.page.locator("#messages")
        for where in ("0", "element.scrollHeight / 2", "element.scrollHeight"):
            messages.evaluate(f"element => {{ element.scrollTop = {where} }}")
            assert box(chat.switch) == before
            assert hidden_of_header(chat) == []
        served.model.says("A very long answer.\n\n" * 50)
        chat.ask("One more?")
        assert box(chat.switch) == before
        assert hidden_of_header(chat) == []


@pytest.mark.parametrize("device", [PHONE, NARROWEST], ids=["390", "320"])
def test_everything_is_large_enough_for_a_finger(
    browser: Browser, served: Site, device: dict[str, Any]
) -> None:
    with tab(browser, served, device) as chat:
        body = chat.open().page.locator("body")
        assert too_small(body) == []
        served.model.says("Tea [1].\n\n```sh\nls\n```\n")
        chat.turn_on()
        chat.ask("What is tea?")
        chat.page.locator(".steps > summary").tap()
        assert too_small(body) == []
        chat.page.locator("#history-button").tap()
        chat.page.locator("#history-list .row-menu").tap()
        expect(chat.page.locator("#history-list .rename")).to_be_visible()
        assert too_small(chat.page.locator("#history")) == []
        chat.page.locator("#history-button").tap()
        chat.page.locator("#settings-button").tap()
        assert too_small(chat.page.locator("#settings")) == []


def test_a_keyboard_that_makes_the_page_lower(phone: ChatPage) -> None:
    answered(phone)
    phone.message.tap()
    phone.page.set_viewport_size({"width": 390, "height": 400})
    phone.message.press_sequentially("And ")
    assert hidden_of_header(phone) == []
    assert is_seen(phone.message)
    assert is_seen(phone.page.locator("#send"))
    # What is typed grows, up to a limit that leaves the header alone.
    phone.message.fill("coffee?\n" * 30)
    assert hidden_of_header(phone) == []
    assert is_seen(phone.message)
    assert is_seen(phone.page.locator("#send"))


def test_a_keyboard_that_lies_over_the_page(phone: ChatPage) -> None:
    viewport = phone.page.locator('meta[name="viewport"]')
    expect(viewport).to_have_attribute("content", re.compile("interactive-widget=resizes-content"))
    answered(phone)
    phone.message.tap()
    # What iOS does, and Chromium can only be told to say.
    phone.page.evaluate(OPEN_KEYBOARD, {"height": 400, "offsetTop": 120})
    for name in (*HEADER, "#message", "#send"):
        seen = box(phone.page.locator(name))
        assert seen["y"] >= 120, name
        assert seen["y"] + seen["height"] <= 520, name
    phone.page.evaluate(OPEN_KEYBOARD, {"height": 844, "offsetTop": 0})
    assert hidden_of_header(phone) == []
    assert box(phone.page.locator("#send"))["y"] > 700


def test_a_citation_shows_its_card_and_then_opens_its_source(phone: ChatPage) -> None:
    answered(phone)
    card = phone.page.locator("#citation-card")
    citation = phone.part("answer").locator(".citation a").first
    citation.tap()
    expect(card).to_be_visible()
    expect(card).to_contain_text("Title 1")
    expect(card).to_contain_text("Summary 1.")
    assert sideways(phone.page) == []
    assert [page.url for page in phone.page.context.pages[1:]] == [phone.page.url]
    with phone.page.expect_popup() as opening:
        citation.tap()
    expect(opening.value).to_have_title("Page 1")
    assert opening.value.url == phone.site.engine.url("/page/1")


def test_the_card_of_a_citation_leads_to_its_source_too(phone: ChatPage) -> None:
    answered(phone)
    phone.part("answer").locator(".citation a").last.tap()
    with phone.page.expect_popup() as opening:
        phone.page.locator("#citation-card a").tap()
    expect(opening.value).to_have_title("Page 2")


def test_a_tap_elsewhere_takes_the_card_away(phone: ChatPage) -> None:
    answered(phone)
    phone.part("answer").locator(".citation a").first.tap()
    expect(phone.page.locator("#citation-card")).to_be_visible()
    phone.last.locator(".question").tap()
    expect(phone.page.locator("#citation-card")).to_be_hidden()


def test_the_history_opens_and_leads_to_a_conversation(browser: Browser) -> None:
    with site(store=kept(*turns(2))) as served, tab(browser, served, SMALL_PHONE) as chat:
        chat.open()
        opener = chat.page.locator("#history-button")
        opener.tap()
        expect(opener).to_have_attribute("aria-expanded", "true")
        assert hidden_of_header(chat) == []
        assert sideways(chat.page) == []
        chat.page.locator('#history-list [data-session="kept"] > a').tap()
        expect(chat.page).to_have_url(f"{served.base_url}/c/kept")
        expect(chat.turns).to_have_count(2)
        expect(chat.page.locator("#history")).to_be_hidden()


def test_a_tap_beside_an_open_panel_closes_it(browser: Browser, served: Site) -> None:
    # Narrower screens have nothing beside the panel: there the button closes it.
    with tab(browser, served, LYING) as chat:
        chat.open()
        for name in ("history", "settings"):
            panel = chat.page.locator(f"#{name}")
            chat.page.locator(f"#{name}-button").tap()
            expect(panel).to_be_visible()
            x = 40 if name == "settings" else LYING["viewport"]["width"] - 40  # type: ignore[index]
            chat.page.touchscreen.tap(x, 250)
            expect(panel).to_be_hidden()


def test_settings_are_chosen_by_touch(small: ChatPage) -> None:
    opener = small.page.locator("#settings-button")
    opener.tap()
    small.page.locator("#choice-results").select_option("3")
    confirmation = small.page.locator("#confirmation")
    expect(confirmation).to_have_text("已保存")
    assert is_seen(confirmation)
    seconds = small.page.locator("#choice-seconds")
    seconds.tap()
    seconds.fill("9")
    opener.tap()
    expect(small.page.locator("#settings")).to_be_hidden()
    small.page.reload()
    expect(small.page.locator("#choice-results")).to_have_value("3")
    expect(small.page.locator("#choice-seconds")).to_have_value("9")


def test_the_mode_is_chosen_by_touch(small: ChatPage) -> None:
    small.mode("agent").tap()
    expect(small.mode("agent")).to_have_attribute("aria-checked", "true")
    expect(small.page.locator("#search-state")).to_have_text("禁用")
    assert hidden_of_header(small) == []
    small.mode("chat").tap()
    expect(small.page.locator("#search-state")).to_have_text("关闭")


def test_a_button_sends(small: ChatPage) -> None:
    small.site.model.says("Hello.")
    small.message.tap()
    small.message.fill("Hi")
    small.page.locator("#send").tap()
    expect(small.part("answer")).to_contain_text("Hello.")


def test_panels_that_lie_over_the_page_can_be_closed_by_touch(phone: ChatPage) -> None:
    for name in ("settings", "history"):
        phone.page.locator(f"#{name}-button").tap()
        panel = phone.page.locator(f"#{name}")
        panel.locator(".close").tap()
        expect(panel).to_be_hidden()
        expect(phone.page.locator(f"#{name}-button")).to_be_focused()


def test_the_end_of_an_answer_does_not_push_it_out_of_sight(phone: ChatPage) -> None:
    phone.turn_on()
    phone.site.model.says("Tea is a leaf [1].\n\n" + "It is green.\n\n" * 10)
    phone.ask("tea")
    expect(phone.part("references").locator(".source")).to_have_count(5)
    expect(phone.last.locator(".question")).to_be_in_viewport(ratio=1)
    newest = phone.page.locator("#newest")
    newest.tap()
    expect(newest).to_be_hidden()
    expect(phone.part("actions")).to_be_in_viewport()


def test_the_header_is_one_row_in_both_modes_and_languages(small: ChatPage) -> None:
    for lang in ("zh", "en", "ja"):
        small.open(f"/?lang={lang}")
        for mode in ("agent", "chat"):
            small.mode(mode).tap()
            expect(small.mode(mode)).to_have_attribute("aria-checked", "true")
            assert hidden_of_header(small) == []
            assert box(small.page.locator("#bar"))["height"] == 54
            tops = {box(small.page.locator(name))["y"] // 20 for name in HEADER}
            assert len(tops) == 1
        # Nothing of what is written in an empty input is cut.
        assert small.message.evaluate(
            """input => {
              const ruler = document.createElement("canvas").getContext("2d");
              ruler.font = getComputedStyle(input).font;
              return ruler.measureText(input.placeholder).width <= input.clientWidth;
            }"""
        )
