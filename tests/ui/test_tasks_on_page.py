"""What people come for, with the number of presses that it takes who knows the address alone."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.loopback import replies
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, site, tab
from tests.ui.geometry import sideways
from tests.ui.kept import source, turn
from tests.ui.test_picks_on_page import listing

from citeseek.conversations.conversation_record import Record
from citeseek.conversations.sqlite_store import MemoryStore

pytestmark = [pytest.mark.browser, pytest.mark.release]

WEEK_SECONDS = 7 * 24 * 60 * 60
QUESTION = {"en": "How is green tea made?", "zh": "绿茶是怎么做的？"}
ANSWER = {"en": "It is heated soon after plucking [1].", "zh": "采摘后不久就加热杀青[1]。"}


def last_week() -> MemoryStore:
    """Return a store with a conversation of last week about boats."""
    at = time.time() - WEEK_SECONDS

    async def fill() -> MemoryStore:
        store = MemoryStore()
        await store.put(Record(id="boats", created_at=at, title="Where to row?"))
        said = turn(1, "Where to row?", "On the lake at Bellagio.", source(1))
        await store.add_turn("boats", said)
        return store

    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, fill()).result()


class Hands:
    """Presses what a person would, and counts it."""

    def __init__(self, chat: ChatPage, *, is_finger: bool) -> None:
        self.chat = chat
        self.is_finger = is_finger
        self.presses = 0

    def press(self, what: Locator) -> None:
        self.presses += 1
        if self.is_finger:
            what.tap()
        else:
            what.click()

    def counted(self) -> int:
        """Return how often something was pressed since this was asked last."""
        presses, self.presses = self.presses, 0
        assert violations(self.chat.page) == []
        assert sideways(self.chat.page) == []
        return presses


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_five_tasks(browser: Browser, device: dict[str, Any], lang: str) -> None:
    is_phone = device is PHONE
    env = {"CITESEEK_CHAT_SEARCH": "on"}
    with (
        site(store=last_week(), **env) as served,
        tab(browser, served, {**device, "bypass_csp": True}) as chat,
    ):
        listing(served)
        hands = Hands(chat, is_finger=is_phone)
        chat.open(f"/?lang={lang}")

        # The first answer: what is typed goes into the box, which has the focus.
        served.model.says(ANSWER[lang])
        chat.page.keyboard.type(QUESTION[lang])
        chat.page.keyboard.press("Enter")
        expect(chat.last).to_have_attribute("data-outcome", "answered")
        assert hands.counted() == 0

        # What a source says: a mouse points at its number, a finger taps it.
        citation = chat.part("answer").locator(".citation a").first
        if is_phone:
            hands.press(citation)
        else:
            citation.hover()
        card = chat.page.locator("#citation-card")
        expect(card).to_contain_text("Summary 1.")
        assert hands.counted() == (1 if is_phone else 0)
        chat.page.keyboard.press("Escape")

        # Another model.
        hands.press(chat.page.locator("#model-pick summary"))
        hands.press(chat.page.locator(".model-row", has_text="openai:large"))
        expect(chat.page.locator("#model-picked")).to_have_text("large")
        chat.page.keyboard.press("Escape")
        assert hands.counted() == 2

        # The conversation of last week, of which one word is known.
        if is_phone:
            hands.press(chat.page.locator("#history-button"))
        hands.press(chat.page.locator("#history-query"))
        chat.page.keyboard.type("bellagio")
        row = chat.page.locator("#history-list li[data-session] a")
        expect(row).to_have_count(1)
        with chat.page.expect_navigation():
            hands.press(row)
        expect(chat.part("answer")).to_contain_text("On the lake")
        assert hands.counted() == (3 if is_phone else 2)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_engine_that_is_down_takes_one_press(
    browser: Browser, device: dict[str, Any], lang: str
) -> None:
    with (
        site(replies.status(500), CITESEEK_CHAT_SEARCH="on") as served,
        tab(browser, served, {**device, "bypass_csp": True}) as chat,
    ):
        hands = Hands(chat, is_finger=device is PHONE)
        served.model.says("From memory.")
        chat.open(f"/?lang={lang}").ask(QUESTION[lang])
        ways = chat.last.locator(".notice .ways")
        expect(ways.locator(".use-engine")).to_contain_text("DuckDuckGo")
        # It runs again.
        served.results(2)
        served.model.says(ANSWER[lang])
        hands.press(ways.locator(".retry"))
        expect(chat.part("answer").locator(".citation a")).to_have_count(1)
        assert hands.counted() == 1
