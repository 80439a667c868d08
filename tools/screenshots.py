"""Pictures of the page over the small web of our own: ``python -m tools.screenshots [NAME ...]``.

They are written to ``docs/screenshots``, for each state, device, theme and language one, as
``STATE-DEVICE-THEME-LANGUAGE.webp``; a NAME takes those alone that have it in their name. Needs a
font with Chinese characters where fontconfig looks for fonts, such as fonts-noto-cjk of Debian,
which may be unpacked into any folder that a ``fonts.conf`` of one's own names.
"""

from __future__ import annotations

import base64
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from tests.loopback import LoopbackServer, Signal
from tests.loopback.models import ModelServer
from tests.serving.running import running
from tests.ui.chat_page import DESKTOP, PHONE

from citeseek import Settings
from citeseek.browser import find_chrome
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules
from tools.demo.site import Site, articles

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
DEVICES = {"desktop": DESKTOP, "phone": PHONE}
THEMES = ("light", "dark")
QUALITY = 62  # of 100
NOWHERE = "http://127.0.0.1:9"
FETCH = {"WEB_FETCH_ALLOW": "127.0.0.0/8", "WEB_FETCH_DELAY_SECONDS": "0"}
PATIENCE_MS = 120_000  # the first answer loads the libraries of models

Shoot: TypeAlias = Callable[[str], None]

TEA = {
    "en": "How does the making of green and black tea differ?",
    "zh": "绿茶和红茶的制作工艺有什么不同？",
}
TEA_ANSWER = {
    "en": "Both come from the same plant; what differs is **oxidation** [2].\n\nGreen tea is "
    "heated within hours of plucking, in a pan or with steam, so that its enzymes stop and it "
    "stays green [1]. It is then rolled and dried to about five percent of water [1].\n\n"
    "Black tea is withered, rolled and left to oxidise before it is dried [2].",
    "zh": "两者可以来自同一棵茶树，区别在于是否**氧化**[1]。\n\n绿茶先杀青：用高温让鲜叶里的酶失去"
    "活性，从而保住绿色和清香[3]。红茶不杀青，而是先萎凋，让鲜叶失去一部分水分变得柔软[2]。\n\n"
    "绿茶宜密封冷藏，一年之内喝完；红茶常温避光即可放两年[1]。",
}
DEPLOY = {"en": "How do I host SearXNG myself?", "zh": "SearXNG 怎样自己部署？"}
QUERIES = {
    "en": ("host SearXNG with Docker", "SearXNG JSON for agents"),
    "zh": ("用 Docker 部署 SearXNG", "SearXNG 是什么"),
}
DEPLOY_ANSWER = {
    "en": "Write `docker-compose.yml` and `settings.yml`, start it, and verify it by curl [1]:\n\n"
    "```sh\ndocker compose up -d\ncurl 'http://localhost:8080/search?q=test&format=json'\n```\n\n"
    "An agent needs the JSON format, which is off by default [2].",
    "zh": "写好 `docker-compose.yml` 和 `settings.yml`，启动，再用 curl 验证[1]：\n\n"
    "```sh\ndocker compose up -d\ncurl 'http://localhost:8080/search?q=test&format=json'\n```\n\n"
    "给程序使用时要启用 JSON 格式，默认只输出 HTML[2]。",
}


def main(names: list[str]) -> None:
    """Take every picture anew, or those with one of ``names`` in their own."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chrome(None))
        for device in DEVICES:
            for theme in THEMES:
                for lang in TEA:
                    _take(browser, device, theme, lang, names)
        browser.close()


def _take(browser: Browser, device: str, theme: str, lang: str, names: list[str]) -> None:
    ending = f"{device}-{theme}-{lang}"
    is_phone = device == "phone"

    def shooting(page: Page) -> Shoot:
        def shoot(state: str) -> None:
            name = f"{state}-{ending}.webp"
            if names and not any(each in name for each in names):
                return
            # What was said in passing is gone from a picture.
            expect(page.locator("#confirmation:not(:empty)")).to_have_count(0, timeout=PATIENCE_MS)
            expect(page.locator("#search-hint[data-told]")).to_have_count(0, timeout=PATIENCE_MS)
            (FOLDER / name).write_bytes(_picture(page))
            print(FOLDER / name)

        return shoot

    with _page(browser, device, theme, lang) as (page, model):
        _talk(page, model, lang, shooting(page), is_phone=is_phone)
    # A check reads the pages again, which it can by their addresses alone.
    with _page(browser, device, theme, lang, has_names=False) as (page, model):
        model.says(TEA_ANSWER[lang])
        _turn_on(page)
        _ask(page, TEA[lang])
        page.locator(".check").click()
        expect(page.locator(".checks li[data-verdict]").first).to_be_visible(timeout=PATIENCE_MS)
        shooting(page)("checked")
    with _page(browser, device, theme, lang, SEARXNG_BASE_URL=NOWHERE) as (page, model):
        shooting(page)("no-engine")
        model.says({"en": "From memory: it is the heat.", "zh": "凭记忆：区别在于加热。"}[lang])
        _turn_on(page)
        _ask(page, TEA[lang])
        shooting(page)("failed-search")
    with _page(browser, device, theme, lang, CITESEEK_TOKEN=secrets.token_hex()) as (page, _):
        shooting(page)("sign-in")


def _talk(page: Page, model: ModelServer, lang: str, shoot: Shoot, *, is_phone: bool) -> None:
    """Go through the states of one conversation."""
    shoot("start")
    page.locator("#message").fill("/")
    shoot("commands")
    page.locator("#message").fill("")
    page.locator("#model-pick > summary").click()
    expect(page.locator("#model-list input")).not_to_have_count(0)
    shoot("models")
    page.keyboard.press("Escape")
    held = Signal()
    model.says(held, TEA_ANSWER[lang])
    _turn_on(page)
    turn = _send(page, TEA[lang])
    expect(turn.locator(".chips")).to_be_visible()
    shoot("found")
    held.set()
    _wait_for(turn)
    shoot("answer")
    citation = page.locator(".citation a").first
    citation.tap() if is_phone else citation.hover()
    expect(page.locator("#citation-card")).to_be_visible()
    shoot("card")
    page.keyboard.press("Escape")
    page.locator("#composer").hover()
    page.locator(".about > summary").first.click()
    page.locator(".source-list").evaluate("list => list.scrollIntoView({ block: 'start' })")
    shoot("sources")
    page.locator('#mode [data-mode="agent"]').click()
    model.calls("web_search", *({"query": query} for query in QUERIES[lang]))
    model.says(DEPLOY_ANSWER[lang])
    _ask(page, DEPLOY[lang])
    shoot("agent")
    page.locator(".turn").last.locator(".steps > summary").click()
    shoot("rounds")
    page.locator("#settings-button").click()
    shoot("settings")
    page.locator("#settings-button").click()
    if is_phone:
        page.locator("#history-button").click()
    row = page.locator("#history-list li[data-session]").first
    row.hover()
    row.locator(".row-menu").click()
    shoot("history")
    for name in ("reports", "status"):
        page.goto(f"/{name}")
        shoot(name)


def _picture(page: Page) -> bytes:
    """Return the page as WebP, which Playwright itself does not write."""
    asked = {"format": "webp", "quality": QUALITY}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    return base64.b64decode(taken["data"])


@contextmanager
def _page(
    browser: Browser, device: str, theme: str, lang: str, *, has_names: bool = True, **env: str
) -> Iterator[tuple[Page, ModelServer]]:
    with LoopbackServer() as engine, ModelServer() as model:
        Site(engine, articles(), has_names=has_names)
        told = {**model.env, **FETCH, "SEARXNG_BASE_URL": engine.base_url, **env}
        loaded = Settings.load(config={}, agents={}, env=told)
        app = create_app(lambda: loaded, store=MemoryStore(), looks=NOWHERE in env.values())
        with running(guard_app(app, rules=Rules.of(loaded))) as base_url:
            locale = {"en": "en-US", "zh": "zh-CN"}[lang]
            context = browser.new_context(
                **DEVICES[device],  # type: ignore[arg-type]
                color_scheme=theme,  # type: ignore[arg-type]
                locale=locale,
                base_url=base_url,
            )
            page = context.new_page()
            page.goto(f"/?lang={lang}")
            yield page, model
            context.close()


def _turn_on(page: Page) -> None:
    switch = page.locator("#search-switch")
    if switch.get_attribute("aria-checked") != "true":
        switch.click()
    expect(switch).to_have_attribute("aria-checked", "true")
    page.locator("#composer").hover()  # else what the switch does stays told


def _ask(page: Page, question: str) -> None:
    _wait_for(_send(page, question))
    page.mouse.move(0, 0)  # else it may point at a citation, whose card opens


def _send(page: Page, question: str) -> Locator:
    """Send ``question``; return its turn."""
    before = page.locator("article.turn").count()
    page.locator("#message").fill(question)
    page.locator("#message").press("Enter")
    return page.locator("article.turn").nth(before)


def _wait_for(turn: Locator) -> None:
    ended = re.compile("answered|failed")
    expect(turn).to_have_attribute("data-outcome", ended, timeout=PATIENCE_MS)


if __name__ == "__main__":
    main(sys.argv[1:])
