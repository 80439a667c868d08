"""The gate on the page: a verdict beside each number at once, and what was struck or put right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect
from tests.assistant.chatting import found, result
from tests.assistant.test_answer_gate import FORGED, PAGE, PLAIN, TRUE
from tests.assistant.test_chat_reads import page
from tests.assistant.test_citation_judge import says
from tests.loopback import LoopbackServer, Signal
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, ChatPage, site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]


@contextmanager
def gated(browser: Browser, server: LoopbackServer, gate: str, **more: str) -> Iterator[ChatPage]:
    """Give the page behind a gate, over a result that can be read."""
    server.on("/tea", page(PAGE))
    env = {
        "WEB_FETCH_ALLOW": "127.0.0.1",
        "WEB_FETCH_DELAY_SECONDS": "0",
        "CITESEEK_CHAT_READ": "on",
        "CITESEEK_CHAT_READ_TIMEOUT": "60",
        "CITESEEK_GATE": gate,
        **more,
    }
    results = found(result(1, url=server.url("/tea")))
    with (
        site(results, **env) as served,
        tab(browser, served, DESKTOP, bypass_csp=True) as opened,
    ):
        yield opened.open()


def test_each_number_has_its_verdict_while_the_answer_goes_on(
    browser: Browser, server: LoopbackServer
) -> None:
    go_on = Signal()
    with gated(browser, server, "mark") as chat:
        chat.site.model.says(f"{TRUE} {FORGED} It", go_on, " is a quiet place.")
        chat.turn_on()
        chat.say("tea house")
        marks = chat.part("answer").locator(".citation")
        # The answer is not over: it waits for the signal.
        expect(marks.nth(0)).to_have_attribute("data-verdict", "supported")
        expect(marks.nth(1)).to_have_attribute("data-verdict", "contradicted")
        expect(chat.part("answer")).not_to_contain_text("quiet")
        go_on.set()
        expect(chat.part("answer")).to_contain_text(PLAIN)
        for shown in ("made", "kept"):
            if shown == "kept":
                chat.page.reload()
            expect(marks.nth(0)).to_have_attribute("data-verdict", "supported")
            expect(marks.nth(1)).to_have_attribute("data-verdict", "contradicted")
            expect(chat.part("answer").locator("s")).to_have_count(0)
        marks.nth(1).locator("a").hover()
        expect(chat.page.locator("#citation-card mark")).to_have_text(PAGE)


def test_a_contradicted_sentence_is_struck_with_what_the_page_says(
    browser: Browser, server: LoopbackServer
) -> None:
    with gated(browser, server, "hold") as chat:
        model = chat.site.model
        model.says(f"{TRUE} {FORGED} {PLAIN}\n\n- {FORGED}\n- {PLAIN}\n", chunk=7)
        model.says("I do not know.")
        model.says(TRUE)
        chat.turn_on()
        chat.ask("tea house")
        answer = chat.part("answer")
        for shown in ("made", "kept"):
            if shown == "kept":
                chat.page.reload()
            expect(answer.locator("s")).to_have_count(1)
            expect(answer.locator("s")).to_contain_text("1921")
            expect(answer.locator("q.instead")).to_have_text(PAGE)
            # The second one was put right, which the list tells.
            expect(answer.locator("li").first).to_contain_text("1912")
            judged = chat.part("judged")
            expect(judged.locator(".fate[data-fate=struck]")).to_contain_text("1921")
            expect(judged.locator(".fate[data-fate=repaired] del")).to_contain_text("1921")
        judged.locator("summary").click()
        expect(judged.locator(".fate").first).to_be_visible()
        assert violations(chat.page) == []


def test_a_check_with_a_judge_takes_the_place_of_what_the_gate_left_unclear(
    browser: Browser, server: LoopbackServer
) -> None:
    with gated(browser, server, "mark", CITESEEK_JUDGE="model") as chat:
        chat.site.model.says("The tea house at the lake welcomed its first guests in 1912 [1].")
        chat.turn_on()
        chat.ask("tea house")
        mark = chat.part("answer").locator(".citation")
        expect(mark).to_have_attribute("data-verdict", "unclear")
        assert len(chat.site.model.requests) == 1
        chat.site.model.says(says((1, "supported", PAGE)))
        chat.last.locator(".check").click()
        expect(mark).to_have_attribute("data-verdict", "supported")
