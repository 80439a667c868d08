"""The way to the page in the other language, for browsers that would rather have it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, Site, site, tab
from tests.ui.geometry import is_seen, sideways, too_small

pytestmark = [pytest.mark.browser, pytest.mark.release]

NARROWEST = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def served() -> Iterator[Site]:
    """Give a server with a language of its own: else the browser's is that of its page."""
    with site(CITESEEK_PAGE_LANGUAGE="zh") as running:
        yield running


@pytest.mark.parametrize(
    ("locale", "page", "link"),
    [("en-US", "/", "English"), ("zh-CN", "/?lang=en", "中文")],
)
def test_it_fits_the_narrowest_phone_and_breaks_no_rule(
    browser: Browser, served: Site, locale: str, page: str, link: str
) -> None:
    with tab(browser, served, NARROWEST, locale=locale, bypass_csp=True) as chat:
        chat.open(page)
        other = chat.page.get_by_role("link", name=link, exact=True)
        for mode in ("agent", "chat"):
            chat.mode(mode).click()
            expect(chat.mode(mode)).to_have_attribute("aria-checked", "true")
            assert is_seen(other)
            assert is_seen(chat.page.locator(".search-sentence"))
            assert sideways(chat.page) == []
        # This scrolls to what it looks at.
        small = too_small(chat.page.locator("body"))
        assert [name for name in small if "other-language" in name] == []
        assert violations(chat.page) == []
        other.click()
        expect(chat.page.locator("html")).to_have_attribute("lang", locale.removesuffix("-US"))
        expect(chat.page.locator("#other-language")).to_have_count(0)


def test_it_works_without_javascript_and_keeps_the_place(browser: Browser, served: Site) -> None:
    with tab(browser, served, DESKTOP, locale="en-GB") as chat:
        served.model.says("Tea is a plant.")
        chat.open()
        chat.ask("tea?")
        path = chat.page.evaluate("location.pathname")
    with tab(browser, served, DESKTOP, locale="en-GB", java_script_enabled=False) as chat:
        chat.open(path)
        chat.page.locator("#other-language").click()
        expect(chat.page).to_have_url(f"{served.base_url}{path}?lang=en")
        expect(chat.page.locator("#search-label")).to_have_text("Web search")
        chat.open(path)
        expect(chat.page.locator("#search-label")).to_have_text("Web search")
