"""Chat mode that reads, on the page: its switch, and how a citation of an unread page looks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.assistant.chatting import found, result
from tests.loopback import LoopbackServer, replies
from tests.ui.chat_page import DESKTOP, ChatPage, site, tab
from tests.ui.geometry import style

pytestmark = [pytest.mark.browser, pytest.mark.release]

SENTENCE = "The tea house at the lake closes at half past nine."


@pytest.fixture
def reader(browser: Browser, server: LoopbackServer) -> Iterator[ChatPage]:
    """Give the page over two results, of which one can be read."""
    server.on("/open", replies.html(f"<article><p>{SENTENCE}</p><p>{SENTENCE}</p></article>"))
    server.on("/wall", replies.status(403))
    pages = [result(n, url=server.url(path)) for n, path in enumerate(("/open", "/wall"), 1)]
    env = {
        "WEB_FETCH_ALLOW": "127.0.0.1",
        "WEB_FETCH_DELAY_SECONDS": "0",
        "CITESEEK_CHAT_READ_TIMEOUT": "60",
    }
    with site(found(*pages), **env) as served, tab(browser, served, DESKTOP) as opened:
        yield opened.open()


def test_the_switch_is_moved_by_a_click_and_by_a_command(reader: ChatPage) -> None:
    switch = reader.page.locator("#read-switch")
    twin = reader.page.locator("#settings-read")
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(switch.locator(".state")).to_have_text("关闭")
    switch.click()
    expect(reader.confirmation).to_have_text("精读已开启")
    for each in (switch, twin):
        expect(each).to_have_attribute("aria-checked", "true")
    reader.say("/read off")
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(twin.locator(".state")).to_have_text("关闭")
    switch.click()
    reader.mode("agent").click()
    expect(switch).to_be_disabled()
    expect(switch.locator(".state")).to_have_text("禁用")
    expect(reader.page.locator("#read-hint")).to_have_text("Agent 模式下由 AI 自动决策读取")
    reader.mode("chat").click()
    expect(switch).to_have_attribute("aria-checked", "true")
    reader.page.reload()
    expect(switch).to_have_attribute("aria-checked", "true")


def test_a_citation_of_a_page_that_was_only_found_looks_different(reader: ChatPage) -> None:
    reader.page.locator("#read-switch").click()
    expect(reader.confirmation).to_have_text("精读已开启")
    reader.site.model.says("At half past nine [1], they say [2].")
    reader.turn_on()
    turn = reader.ask("When does the tea house close?")
    for shown in (turn, None):
        if shown is None:
            # What is kept looks as it did while it was made.
            reader.page.reload()
        answer = reader.part("answer")
        expect(answer.locator(".citation")).to_have_count(2)
        expect(answer.locator(".citation.found")).to_have_text("[2]")
        read, only_found = answer.locator(".citation a").all()
        assert style(read, "borderBottomStyle") == "none"
        assert style(only_found, "borderBottomStyle") == "dashed"
        # Versions of Chromium differ in the spaces between the brackets, which are words apart.
        expect(read).to_have_accessible_name(re.compile(r"^\[ ?1 ?\]$"))
        expect(only_found).to_have_accessible_name(re.compile(r"^\[ ?2 ?\] 仅检索到，未读$"))
        standings = reader.part("references").locator(".source .standing")
        expect(standings).to_have_text(["已读", "仅检索到，未读"])
    only_found.hover()
    expect(reader.page.locator("#citation-card .standing")).to_have_text("仅检索到，未读")
    read.hover()
    expect(reader.page.locator("#citation-card .standing")).to_have_text("已读")
