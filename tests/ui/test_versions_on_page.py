"""Answers made again and questions written anew, with what was there before kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.loopback.models import HANG
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, ChatPage, Site, tab

pytestmark = pytest.mark.browser


def step(chat: ChatPage, name: str) -> Locator:
    return chat.part("actions").locator(f'.version[data-step="{name}"]')


def answered(chat: ChatPage, question: str, answer: str) -> None:
    chat.site.model.says(answer)
    chat.ask(question)


def retried(chat: ChatPage, answer: str) -> None:
    """Let the last question be answered again."""
    before = chat.last.get_attribute("data-turn")
    chat.site.model.says(answer)
    chat.part("actions").locator(".retry").click()
    expect(chat.last).not_to_have_attribute("data-turn", before or "")
    expect(chat.last).to_have_attribute("data-outcome", "answered")


def test_an_answer_is_made_again_in_its_place_and_earlier_ones_stay(chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.")
    expect(chat.part("actions").locator(".versions")).to_have_count(0)
    retried(chat, "Black.")
    retried(chat, "Red.")
    expect(chat.turns).to_have_count(1)
    expect(chat.part("answer")).to_have_text("Red.")
    expect(chat.part("actions").locator(".place")).to_contain_text("3/3")
    expect(step(chat, "later")).to_be_disabled()
    step(chat, "earlier").click()
    expect(chat.part("answer")).to_have_text("Black.")
    expect(step(chat, "earlier")).to_be_focused()
    step(chat, "earlier").press("Enter")
    expect(chat.part("answer")).to_have_text("Green.")
    # There is none before it: the focus is on the way back.
    expect(step(chat, "later")).to_be_focused()
    chat.page.reload()
    expect(chat.part("answer")).to_have_text("Green.")
    expect(chat.part("actions").locator(".place")).to_contain_text("1/3")


def test_the_answer_that_is_made_again_stands_at_the_top(chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.\n\n" * 40)
    answered(chat, "and coffee?", "Black.")
    retried(chat, "White.")
    top = chat.page.locator("#messages").bounding_box()
    heading = chat.last.locator(".question").bounding_box()
    assert top
    assert heading
    assert heading["y"] - top["y"] < 60


def test_an_icon_stands_upright_when_its_menu_is_open(chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.")
    menus = chat.part("actions").locator("summary.icon-button")
    expect(menus.first).to_be_visible()
    for menu in menus.all():
        menu.click()
        expect(menu.locator(".glyph")).to_have_css("rotate", "none")


def test_a_question_is_written_anew_and_the_way_that_was_left_can_be_gone_again(
    chat: ChatPage,
) -> None:
    answered(chat, "Is tea green?", "Yes.")
    answered(chat, "Why?", "Steam.")
    first = chat.turns.first
    first.locator(".edit").click()
    area = first.get_by_role("textbox", name="问题")
    expect(area).to_be_focused()
    expect(area).to_have_value("Is tea green?")
    expect(first.locator(".question")).to_be_hidden()
    area.press("Escape")
    expect(first.locator(".question")).to_be_visible()
    expect(first.locator(".edit")).to_be_focused()
    first.locator(".edit").press("Enter")
    chat.site.model.says("No, red.")
    area.fill("Is tea red?")
    area.press("Enter")
    expect(chat.turns).to_have_count(1)
    expect(chat.last.locator(".question")).to_have_text("Is tea red?")
    expect(chat.history().locator("li[data-session] a")).to_have_text("Is tea red?")
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    answered(chat, "And then?", "It is drunk.")
    sent = [message["content"] for message in chat.site.model.requests[-1].messages]
    assert "Is tea green?" not in " ".join(sent)
    chat.turns.first.locator('.version[data-step="earlier"]').click()
    expect(chat.turns).to_have_count(2)
    expect(chat.turns.first.locator(".question")).to_have_text("Is tea green?")
    expect(chat.part("answer")).to_have_text("Steam.")
    chat.turns.first.locator('.version[data-step="later"]').click()
    expect(chat.part("answer")).to_have_text("It is drunk.")


def test_the_arrow_up_in_an_empty_box_changes_the_last_question(chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.\n\n" * 40)
    chat.message.fill("half")
    chat.message.press("ArrowUp")
    expect(chat.page.locator(".editing")).to_have_count(0)
    chat.message.fill("")
    chat.message.press("ArrowUp")
    area = chat.last.locator(".editing textarea")
    expect(area).to_be_focused()
    expect(area).to_be_in_viewport()
    chat.site.model.says("Black.")
    area.fill("Which tea?")
    area.press("Enter")
    expect(chat.part("answer")).to_have_text("Black.")
    expect(chat.turns).to_have_count(1)


def test_a_second_tab_shows_the_same_version(browser: Browser, chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.")
    with tab(browser, chat.site, DESKTOP) as other:
        other.open(chat.page.url.removeprefix(chat.site.base_url))
        expect(other.part("answer")).to_have_text("Green.")
        retried(chat, "Black.")
        expect(other.part("answer")).to_have_text("Black.")
        expect(other.turns).to_have_count(1)
        step(chat, "earlier").click()
        expect(other.part("answer")).to_have_text("Green.")


def test_no_version_is_changed_while_an_answer_is_made(chat: ChatPage) -> None:
    answered(chat, "tea?", "Green.")
    retried(chat, "Black.")
    chat.site.model.says("It is", HANG)
    chat.say("And?")
    expect(chat.part("answer")).to_have_text("It is")
    chat.turns.first.locator('.version[data-step="earlier"]').click()
    expect(chat.confirmation).not_to_be_empty()
    expect(chat.turns.first.locator('[data-part="answer"]')).to_have_text("Black.")
    chat.page.locator("#stop").click()
    expect(chat.last).to_have_attribute("data-outcome", "stopped")


@pytest.mark.release
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_versions_and_the_box_for_a_question_are_accessible(
    browser: Browser, served: Site, colours: str
) -> None:
    with tab(browser, served, DESKTOP, bypass_csp=True, color_scheme=colours) as chat:
        chat.open("/?lang=en")
        answered(chat, "tea?", "Green.")
        retried(chat, "Black.")
        expect(chat.part("actions").get_by_role("group", name="Versions")).to_be_visible()
        assert violations(chat.page) == []
        chat.part("actions").get_by_role("button", name="Edit the question").click()
        assert violations(chat.page) == []
