"""What the page tells of a search service that is not well, before anybody asks it something."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect
from tests.loopback import refused_port
from tests.ui.chat_page import site, tab

pytestmark = [pytest.mark.browser, pytest.mark.release]

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.requirement("S1-25", "S1-26", "S1-27", "S1-66..S1-68")
def test_trouble_at_the_start_is_shown(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(looks=True, SEARXNG_BASE_URL=f"http://127.0.0.1:{port}") as served,
        tab(browser, served) as chat,
    ):
        chat.open()
        report = chat.page.locator("#start-report .finding[data-status=error]")
        expect(report).to_contain_text("拒绝连接")
        expect(report.locator("pre")).to_contain_text("docker compose up -d")
        # Others can be asked.
        expect(report).to_contain_text("用 SearXNG 的搜索都会失败")
        expect(chat.message).to_be_focused()
        for width in (1280, 500, 320):
            chat.page.set_viewport_size({"width": width, "height": 800})
            assert chat.has_no_sideways_scroll()
            for name in (".example", "#start-report", "#empty h2"):
                box = chat.page.locator(name).first.bounding_box()
                assert box
                assert box["x"] >= 0, (name, width)
                assert box["x"] + box["width"] <= width, (name, width)
        chat.page.set_viewport_size({"width": 1280, "height": 800})
        guide = report.locator("a")
        expect(guide).to_have_attribute("href", "/guide#docker")
        with chat.page.context.expect_page() as opened:
            guide.click()
        heading = opened.value.locator("h2").filter(has_text="使用 Docker").first
        expect(heading).to_be_in_viewport()
        expect(opened.value.locator("body")).to_contain_text("docker compose up -d")


@pytest.mark.requirement("S1-89..S1-92")
def test_the_settings_can_look_at_any_time(browser: Browser) -> None:
    with site(looks=True) as served, tab(browser, served) as chat:
        chat.open()
        chat.page.locator("#settings-button").click()
        chat.page.locator("#check-search").click()
        finding = chat.page.locator("#report .finding").first
        expect(finding).to_be_visible()
        expect(chat.page.locator("#confirmation")).to_contain_text("搜索服务")
        expect(chat.page.locator("#confirmation")).to_contain_text("SearXNG")
        expect(chat.page.locator("#check-search")).to_be_enabled()


def test_the_engine_that_was_chosen_is_looked_at_and_named(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(looks=True, demo=True, DDG_HTML_BASE_URL=f"http://127.0.0.1:{port}") as served,
        tab(browser, served) as chat,
    ):
        chat.open()
        chat.page.locator("#settings-button").click()
        for engine, label, sentence in (
            ("stub", "stub", "搜索服务正常"),
            ("ddg_html", "DuckDuckGo", "搜索服务有问题"),
        ):
            chat.page.locator("#choice-engine").select_option(engine)
            expect(chat.confirmation).to_have_text("已保存")
            asked = len(served.engine.requests)
            chat.page.locator("#check-search").click()
            expect(chat.confirmation).to_contain_text(sentence)
            expect(chat.confirmation).to_contain_text(label)
            expect(chat.page.locator("#report .finding")).to_have_count(1)
            expect(chat.page.locator("#report .finding")).to_contain_text(label)
            assert len(served.engine.requests) == asked


def test_an_english_page_tells_it_in_english(browser: Browser) -> None:
    with (
        refused_port() as port,
        site(looks=True, SEARXNG_BASE_URL=f"http://127.0.0.1:{port}") as served,
        tab(browser, served) as chat,
    ):
        chat.open("/?lang=en")
        report = chat.page.locator("#start-report .finding[data-status=error]")
        expect(report).to_contain_text("refuses the connection: nothing listens")
        expect(report).not_to_contain_text(HAN)
        chat.say("/help")
        expect(chat.last.locator(".notice")).to_contain_text("web search: on, off, show")
        expect(chat.last).not_to_contain_text(HAN)
