"""Which pages are rendered, and what becomes of those that could not be. No browser is started."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, TypeAlias

import pytest
from tests.fetching.fetching_at import LOOPBACK
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.browser import BrowserOptions
from citeseek.browser.dialing import Way
from citeseek.browser.failures import slow_start
from citeseek.errors import NetworkError, SearchFailed, Timeout, WebProviderError
from citeseek.extraction import extract
from citeseek.extras import Fault
from citeseek.fetching import Fetcher, FetchOptions, script_rendering
from citeseek.fetching.script_rendering import ScriptRendering
from citeseek.guard import Allowed, Guard
from citeseek.http import Transports
from citeseek.i18n import catalogue, languages
from citeseek.models import Page
from citeseek.sandbox import Sandbox

TEXT = "Green tea is made from leaves that are heated soon after they are picked by hand. "
ARTICLE = f"<article><h1>Green tea</h1><p>{TEXT * 4}</p><p>{TEXT * 5}</p></article>"
SCRIPT = "<script src=/main.js></script>"
EMPTY = f"<title>Tea</title><div id=root></div>{SCRIPT}"
TEASER = f"<title>Tea</title><p>{TEXT * 2}</p><div id=root></div>{SCRIPT}"
STATIC = f"<title>Tea</title>{ARTICLE}"

Script: TypeAlias = Callable[[Page], str | SearchFailed | Page]


class Browser:
    """What renders: ``script`` says what comes of a page. What it was asked is noted."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Page] = []
        self.seconds = 0.0

    async def __call__(self, page: Page, way: Way, *, seconds: float, max_bytes: int) -> Page:
        self.asked.append(page)
        self.seconds = seconds
        came = self.script(page)
        if isinstance(came, SearchFailed):
            raise came
        if isinstance(came, Page):
            return came
        return Page(url=page.url, headers={"content-type": "text/html"}, body=came.encode())


@asynccontextmanager
async def fetcher(
    browser: Browser, *, executable: str = sys.executable, **options: Any
) -> AsyncIterator[Fetcher]:
    transports, sandbox = Transports(), Sandbox()
    chosen = FetchOptions(**{"delay_seconds": 0.0, "seconds": 10.0, **options})
    guard = Guard(Allowed.of(LOOPBACK))
    await sandbox.run(extract, page=Page(url="https://tea.example/", body=b"<p>Tea."))
    rendering = ScriptRendering(chosen, BrowserOptions(executable=executable), browser, guard)
    try:
        yield Fetcher(chosen, transports.pages, sandbox=sandbox, guard=guard, rendering=rendering)
    finally:
        await sandbox.close()
        await transports.close()


def fill(_: Page) -> str:
    return STATIC


@pytest.mark.parametrize(
    ("render", "html", "is_rendered"),
    [
        ("auto", EMPTY, True),
        ("auto", TEASER, True),
        ("auto", STATIC, False),
        ("auto", STATIC + SCRIPT, False),
        ("always", STATIC, True),
        ("off", TEASER, False),
        ("off", STATIC, False),
    ],
)
async def test_the_setting_and_the_page_decide(
    server: LoopbackServer, *, render: str, html: str, is_rendered: bool
) -> None:
    server.on("/tea", replies.html(html))
    browser = Browser(fill)
    async with fetcher(browser, render=render) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert found.rendered is is_rendered
    assert len(browser.asked) == is_rendered
    assert found.degraded == ()
    assert TEXT.strip() in found.text


async def test_without_rendering_an_empty_page_is_a_wall(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(EMPTY))
    async with fetcher(Browser(fill), render="off") as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    assert raised.value.detail_code == "javascript_required"


NOT_HTML = {
    "JSON": Reply(200, {"Content-Type": "application/json"}, '{"tea": "green"}'),
    "text": Reply(200, {"Content-Type": "text/plain"}, "green"),
    "a refusal": replies.status(404, EMPTY),
    "a challenge": replies.html(
        "<title>Just a moment...</title><div id=px-captcha></div>" + SCRIPT
    ),
}


@pytest.mark.parametrize("reply", NOT_HTML.values(), ids=NOT_HTML)
async def test_what_scripts_do_not_build_is_never_rendered(
    server: LoopbackServer, reply: Reply
) -> None:
    server.on("/tea", reply)
    browser = Browser(fill)
    async with fetcher(browser, render="always") as fetching:
        await asyncio.gather(fetching.fetch(server.url("/tea"), {}), return_exceptions=True)
    assert browser.asked == []


async def test_what_was_rendered_is_kept(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(EMPTY))
    browser = Browser(fill)
    async with fetcher(browser) as fetching:
        await fetching.fetch(server.url("/tea"), {})
        again = await fetching.fetch(server.url("/tea"), {})
    assert (again.rendered, again.cache_hit, len(browser.asked)) == (True, True, 1)


async def test_without_chrome_a_page_is_read_as_it_came_and_says_so(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(TEASER))
    browser = Browser(fill)
    async with fetcher(browser, executable="no-such-chrome") as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
        again = await fetching.fetch(server.url("/tea"), {})
    assert found.degraded == (Fault("chrome", "missing"),)
    assert not found.rendered
    assert not again.cache_hit
    assert TEXT.strip() in found.text
    assert found.degraded[0].repair == "citeseek doctor chrome"


async def test_without_chrome_a_sentence_beside_an_empty_root_is_read(
    server: LoopbackServer,
) -> None:
    said = "The tea house is open from ten to five on all days but Monday."
    server.on("/tea", replies.html(EMPTY.replace("<div id=", f"<p>{said}</p><div id=", 1)))
    async with fetcher(Browser(fill), executable="no-such-chrome") as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert found.text == said
    assert found.degraded == (Fault("chrome", "missing"),)


async def test_a_wall_of_scripts_says_what_is_missing_to_pass_it(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(EMPTY))
    async with fetcher(Browser(fill), executable="no-such-chrome") as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    assert raised.value.detail_code == "javascript_required"
    assert raised.value.hint.endswith("citeseek doctor chrome")
    assert raised.value.values["problem"] == "chrome is not installed"


def not_started(_: Page) -> SearchFailed:
    return WebProviderError("It ended.", detail_code="browser_start")


def crashed(_: Page) -> SearchFailed:
    return NetworkError("It crashed.", detail_code="page_crashed")


@pytest.mark.parametrize(
    ("script", "state", "asked"), [(not_started, "broken", 2), (crashed, "unused", 2)]
)
async def test_a_browser_that_fails_is_no_error_of_the_page(
    server: LoopbackServer, script: Script, state: str, asked: int
) -> None:
    server.on("/tea", replies.html(TEASER))
    browser = Browser(script)
    async with fetcher(browser) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
        again = await fetching.fetch(server.url("/tea"), {})
    (fault,) = found.degraded
    assert (fault.library, fault.state) == ("chrome", state)
    assert again.degraded == found.degraded
    # One that does not start is tried twice, and not at every page.
    assert len(browser.asked) == asked


async def test_a_browser_that_did_not_start_is_started_once_more(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(EMPTY))
    turns: Iterator[str | SearchFailed] = iter([not_started(Page(url="")), STATIC])
    async with fetcher(Browser(lambda _: next(turns))) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert (found.rendered, found.degraded) == (True, ())


async def test_without_time_for_a_second_start_there_is_none(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_rendering, "_FOR_START", 60.0)
    server.on("/tea", replies.html(TEASER))
    browser = Browser(not_started)
    async with fetcher(browser) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
        again = await fetching.fetch(server.url("/tea"), {})
    assert [fault.found for fault in found.degraded] == ["browser_start"]
    assert again.degraded == found.degraded
    assert len(browser.asked) == 1


async def test_a_start_that_goes_on_serves_the_next_page(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(TEASER))
    turns: Iterator[str | SearchFailed] = iter([slow_start(8), STATIC])
    async with fetcher(Browser(lambda _: next(turns))) as fetching:
        first = await fetching.fetch(server.url("/tea"), {})
        second = await fetching.fetch(server.url("/tea"), {})
    assert [fault.found for fault in first.degraded] == ["browser_start"]
    assert (second.rendered, second.degraded) == (True, ())


async def test_a_start_that_two_pages_waited_for_in_vain_is_left_alone(
    server: LoopbackServer,
) -> None:
    server.on("/tea", replies.html(TEASER))
    browser = Browser(lambda _: slow_start(8))
    async with fetcher(browser) as fetching:
        for _ in range(3):
            found = await fetching.fetch(server.url("/tea"), {})
            assert [fault.found for fault in found.degraded] == ["browser_start"]
    assert len(browser.asked) == 2


WAIT = "Loading, please wait while the application starts up on your computer ..."
LONG_WAIT = f"{WAIT} It is a large application: on an old computer that takes up to half a minute."
LOADING = f"<title>Shop</title><div id=root><p>{LONG_WAIT}</p></div>{SCRIPT}"
PRICE = "<title>Shop</title><div id=root><p>Teapot: 42 euro.</p></div>"


@pytest.mark.parametrize("render", ["auto", "always"])
@pytest.mark.parametrize("html", [LOADING, LOADING.replace(LONG_WAIT, "正在加载，请稍候……")])
async def test_a_text_may_be_shorter_than_what_asked_to_wait(
    server: LoopbackServer, render: str, html: str
) -> None:
    server.on("/tea", replies.html(html))
    async with fetcher(Browser(lambda _: PRICE), render=render) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert (found.text, found.rendered, found.degraded) == ("Teapot: 42 euro.", True, ())


@pytest.mark.parametrize("text", ["It is 421 metres long.", f"{TEXT}421", "Something went wrong."])
async def test_always_reads_what_the_scripts_left(server: LoopbackServer, text: str) -> None:
    server.on("/tea", replies.html(STATIC))
    async with fetcher(Browser(lambda _: f"<p>{text}"), render="always") as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert (found.text, found.rendered) == (text, True)


@pytest.mark.parametrize(
    ("html", "render", "why"),
    [
        ("", "always", "no_text"),
        ("<p>Loading…", "always", "no_text"),
        ("<p>Something went wrong.", "auto", "failed"),
        ("<p>Tea.", "auto", "shorter"),
        ("<title>Sign in</title><form><input type=password></form>", "always", "login_required"),
    ],
)
async def test_what_was_rendered_and_is_not_read_is_told(
    server: LoopbackServer, html: str, render: str, why: str
) -> None:
    server.on("/tea", replies.html(TEASER))
    async with fetcher(Browser(lambda _: html), render=render) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert TEXT.strip() in found.text
    assert (found.rendered, found.degraded) == (False, (Fault("chrome", "unused", why),))
    assert not found.degraded[0].repair


@pytest.mark.parametrize(
    ("render", "came", "case"),
    [
        ("off", "", "render_off"),
        ("auto", "", "rendered"),
        ("auto", "<p>Loading…", "rendered"),
        ("auto", "<p>Something went wrong.", "rendered"),
        ("auto", EMPTY, "rendered"),
        ("always", "", "rendered"),
        ("auto", Timeout("Not within its time."), "unfinished"),
        ("auto", NetworkError("It crashed.", detail_code="page_crashed"), "crashed"),
        ("auto", WebProviderError("It ended.", detail_code="browser_start"), "not_rendered"),
    ],
)
async def test_a_page_without_text_says_what_became_of_its_scripts(
    server: LoopbackServer, render: str, came: str | SearchFailed, case: str
) -> None:
    server.on("/tea", replies.html(EMPTY))
    async with fetcher(Browser(lambda _: came), render=render) as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    error = raised.value
    assert (error.detail_code, error.values["case"]) == ("javascript_required", case)
    for lang in languages():
        said = catalogue(lang).sentence(error)
        assert "A browser can open it" not in said
        assert "用浏览器打开" not in said
        assert ("doctor chrome" in said) is (case == "not_rendered")
        assert ("web.fetch.render" in said) is (case == "render_off")
        assert "{" not in said


async def test_where_a_script_leads_is_fetched_like_a_redirect(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(EMPTY))
    server.on("/real", replies.html(STATIC))
    browser = Browser(lambda page: Page(url=page.url, status=303, headers={"location": "/real"}))
    async with fetcher(browser) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert found.final_url == server.url("/real")
    assert found.redirects == (server.url("/real"),)
    assert not found.rendered


@pytest.mark.parametrize("location", ["http://10.0.0.1/", "file:///etc/passwd"])
async def test_where_a_script_leads_is_checked(server: LoopbackServer, location: str) -> None:
    server.on("/tea", replies.html(EMPTY))
    browser = Browser(lambda page: Page(url=page.url, status=303, headers={"location": location}))
    async with fetcher(browser) as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    assert raised.value.detail_code == "ssrf_blocked"


async def test_scripts_that_lead_in_a_circle_are_told(server: LoopbackServer) -> None:
    server.otherwise(replies.html(EMPTY))
    turns = {"/tea": "/other", "/other": "/tea"}

    def turn(page: Page) -> Page:
        path = page.url.removeprefix(server.base_url)
        return Page(url=page.url, status=303, headers={"location": turns[path]})

    async with fetcher(Browser(turn)) as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    assert raised.value.detail_code == "redirect"


async def test_a_script_that_leads_to_its_own_page_for_ever_is_told(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html(EMPTY))
    turns = count()
    browser = Browser(
        lambda page: Page(url=page.url, status=303, headers={"location": f"/tea?{next(turns)}"})
    )
    async with fetcher(browser) as fetching:
        with pytest.raises(SearchFailed) as raised:
            await fetching.fetch(server.url("/tea"), {})
    assert (raised.value.detail_code, raised.value.values["case"]) == ("redirect", "circle")
    assert len(browser.asked) == 2


@pytest.mark.parametrize(
    "html",
    ["<p>Something went wrong.", "", "<title>Sign in</title><form><input type=password></form>"],
)
async def test_scripts_that_spoil_a_page_leave_it_as_it_came(
    server: LoopbackServer, html: str
) -> None:
    server.on("/tea", replies.html(TEASER))
    async with fetcher(Browser(lambda _: html)) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert TEXT.strip() in found.text
    assert not found.rendered


async def test_dates_that_scripts_take_away_are_kept(server: LoopbackServer) -> None:
    head = "<meta property='article:published_time' content='2024-05-06'>"
    server.on("/tea", replies.html(head + TEASER))
    async with fetcher(Browser(fill)) as fetching:
        found = await fetching.fetch(server.url("/tea"), {})
    assert (found.rendered, found.published_at) == (True, "2024-05-06")


async def test_the_callers_deadline_holds(server: LoopbackServer) -> None:
    server.on("/tea", replies.html(TEASER))
    browser = Browser(lambda _: Timeout("Not within its time."))
    async with fetcher(browser) as fetching:
        found = await fetching.fetch(server.url("/tea"), {"seconds": 5.0})
    assert browser.seconds < 5.0
    assert found.degraded[0].found == "Timeout"
