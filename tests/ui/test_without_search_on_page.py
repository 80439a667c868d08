"""The built-in model with the search off: the page says what to do, and does it with one click."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import PHONE, site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]


@pytest.mark.parametrize(
    ("lang", "told", "button"),
    [
        ("zh", "请打开“联网搜索”", "打开联网搜索，重新提问"),
        ("en", "Turn on Web search", "Turn on web search and ask again"),
    ],
)
def test_one_click_turns_the_search_on_and_asks_again(
    browser: Browser, lang: str, told: str, button: str
) -> None:
    with (
        site(CITESEEK_MODEL="extractive", CITESEEK_CHAT_SEARCH="false") as served,
        tab(browser, served, PHONE, bypass_csp=True) as chat,
    ):
        chat.open(f"/?lang={lang}")
        turn = chat.ask("Summary?")
        expect(turn.locator('.notice[data-code="search_off"]')).to_contain_text(told)
        assert violations(chat.page) == []
        turn.get_by_role("button", name=button).click()
        # The answer comes in the place of what said so, which stays as its earlier version.
        expect(chat.part("actions").locator(".place")).to_contain_text("2/2")
        expect(chat.turns).to_have_count(1)
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        expect(chat.switch).to_have_attribute("aria-checked", "true")
        assert served.searches == 1
        expect(chat.last.locator(".notice")).to_have_count(0)
