"""What comes back from the browser for what the site sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
import pytest_asyncio
from tests.browser.conftest import empty_in_the_end, get
from tests.browser.processes import PATIENCE, until
from tests.loopback import LoopbackServer, Reply, Signal, faults, refused_port, replies

from citeseek.browser import BrowserOptions
from citeseek.browser.transport import BrowserTransport
from citeseek.errors import NetworkError, Timeout, WebParseError, WebProviderError
from citeseek.parsing.html import utf8

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

RESULTS = "".join(f'<div class="g"><h3>Result {n}</h3><p>Text {n}</p></div>' for n in range(1, 5))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chrome: str) -> AsyncIterator[BrowserTransport]:
    with empty_in_the_end():
        transport = BrowserTransport(BrowserOptions(executable=chrome, start_seconds=PATIENCE))
        try:
            await get(transport, "data:text/html,started")
            yield transport
        finally:
            await transport.close()


def document(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def unfinished(begun: bytes, more: bytes = b"", after: Signal | None = None) -> Reply:
    """Send ``begun``, then ``more`` once ``after`` is set, and never come to the end."""

    async def script(wire) -> None:
        await wire.send(Reply(200, {"Content-Type": replies.HTML}, chunked=True).head())
        await wire.send(b"%x\r\n%b\r\n" % (len(begun), begun))
        if after:
            await after
            await wire.send(b"%x\r\n%b\r\n" % (len(more), more))
        await asyncio.Event().wait()

    return Reply(script=script)


@pytest.mark.parametrize("text", ["上海 天气 预报", "a&b=c#d+e%20f", "猫 🐈‍⬛", '"x" <y>'])
@pytest.mark.requirement("S4-6")
async def test_the_query_arrives_as_it_was_written(
    browser: BrowserTransport, server: LoopbackServer, text: str
) -> None:
    server.on("/search", replies.html(document(RESULTS)))
    await get(browser, server.url("/search"), params={"q": text})
    assert server.requests[0].param("q") == text


@pytest.mark.requirement("S4-7")
async def test_headers_of_the_request_are_sent_and_not_kept(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document(RESULTS)))
    url = server.url("/search")
    await get(browser, url, headers={"Accept-Language": "zh-CN,zh;q=0.9", "User-Agent": "Test/1"})
    await get(browser, url)
    first, second = (request.headers for request in server.requests)
    assert (first["accept-language"], first["user-agent"]) == ("zh-CN,zh;q=0.9", "Test/1")
    assert second["accept-language"] != first["accept-language"]
    assert second["user-agent"] != first["user-agent"]


async def test_the_document_is_what_scripts_have_made_of_it(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    body = "<script>document.body.innerHTML = '<h3>' + 6 * 7 + '</h3>'</script>"
    server.on("/search", replies.html(document(body)))
    page = await get(browser, server.url("/search"))
    assert page.status == 200
    assert page.body.decode().startswith("<!DOCTYPE html><html>")
    assert "<h3>42</h3>" in page.body.decode()


async def test_redirects_are_followed_to_the_last_address(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.redirect("/sorry?from=search#top"))
    server.on("/sorry", replies.status(429, "<form id=captcha-form>", retry_after=30))
    page = await get(browser, server.url("/search"))
    assert page.url == server.url("/sorry?from=search#top")
    assert page.status == 429
    assert page.headers["retry-after"] == "30"
    assert b'<form id="captcha-form">' in page.body


@pytest.mark.requirement("P32")
async def test_sessions_share_no_cookies_and_headers_hold_none(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    headers = {"Content-Type": replies.HTML, "Set-Cookie": "seen=before; HttpOnly"}
    server.on("/search", Reply(200, headers, document(RESULTS)))
    for session in ("one", "one", "two"):
        page = await get(browser, server.url("/search"), session=session)
        assert "set-cookie" not in page.headers
    cookies = [request.headers.get("cookie", "") for request in server.requests]
    assert cookies == ["", "seen=before", ""]


@pytest.mark.release
async def test_a_page_in_gbk_is_handed_on_in_utf8(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", faults.gbk_called_gbk(document("<h3>搜索结果</h3>", "<meta charset=gbk>")))
    page = await get(browser, server.url("/search"))
    assert "搜索结果" in utf8(page).decode()


async def test_the_load_is_stopped_when_there_is_enough(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", unfinished(RESULTS.encode()))
    page = await get(browser, server.url("/search"), settled=".g", enough=3)
    assert page.body.count(b'class="g"') >= 3
    assert await server.requests[0].closed


async def test_the_last_result_is_waited_for_until_it_is_whole(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    parsed = Signal()
    begun = b'<div class="g"><h3>Cut</h3><script>fetch("/parsed")</script>'
    server.on("/search", unfinished(begun, b"<p>The rest of it</p></div><hr>", after=parsed))
    server.on("/parsed", lambda _: (parsed.set(), Reply(204))[1])
    page = await get(browser, server.url("/search"), settled=".g")
    assert b"The rest of it" in page.body


async def test_what_is_enough_is_each_requests_own(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document(RESULTS)))
    server.on("/unfinished", unfinished(RESULTS.encode()))
    await get(browser, server.url("/search"), settled=".h", enough=9)
    page = await get(browser, server.url("/unfinished"), settled=".g", enough=2)
    assert b"Result 2" in page.body
    with pytest.raises(Timeout):
        await get(browser, server.url("/unfinished"), settled=".g", enough=9, seconds=1)


async def test_a_page_with_too_few_results_is_returned_when_it_has_loaded(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document(RESULTS)))
    page = await get(browser, server.url("/search"), settled=".g", enough=10)
    assert page.body.count(b'class="g"') == 4


async def test_results_that_a_script_brings_after_the_load_are_waited_for(
    browser: BrowserTransport, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeseek.browser.tab.GRACE_MS", 5_000)
    script = "onload = async () => document.body.innerHTML = await (await fetch('/part')).text()"
    server.on("/search", replies.html(document(f"<script>{script}</script>")))
    server.on("/part", Reply(200, {"Content-Type": replies.HTML}, RESULTS, 0.1))
    page = await get(browser, server.url("/search"), settled="div.g", enough=4)
    assert b"<h3>Result 4</h3>" in page.body


@pytest.mark.release
async def test_the_status_is_that_of_the_page_and_not_of_a_frame(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    body = "<script>history.replaceState({}, '', '/other')</script><iframe src=/frame></iframe>"
    server.on("/search", replies.html(document(body)))
    page = await get(browser, server.url("/search"))
    assert "/frame" in [request.path for request in server.requests]
    assert (page.url, page.status) == (server.url("/other"), 200)


@pytest.mark.release
@pytest.mark.parametrize("delay", [0.0, 0.9])
async def test_where_a_script_leads_is_followed(
    browser: BrowserTransport, server: LoopbackServer, delay: float
) -> None:
    shell = "<script>onload = () => location.replace('/search?token=1')</script>"
    done = Reply(202, {"Content-Type": replies.HTML, "X-Page": "two"}, document(RESULTS), delay)
    server.on("/search", replies.html(document(shell)), done)
    page = await get(browser, server.url("/search"), settled=".g", enough=4)
    assert page.url == server.url("/search?token=1")
    assert (page.status, page.headers["x-page"]) == (202, "two")
    assert b"<h3>Result 4</h3>" in page.body


LEAD_ON = "location.replace('/search?' + Math.random())"


@pytest.mark.release
async def test_one_of_the_pages_that_lead_on_for_ever_is_returned(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    shell = f"<title>Shell</title><script>onload = () => {LEAD_ON}</script>"
    server.on("/search", replies.html(document("", head=shell)))
    page = await get(browser, server.url("/search"), settled=".g")
    assert b"<title>Shell</title>" in page.body


@pytest.mark.release
async def test_a_page_that_has_been_read_does_not_disturb_the_next(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    late = "setTimeout(() => location.replace('/late'), 400)"
    timers = f"{late}; setInterval(() => fetch('/poll'), 5)"
    server.on("/search", replies.html(document(f"{RESULTS}<script>{timers}</script>")))
    server.on("/next", Reply(200, {"Content-Type": replies.HTML}, document(RESULTS), 0.8))
    await get(browser, server.url("/search"), settled=".g", enough=2)
    page = await get(browser, server.url("/next"), settled=".g", enough=2)
    assert page.url == server.url("/next")


@pytest.mark.release
async def test_pages_that_are_left_before_they_are_there_are_given_up(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document(f"<script>{LEAD_ON}</script>")))
    server.on("/good", replies.html(document(RESULTS)))
    # Whether one of them could be seen is a matter of luck.
    with suppress(WebParseError):
        await get(browser, server.url("/search"), settled=".g")
    page = await get(browser, server.url("/good"), settled=".g")
    assert page.url == server.url("/good")
    await until(lambda: len(browser._browser.result().browser.contexts[-1].pages) == 1)


@pytest.mark.release
async def test_a_page_that_keeps_its_process_busy_costs_one_search(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document("<script>while (true) {}</script>")))
    server.on("/good", replies.html(document(RESULTS)))
    with pytest.raises(Timeout):
        await get(browser, server.url("/search"), seconds=1)
    page = await get(browser, server.url("/good"), settled=".g")
    assert page.url == server.url("/good")


@pytest.mark.release
async def test_a_page_that_wants_to_go_and_does_not_stays(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    lead = "<script>onload = () => location.replace('/nothing')</script>Text"
    server.on("/search", replies.html(document(lead)))
    server.on("/nothing", Reply(204))
    page = await get(browser, server.url("/search"), settled=".g")
    assert page.url == server.url("/search")
    assert b"Text" in page.body


async def test_a_redirect_to_where_nobody_answers_is_returned(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    with refused_port() as port:
        target = f"http://127.0.0.1:{port}/consent"
        server.on("/search", Reply(302, {"Location": target, "Set-Cookie": "seen=before"}))
        page = await get(browser, server.url("/search"))
    assert (page.url, page.status) == (server.url("/search"), 302)
    assert page.headers["location"] == target
    assert "set-cookie" not in page.headers


async def test_what_a_text_does_not_need_is_not_loaded(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    style = "@font-face{font-family:f;src:url(/f.woff2)} p{font-family:f;background:url(/b.png)}"
    body = """<p>Text</p><img src="/i.png"><video src="/v.mp4" preload="auto"></video>
        <script src="/s.js"></script><script>navigator.sendBeacon("/beacon", "x")</script>"""
    server.on("/search", replies.html(document(body, f"<style>{style}</style>")))
    server.on("/s.js", Reply(200, {"Content-Type": "text/javascript"}, "document.title = 'ran'"))
    page = await get(browser, server.url("/search"))
    assert b"<title>ran</title>" in page.body
    assert {request.path for request in server.requests} == {"/search", "/s.js"}


async def test_dialogs_and_popups_do_not_open(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document("<script>open('/popup'); alert(1)</script>Text")))
    page = await get(browser, server.url("/search"))
    assert b"Text" in page.body
    assert [request.path for request in server.requests] == ["/search"]


@pytest.mark.release
async def test_a_document_over_the_limit_is_refused(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(document("字" * 5_000)))
    for limit in (4_000, 10_000):
        with pytest.raises(WebParseError, match=f"larger than {limit:,} bytes") as caught:
            await get(browser, server.url("/search"), max_bytes=limit)
        assert caught.value.detail_code == "too_large"


async def test_no_connection_is_said_without_the_address(browser: BrowserTransport) -> None:
    with refused_port() as port, pytest.raises(NetworkError) as caught:
        await get(browser, f"http://127.0.0.1:{port}/search?key=secret")
    assert f"127.0.0.1:{port}" in caught.value.message
    assert "secret" not in str(caught.value)
    assert caught.value.detail_code == ""
    assert caught.value.__cause__ is None


async def test_a_cut_connection_is_a_network_error(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", faults.reset())
    with pytest.raises(NetworkError):
        await get(browser, server.url("/search"))


@pytest.mark.release
async def test_a_script_that_leads_to_a_dead_end_is_a_network_error(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    with refused_port() as port:
        lead = f"<script>onload = () => location.replace('http://127.0.0.1:{port}/')</script>"
        server.on("/search", replies.html(document(lead)))
        with pytest.raises(NetworkError):
            await get(browser, server.url("/search"), settled=".g")


async def test_a_redirect_loop_is_no_network_error(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", replies.redirect_loop)
    with pytest.raises(WebParseError) as caught:
        await get(browser, server.url("/search"))
    assert caught.value.detail_code == "redirect"


@pytest.mark.parametrize(
    "reply", [Reply(200, {"Content-Disposition": "attachment"}, "x"), Reply(204)]
)
async def test_what_is_no_page_is_not_understood(
    browser: BrowserTransport, server: LoopbackServer, reply: Reply
) -> None:
    server.on("/search", reply)
    with pytest.raises(WebParseError):
        await get(browser, server.url("/search"))


async def test_a_browser_does_not_post(browser: BrowserTransport) -> None:
    with pytest.raises(WebProviderError):
        await get(browser, "http://127.0.0.1:9/", form={"q": "x"})


@pytest.mark.release
@pytest.mark.requirement("S4-41", "S4-42")
async def test_a_hanging_site_costs_the_limit_and_its_page(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", faults.hang(), replies.html(document(RESULTS)))
    began = asyncio.get_running_loop().time()
    with pytest.raises(Timeout) as caught:
        await get(browser, server.url("/search"), seconds=1.5)
    assert 1.5 <= asyncio.get_running_loop().time() - began < 20
    assert "1.5 s" in caught.value.message
    assert f"127.0.0.1:{server.port}" in caught.value.message
    assert await server.requests[0].closed
    assert b"Result 1" in (await get(browser, server.url("/search"))).body


@pytest.mark.release
@pytest.mark.requirement("S4-41")
async def test_a_page_that_never_ends_costs_the_limit(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", faults.drip())
    with pytest.raises(Timeout):
        await get(browser, server.url("/search"), seconds=1.5)
    assert await server.requests[0].closed


async def test_a_search_that_is_given_up_closes_its_page(
    browser: BrowserTransport, server: LoopbackServer
) -> None:
    server.on("/search", faults.hang())
    search = asyncio.ensure_future(get(browser, server.url("/search")))
    await server.requests.reach(1)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert await server.requests[0].closed
