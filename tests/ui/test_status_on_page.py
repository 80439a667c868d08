"""The page that says how the server stands, as an operator meets it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, site
from tests.ui.geometry import too_small

pytestmark = [pytest.mark.browser, pytest.mark.release]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_can_be_read_by_everybody(
    browser: Browser, size: dict[str, object], scheme: str
) -> None:
    with site() as served:
        context = browser.new_context(
            **size,  # type: ignore[arg-type]
            color_scheme=scheme,  # type: ignore[arg-type]
            locale="en-US",
            bypass_csp=True,
        )
        page = context.new_page()
        page.goto(f"{served.base_url}/status")
        expect(page.locator("h1")).to_have_text("Status")
        expect(page.locator("[data-engine=searxng]")).to_be_visible()
        assert violations(page) == []
        assert "has_touch" not in size or too_small(page.locator("body")) == []
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0
        context.close()


def test_it_keeps_up_while_somebody_looks(browser: Browser) -> None:
    with site() as served:
        context = browser.new_context(locale="en-US")
        page = context.new_page()
        page.clock.install()
        page.goto(f"{served.base_url}/status")
        row = page.locator("[data-engine=searxng]")
        expect(row).to_contain_text("Not asked since the process began.")
        # Nobody knows by then whether it is.
        expect(row.locator("strong")).to_have_count(0)
        asked = page.request.get(f"{served.base_url}/api/v1/search?engine=searxng&q=tea")
        assert asked.status == 200
        page.clock.run_for(15_000)
        expect(row).to_contain_text("Calls in the last hour: 1; failed: 0.")
        expect(row.locator("strong")).to_have_text("Available")
        context.close()
