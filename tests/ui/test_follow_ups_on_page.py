"""Questions that may be asked next: shown where the settings wish it, behind the newest answer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, ChatPage, site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]
SUGGESTED = "1. Is it cold?\n- Why <b>green</b>?\n\n/reset\nWhat is tea?\nWho drinks it?\nAnd?"


def test_they_come_behind_the_answer_and_are_asked_by_a_click(browser: Browser) -> None:
    with (
        site(CITESEEK_FOLLOW_UPS="true") as served,
        tab(browser, served, DESKTOP, bypass_csp=True) as chat,
    ):
        chat.open("/?lang=en")
        served.model.says("A plant.")
        served.model.says(SUGGESTED)
        chat.ask("What is tea?")
        questions = chat.page.get_by_role("region", name="What to ask next").get_by_role("button")
        expect(questions).to_have_text(["Is it cold?", "Why <b>green</b>?", "Who drinks it?"])
        assert violations(chat.page) == []
        assert "in the language of the" in served.model.requests[-1].system
        chat.part("actions").locator(".about summary").click()
        expect(chat.part("actions").locator(".egress")).to_contain_text("calls: 2")
        chat.page.reload()
        expect(questions).to_have_count(3)
        asked = len(served.model.requests)
        served.model.says("Many.")
        served.model.fails(500, always=True)
        questions.last.click()
        expect(chat.last.locator(".question")).to_have_text("Who drinks it?")
        expect(chat.part("answer")).to_have_text("Many.")
        # Those of the answer before are shown no more, and one that fails leaves the answer whole.
        expect(questions.first).to_be_hidden()
        served.model.reach(asked + 2).wait()
        expect(chat.last).to_have_attribute("data-outcome", "answered")


def test_a_chinese_question_is_followed_in_chinese(browser: Browser) -> None:
    with site(CITESEEK_FOLLOW_UPS="true") as served, tab(browser, served) as chat:
        chat.open()
        served.model.says("一种植物。")
        served.model.says("冷的吗？")
        chat.ask("茶是什么？")
        expect(chat.part("follow_ups").get_by_role("button")).to_have_text("冷的吗？")
        assert "提问者的语言" in served.model.requests[-1].system


def test_nobody_is_asked_for_them_where_nobody_wishes_it(chat: ChatPage) -> None:
    chat.site.model.says("A plant.")
    chat.ask("What is tea?")
    chat.site.model.says("Steam.")
    chat.ask("Why?")
    expect(chat.part("follow_ups")).to_be_empty()
    assert len(chat.site.model.requests) == 2
