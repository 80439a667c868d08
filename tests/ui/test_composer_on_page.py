"""Writing and sending a message; what was typed is never lost."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect
from tests.ui.chat_page import ChatPage
from tests.ui.holding import Held

pytestmark = [pytest.mark.browser, pytest.mark.release]


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
    example = chat.page.locator("#starters .example").first
    question = example.get_attribute("data-question") or ""
    example.click()
    expect(chat.last.locator(".question")).to_have_text(question)
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.page.locator("#search-state")).to_have_text("开启")
    expect(chat.page.locator("#empty")).to_be_hidden()
    assert chat.site.searches == 1
