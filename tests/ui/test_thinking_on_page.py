"""What a model thinks aloud stands apart from its answer, folded away."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.loopback import Signal
from tests.loopback.models import Thought
from tests.ui.chat_page import ChatPage

pytestmark = [pytest.mark.browser, pytest.mark.release]


def test_thinking_is_folded_apart_and_is_no_part_of_the_answer(chat: ChatPage) -> None:
    first, second = Signal(), Signal()
    chat.site.model.says(
        Thought("I could cite [2].\n<b>Really</b>?"), first, "Steamed", second, " [1]."
    )
    chat.turn_on()
    chat.say("tea")
    thinking = chat.part("thinking")
    expect(thinking.locator("summary")).to_have_text("模型正在思考…")
    expect(thinking.locator(".thinking-body")).to_be_hidden()
    thinking.locator("summary").click()
    expect(thinking.locator(".thinking-body")).to_have_text("I could cite [2].\n<b>Really</b>?")
    first.set()
    expect(chat.part("answer")).to_have_text("Steamed")
    second.set()
    expect(chat.last).to_have_attribute("data-outcome", "answered")
    expect(chat.part("answer")).to_have_text("Steamed [1].")
    expect(chat.part("references").locator('.source[data-cited="true"]')).to_have_count(1)
    # What was unfolded stays so, and is there again after a reload.
    expect(thinking.locator(".thinking-body")).to_be_visible()
    told = thinking.locator("summary").text_content()
    chat.page.reload()
    expect(thinking.locator("summary")).to_have_text(told or "")
    expect(thinking.locator(".thinking-body")).to_be_hidden()
    thinking.locator("summary").press("Enter")
    expect(thinking.locator(".thinking-body")).to_be_visible()


def test_thinking_written_into_the_answer_leaves_it(chat: ChatPage) -> None:
    chat.site.model.says("<think>I could cite [2].</think>Steamed [1].", chunk=3)
    chat.turn_on()
    chat.ask("tea")
    expect(chat.part("answer")).to_have_text("Steamed [1].")
    expect(chat.part("thinking").locator(".thinking-body")).to_have_text("I could cite [2].")


def test_an_answer_without_thinking_shows_none(chat: ChatPage) -> None:
    chat.site.model.says("Steamed.")
    chat.ask("tea")
    expect(chat.part("thinking")).to_be_empty()
