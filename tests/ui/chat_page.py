"""The chat page as a person meets it: a real server, a real Chromium, an engine and a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect
from tests.assistant.chatting import Answer, found, result
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer
from tests.serving.running import running

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL_PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
# A machine that runs other tests as well may be slow; a right answer does not depend on it.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


class Site:
    """A running server. ``engine`` answers as SearXNG, ``model`` says what a test scripts."""

    def __init__(self, base_url: str, engine: LoopbackServer, model: ModelServer) -> None:
        self.base_url = base_url
        self.engine = engine
        self.model = model

    def results(self, count: int, **other: Any) -> None:
        """Let the engine find ``count`` pages that it serves itself from now on."""
        pages = [self.page(number, **other) for number in range(1, count + 1)]
        self.engine.on("/search", found(*pages))

    def page(self, number: int, **other: Any) -> dict[str, Any]:
        """Return a result that leads to a page of the engine's own server."""
        path = f"/page/{number}"
        self.engine.on(path, replies.html(f"<title>Page {number}</title><h1>Page {number}</h1>"))
        return result(number, url=self.engine.url(path), **other)

    @property
    def searches(self) -> int:
        """How often the engine was asked."""
        return sum(request.path == "/search" for request in self.engine.requests)


@contextmanager
def site(
    *answers: Answer,
    store: DatabaseStore | None = None,
    demo: bool = False,
    looks: bool = False,
    agents: Mapping[str, Any] | None = None,
    **env: str,
) -> Iterator[Site]:
    """Serve the page over an engine that gives ``answers``, by default five pages of its own."""
    with LoopbackServer() as engine, ModelServer() as model:
        # A search is as slow as the machine is busy: only tests of the limit are to meet it.
        patient = {"CITESEEK_CHAT_TIMEOUT": "60"}
        told = {**model.env, **patient, "SEARXNG_BASE_URL": engine.base_url, **env}
        loaded = settings(env=told, agents=agents)
        app = create_app(lambda: loaded, store=store or MemoryStore(), demo=demo, looks=looks)
        with running(guard_app(app, rules=Rules.of(loaded))) as base_url:
            served = Site(base_url, engine, model)
            if answers:
                engine.on("/search", *answers)
            else:
                served.results(5)
            yield served


class ChatPage:
    """One tab with the page in it, by what a person sees there."""

    def __init__(self, page: Page, served: Site) -> None:
        self.page = page
        self.site = served
        self.foreign: list[str] = []
        self.errors: list[str] = []
        page.on("request", self._requested)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._logged)

    def open(self, path: str = "/") -> ChatPage:
        self.page.goto(self.site.base_url + path)
        return self

    @property
    def message(self) -> Locator:
        return self.page.locator("#message")

    @property
    def switch(self) -> Locator:
        return self.page.locator("#search-switch")

    @property
    def turns(self) -> Locator:
        return self.page.locator("article.turn")

    @property
    def last(self) -> Locator:
        return self.turns.last

    @property
    def confirmation(self) -> Locator:
        return self.page.locator("#confirmation")

    def history(self) -> Locator:
        """Return the list of conversations, opened."""
        if self.page.locator("#history").is_hidden():
            self.page.locator("#history-button").click()
        return self.page.locator("#history-list")

    def work_on(self, row: Locator, action: str) -> None:
        """Choose ``rename`` or ``delete`` in the menu of a row of the history."""
        row.hover()
        row.locator(".row-menu").click()
        row.locator(f".menu .{action}").click()

    def begin_anew(self) -> None:
        """Open a new conversation, and wait until the page is at work."""
        with self.page.expect_navigation():
            self.page.locator("#new-chat").click()

    def part(self, name: str) -> Locator:
        """Return a part of the last turn, such as ``answer`` or ``sources``."""
        return self.last.locator(f'[data-part="{name}"]')

    def mode(self, name: str) -> Locator:
        return self.page.locator(f'#mode [data-mode="{name}"]')

    def say(self, text: str) -> None:
        """Send a message."""
        self.message.fill(text)
        self.message.press("Enter")

    def ask(self, text: str, outcome: str = "answered") -> Locator:
        """Send a message and wait until its turn has ended so."""
        before = self.turns.count()
        self.say(text)
        expect(self.turns).to_have_count(before + 1)
        expect(self.last).to_have_attribute("data-outcome", outcome)
        return self.last

    def turn_on(self) -> None:
        """Click the search switch on and see that it is."""
        if self.switch.get_attribute("aria-checked") != "true":
            self.switch.click()
        expect(self.switch).to_have_attribute("aria-checked", "true")

    def has_no_sideways_scroll(self) -> bool:
        wide: bool = self.page.evaluate(
            "() => document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth"
        )
        return wide

    def _requested(self, request: Request) -> None:
        if not request.url.startswith((self.site.base_url, "data:", "blob:")):
            self.foreign.append(request.url)

    def _logged(self, message: Any) -> None:
        # A status that a test provokes is logged by the browser itself.
        if message.type == "error" and not re.match("Failed to load resource", message.text):
            self.errors.append(message.text)


# A context and the end of one cost as much as most tests in it, so that one is used again.
_FREE: WeakKeyDictionary[Browser, dict[str, list[BrowserContext]]] = WeakKeyDictionary()


@contextmanager
def tab(
    browser: Browser, served: Site, device: Mapping[str, Any] = DESKTOP, **options: Any
) -> Iterator[ChatPage]:
    """Give a tab in a context where nothing is kept; in the end it asked no other host and had no
    error.
    """
    free = _FREE.setdefault(browser, {}).setdefault(repr({**device, **options}), [])
    context = (
        free.pop() if free else browser.new_context(**{"locale": "zh-CN", **device, **options})
    )
    try:
        if not context.pages:
            context.new_page()
        chat = ChatPage(context.new_page(), served)
        yield chat
        assert chat.foreign == []
        assert chat.errors == []
        _forget(context, served)
    except BaseException:
        context.close()
        raise
    free.append(context)


def _forget(context: BrowserContext, served: Site) -> None:
    """Close all pages of a context and remove what they left behind."""
    everything = {"origin": served.base_url, "storageTypes": "all"}
    blank, *others = context.pages
    context.new_cdp_session(blank).send("Storage.clearDataForOrigin", everything)
    context.clear_cookies()
    context.set_offline(False)
    for page in others:
        page.close()
