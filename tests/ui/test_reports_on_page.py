"""Reports on the page: asked for, followed, left and found again, read, cancelled and deleted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, expect
from tests.conftest import settings
from tests.jobs.library import NAMES, QUESTION, Library, in_journal, question, until
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer
from tests.serving.command import serving
from tests.serving.running import Caller, running
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE, ChatPage, Site, tab
from tests.ui.geometry import too_small

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

pytestmark = [pytest.mark.browser, pytest.mark.release]

REPORTS = "/api/v1/research"
HOSTILE = "<img src=x onerror=alert(1)> & how long is the bridge?"


class Reading(Site):
    """A site whose reports are written from ``library``."""

    def __init__(self, base_url: str, library: Library, model: ModelServer) -> None:
        super().__init__(base_url, library.web, model)
        self.library = library
        self.http = Caller(base_url)

    def ask(self, **asked: Any) -> str:
        return str(self.http("POST", REPORTS, question(**asked)).json()["id"])


@contextmanager
def reading(**env: str) -> Iterator[Reading]:
    with LoopbackServer() as web, ModelServer() as model:
        library = Library(web)
        fetch = {"allow": [web.host], "fetch_delay_seconds": 0}
        loaded = settings({"web": {"fetch": fetch}}, env={**library.env, **env})
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as base_url:
            yield Reading(base_url, library, model)


@pytest.fixture
def desk() -> Iterator[Reading]:
    with reading() as made:
        yield made


def rows(chat: ChatPage) -> Locator:
    return chat.page.locator("#report-list > li")


def ask(chat: ChatPage, text: str = QUESTION) -> None:
    chat.page.locator("#report-question").fill(text)
    chat.page.locator("#report-sources").fill(str(len(NAMES)))
    chat.page.locator("#ask-report [type=submit]").click()


@pytest.mark.parametrize(
    ("lang", "title", "states"),
    [("zh", "报告", ("正在写", "已完成")), ("en", "Reports", ("Being written", "Finished"))],
)
def test_a_report_is_asked_for_followed_and_read(
    browser: Browser, desk: Reading, lang: str, title: str, states: tuple[str, str]
) -> None:
    south = desk.library.hold("south")
    with tab(browser, desk) as chat:
        chat.open(f"/?lang={lang}").history()
        chat.page.locator("#reports-link").click()
        expect(chat.page.get_by_role("heading", level=1)).to_have_text(title)
        ask(chat)
        row = rows(chat).first
        expect(row.locator(".state strong")).to_have_text(states[0])
        # It tells how far it is while a page is held back.
        expect(row.locator("progress")).to_have_attribute("max", str(len(NAMES)))
        expect(row.locator(".about")).to_contain_text("/south")
        chat.page.reload()
        expect(row.locator(".state strong")).to_have_text(states[0])
        row.locator("a").click()
        expect(rows(chat).locator(".state strong")).to_have_text(states[0])
        south.set()
        # The page shows it as soon as it is written.
        expect(chat.page.get_by_role("heading", level=1)).to_have_text(QUESTION)
        article = chat.page.locator("article")
        cited = article.locator("sup.citation a").first
        expect(cited).to_have_attribute("href", desk.engine.url(f"/{NAMES[0]}"))
        expect(article).to_contain_text("exactly 7845 metres long")
        with chat.page.expect_download() as download:
            chat.page.get_by_role("link", name="Markdown").click()
        assert download.value.path().read_text().startswith(f"# {QUESTION}")
        chat.page.locator(".place").click()
        expect(row.locator(".state strong")).to_have_text(states[1])


def test_it_is_one_list_whoever_asked(browser: Browser, desk: Reading) -> None:
    with tab(browser, desk) as chat:
        chat.open("/reports?lang=en")
        expect(chat.page.locator(".none")).to_be_visible()
        asked = desk.ask(question=HOSTILE)
        expect(rows(chat)).to_have_count(1)
        expect(chat.page.locator(".none")).to_be_hidden()
        expect(rows(chat).locator("a")).to_have_text(HOSTILE)
        expect(rows(chat)).to_have_attribute("data-state", "finished")
        ask(chat)
        expect(rows(chat).locator("a")).to_have_text([QUESTION, HOSTILE])
        listed = desk.http("GET", REPORTS).json()["reports"]
        assert [each["question"] for each in listed] == [QUESTION, HOSTILE]
        assert desk.http("DELETE", f"{REPORTS}/{asked}").status == 204
        expect(rows(chat)).to_have_count(1)


def test_one_is_cancelled_and_deleted_with_the_keyboard(browser: Browser, desk: Reading) -> None:
    desk.library.hold("south")
    desk.ask()
    with tab(browser, desk) as chat:
        chat.open("/reports?lang=en")
        row = rows(chat)
        row.locator(".cancel").press("Enter")
        expect(row).to_have_attribute("data-state", "cancelled")
        expect(row.locator("a")).to_be_focused()  # the button is gone
        chat.page.keyboard.press("Tab")
        expect(row.locator(".delete")).to_be_focused()
        chat.page.keyboard.press("Enter")
        expect(row.locator("form .no")).to_be_focused()
        chat.page.keyboard.press("Escape")
        expect(row.locator("form")).to_have_count(0)
        expect(row.locator(".delete")).to_be_focused()
        chat.page.keyboard.press("Enter")
        row.locator("form .yes").press("Enter")
        expect(row).to_have_count(0)
        expect(chat.page.locator("#report-question")).to_be_focused()
        expect(chat.confirmation).to_have_text("Deleted")
    assert desk.http("GET", REPORTS).json()["reports"] == []


def test_one_that_failed_says_why(browser: Browser, desk: Reading) -> None:
    for name in NAMES:
        desk.engine.on(f"/{name}", replies.status(404))
    asked = desk.ask()
    with tab(browser, desk) as chat:
        chat.open(f"/reports/{asked}?lang=en")
        expect(rows(chat)).to_have_attribute("data-state", "failed")
        expect(rows(chat).locator(".why")).not_to_be_empty()
        expect(chat.page.get_by_role("heading", level=1)).to_have_text(QUESTION)
        chat.open("/reports/0123456789abcdef")
        expect(chat.page.get_by_role("heading", level=1)).to_have_text(
            "There is no such page or conversation"
        )


def test_older_ones_come_on_demand_and_stay(browser: Browser, desk: Reading) -> None:
    # Those behind the first wait: at most four are written at one time.
    south = desk.library.hold("south")
    asked = [desk.ask(question=f"Bridge {number}?") for number in range(53)]
    with tab(browser, desk) as chat:
        chat.open("/reports?lang=en")
        expect(rows(chat)).to_have_count(50)
        chat.page.locator("#older-reports").click()
        expect(rows(chat)).to_have_count(53)
        expect(chat.page.locator("#older-reports")).to_be_hidden()
        desk.http("DELETE", f"{REPORTS}/{asked[-1]}")
        expect(rows(chat).first).to_have_attribute("data-state", "cancelled")
        expect(rows(chat)).to_have_count(53)
        south.set()


def test_a_server_that_comes_back_goes_on_with_it_on_the_same_page(
    browser: Browser, server: LoopbackServer, tmp_path: Path
) -> None:
    library = Library(server)
    south = library.hold("south")
    config = ("--config", str(library.config(tmp_path)))
    with ModelServer() as model, serving(tmp_path, *config, alone=True, **library.env) as process:
        at = Reading(process.base_url, library, model)
        with tab(browser, at) as chat:
            chat.open("/reports?lang=en")
            ask(chat)
            expect(rows(chat).locator("progress")).to_have_attribute("max", str(len(NAMES)))
            file = tmp_path / "sessions.sqlite3"
            until(lambda: library.asked()["south"] and in_journal(file) == len(NAMES))
            process.kill(signal.SIGKILL)
            expect(chat.page.locator("#connection")).to_be_visible()
            port = str(urlsplit(process.base_url).port)
            with serving(tmp_path, *config, "--port", port, alone=True, **library.env):
                expect(chat.page.locator("#connection")).to_be_hidden()
                south.set()
                expect(rows(chat)).to_have_attribute("data-state", "finished")
                expect(rows(chat).locator(".state")).to_contain_text("begun 2 times")
    assert [library.asked()[each] for each in ("search", *NAMES)] == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("device", "colours", "lang"),
    [(DESKTOP, "light", "zh"), (PHONE, "dark", "en")],
    ids=["desktop-light-zh", "phone-dark-en"],
)
def test_axe_finds_nothing_on_the_pages_of_reports(
    browser: Browser, desk: Reading, device: dict[str, Any], colours: Any, lang: str
) -> None:
    found: dict[str, list[str]] = {}
    with tab(browser, desk, device, color_scheme=colours, bypass_csp=True) as chat:

        def look(name: str) -> None:
            found[name] = violations(chat.page)
            assert chat.has_no_sideways_scroll(), name
            if device is PHONE:
                for part in ("#bar", "#report-list", "#ask-report, .forms"):
                    for place in chat.page.locator(part).all():
                        assert not too_small(place), name

        chat.open(f"/reports?lang={lang}")
        look("none")
        south = desk.library.hold("south")
        written = desk.ask()
        expect(rows(chat).locator("progress")).to_have_attribute("max", str(len(NAMES)))
        look("one under way")
        south.set()
        expect(rows(chat)).to_have_attribute("data-state", "finished")
        rows(chat).locator(".delete").click()
        look("about to delete")
        chat.open(f"/reports/{written}")
        expect(chat.page.locator("article")).to_be_visible()
        look("one to read")
    assert {name: lines for name, lines in found.items() if lines} == {}
