"""Agents of agents.json in the page: chosen before the first question, named afterwards."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import PHONE, ChatPage, site, tab
from tests.ui.geometry import sideways, too_small

pytestmark = [pytest.mark.browser, pytest.mark.release]

AGENTS = {
    "agents": [
        {"id": "tea", "name": "Tea <b>master</b>", "webSearch": {"enabled": True}},
        {"id": "quiet"},
    ]
}
OF_CONVERSATION = re.compile("/c/[^/]+$")


@pytest.mark.requirement("P22")
def test_an_agent_without_a_search_says_so_and_answers(browser: Browser) -> None:
    with site(agents=AGENTS) as served, tab(browser, served) as chat:
        chat.open()
        chat.message.fill("What is tea?")
        choice = chat.page.get_by_label("由谁回答")
        expect(choice.locator("option")).to_have_text(
            ["Citeseek", "Tea <b>master</b>", "quiet（不联网搜索）"]
        )
        choice.select_option("quiet")
        expect(chat.page).to_have_url(OF_CONVERSATION)
        expect(chat.mode("agent")).to_have_attribute("aria-checked", "true")
        hint = "Agent 模式：此 Agent 未启用联网搜索"
        expect(chat.page.locator("#search-hint")).to_have_text(hint)
        expect(chat.message).to_have_value("What is tea?")
        served.model.says("A plant.")
        chat.message.press("Enter")
        expect(chat.part("answer")).to_have_text("A plant.")
        assert served.model.requests[-1].tools == []
        expect(chat.page.locator(".agent")).to_have_text("Agent：quiet")
        expect(choice).to_be_hidden()
        chat.page.reload()
        expect(chat.page.locator(".agent")).to_have_text("Agent：quiet")
        expect(chat.page.locator("#search-hint")).to_have_text(hint)


def test_an_agent_with_a_search_uses_it_and_the_way_back_is_open(browser: Browser) -> None:
    with site(agents=AGENTS) as served, tab(browser, served) as chat:
        chat.open("/?lang=en")
        choice = chat.page.locator("#choice-agent")
        choice.select_option("tea")
        expect(chat.page).to_have_url(OF_CONVERSATION)
        choice.select_option("")
        expect(chat.page).to_have_url(f"{served.base_url}/")
        expect(chat.mode("chat")).to_have_attribute("aria-checked", "true")
        expect(chat.message).to_be_focused()  # the scripts are at work
        choice.select_option("tea")
        expect(chat.page).to_have_url(OF_CONVERSATION)
        expect(choice).to_have_value("tea")
        expect(chat.message).to_be_focused()
        served.model.calls("web_search", {"query": "tea"})
        served.model.says("A plant [1].")
        chat.ask("What is tea?")
        expect(chat.part("searches").locator("details")).to_have_count(1)
        expect(chat.page.locator(".agent")).to_have_text("Agent: Tea <b>master</b>")


def test_without_agents_there_is_nothing_to_choose(chat: ChatPage) -> None:
    expect(chat.page.locator("#choice-agent")).to_have_count(0)


def test_the_choice_of_an_agent_can_be_reached_by_everybody(browser: Browser) -> None:
    with site(agents=AGENTS) as served, tab(browser, served, PHONE, bypass_csp=True) as chat:
        chat.open()
        assert violations(chat.page) == []
        assert too_small(chat.page.locator("#empty")) == []
        assert sideways(chat.page) == []
