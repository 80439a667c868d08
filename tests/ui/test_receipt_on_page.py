"""What an answer sent out and brought in, folded below it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import PHONE, site, tab
from tests.ui.geometry import sideways

pytestmark = [pytest.mark.browser, pytest.mark.release]


def test_a_fold_says_what_was_asked_and_opens_also_after_a_reload(browser: Browser) -> None:
    with site() as served, tab(browser, served, {**PHONE, "bypass_csp": True}) as chat:
        served.model.says("Tea [1].")
        chat.open().turn_on()
        chat.ask("What is tea?")
        host = served.engine.base_url.removeprefix("http://")
        for _ in range(2):
            fold = chat.part("actions").locator("details.about")
            expect(fold.get_by_role("table")).not_to_be_visible()
            fold.locator("summary").tap()
            expect(fold.locator(".summary")).to_contain_text("网络：1 个请求")
            expect(fold.get_by_role("rowheader")).to_have_text([host])
            expect(fold.locator("li")).to_contain_text("输入 7 个词元，输出 5 个词元")
            assert sideways(chat.page) == []
            assert violations(chat.page) == []
            chat.page.reload()
