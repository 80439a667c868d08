"""The search switch in both modes, as a person sees and clicks it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.ui.chat_page import ChatPage

pytestmark = pytest.mark.browser


def test_s1_1_s1_2_s1_112_to_s1_117_the_switch_of_chat_mode(chat: ChatPage) -> None:
    expect(chat.switch).to_be_enabled()
    expect(chat.switch).to_contain_text("🔍")
    expect(chat.page.locator("#search-label")).to_have_text("联网搜索")
    expect(chat.page.locator("#search-hint")).to_have_text("启用后将使用SearXNG搜索实时信息")
    expect(chat.page.locator("#search-state")).to_have_text("关闭")
    chat.switch.click()
    expect(chat.page.locator("#search-state")).to_have_text("开启")
    expect(chat.switch).to_have_attribute("aria-checked", "true")
    chat.switch.click()
    expect(chat.page.locator("#search-state")).to_have_text("关闭")
    expect(chat.switch).to_have_attribute("aria-checked", "false")
