"""Pictures of the chat page over the small web of our own: ``python -m tools.screenshots``.

They are written to ``docs/screenshots``. Needs fonts with Chinese characters and emoji.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.loopback import LoopbackServer
from tests.serving.running import running
from tests.ui.chat_page import DESKTOP, PHONE

from citeseek import Settings
from citeseek.browser import find_chrome
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app
from tools.demo.site import Site, articles

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
TEA = "绿茶和红茶的制作工艺有什么不同？"
DEPLOY = "SearXNG 怎样自己部署？"
DEVICES = {"desktop": DESKTOP, "phone": PHONE}


def main() -> None:
    """Take every picture anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chrome(None))
        for device in DEVICES:
            for theme in ("light", "dark"):
                _take(browser, device, theme)
        browser.close()


def _take(browser: Browser, device: str, theme: str) -> None:
    with _page(browser, device, theme) as page:
        _shoot(page, f"start-{device}-{theme}")
        page.locator("#search-switch").click()
        _ask(page, TEA)
        page.locator("article.turn").first.evaluate("each => each.scrollIntoView()")
        if device == "desktop":
            page.locator("sup.citation a").first.hover()
            expect(page.locator("#citation-card")).to_be_visible()
        _shoot(page, f"chat-{device}-{theme}")
        page.mouse.move(0, 0)
        page.locator('#mode [data-mode="agent"]').click()
        _ask(page, DEPLOY)
        last = page.locator("article.turn").last
        last.locator("details.search summary").first.click()
        last.evaluate("each => each.scrollIntoView()")
        _shoot(page, f"agent-{device}-{theme}")
    with _page(browser, device, theme, engine_is_down=True) as page:
        page.locator("#search-switch").click()
        _ask(page, TEA)
        _shoot(page, f"failed-search-{device}-{theme}")


@contextmanager
def _page(
    browser: Browser, device: str, theme: str, *, engine_is_down: bool = False
) -> Iterator[Page]:
    with LoopbackServer() as engine:
        Site(engine, articles())
        address = "http://127.0.0.1:9" if engine_is_down else engine.base_url
        loaded = Settings.load(config={}, agents={}, env={"SEARXNG_BASE_URL": address})
        with running(
            create_app(lambda: loaded, store=MemoryStore(), demo=True, looks=False)
        ) as base_url:
            context = browser.new_context(**DEVICES[device], color_scheme=theme)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(base_url)
            yield page
            context.close()


def _ask(page: Page, question: str) -> None:
    before = page.locator("article.turn").count()
    page.locator("#message").fill(question)
    page.locator("#message").press("Enter")
    turn = page.locator("article.turn").nth(before)
    expect(turn).to_have_attribute("data-outcome", re.compile("answered|failed"), timeout=20_000)
    # What was said in passing is gone from a picture.
    expect(page.locator("#confirmation")).to_be_empty(timeout=20_000)


def _shoot(page: Page, name: str) -> None:
    page.screenshot(path=FOLDER / f"{name}.png")
    print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
