"""Redirects that are written into a page."""

from __future__ import annotations

import time

import pytest
from tests.fetching.fetching_at import fetcher
from tests.loopback import LoopbackServer, replies
from tests.processor_time import processor_time_below

from citeseek.errors import WebBlocked, WebParseError, WebProviderError
from citeseek.fetching import redirects
from citeseek.models import Page

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
PAGE = replies.html(f"<title>Tea</title><article><p>{SENTENCE}</p></article>")


def target(html: str, content_type: str = "text/html") -> str | None:
    headers = {"content-type": content_type}
    return redirects.refresh_target(
        Page(url="http://a.example/", headers=headers, body=html.encode())
    )


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<meta http-equiv="refresh" content="0;url=/tea">', "/tea"),
        (
            "<META HTTP-EQUIV=Refresh CONTENT=\"0; URL='http://b.example/?a=1&amp;b=2'\">",
            "http://b.example/?a=1&b=2",
        ),
        ('<noscript><meta http-equiv="refresh" content="1,url=/tea"></noscript>', "/tea"),
        ('<noscript><meta http-equiv="refresh" content="1,url=/tea"></noscript><p>Tea.</p>', None),
        (
            '<noscript><meta http-equiv=refresh content="0;url=/tea"></noscript><p id=root></p>',
            None,
        ),
        ('<meta http-equiv="refresh" content="0.5; /tea">', "/tea"),
        ('<meta http-equiv="refresh" content="300;url=/tea">', None),
        ('<meta http-equiv="refresh" content="0">', None),
        ('<meta http-equiv="refresh" content="0;url=">', None),
        ('<meta http-equiv="refresh" content="soon;url=/tea">', None),
        ('<meta name="refresh" content="0;url=/tea">', None),
        ('<p>Write &lt;meta http-equiv="refresh" content="0;url=/tea"&gt;</p>', None),
        ('<!-- <meta http-equiv="refresh" content="0;url=/tea"> -->', None),
        ("<p>Tea</p>", None),
    ],
)
def test_what_sends_a_reader_on(html: str, found: str | None) -> None:
    assert target(html) == found
    assert target(html, "text/plain") is None


def test_hostile_pages_cost_little() -> None:
    began = time.process_time()
    for piece in ("<meta http-equiv=refresh content='0;'>", "http-equiv= ", "<meta http-equiv "):
        target(piece * 100_000)
    target('<meta http-equiv="refresh" content="' + "0" * 15_000 + " " * 15_000 + '">')
    assert time.process_time() - began < 2


@pytest.mark.requirement("S3-49")
async def test_a_page_that_is_a_redirect_leads_to_the_landing_page(
    server: LoopbackServer,
) -> None:
    link = "<html><noscript><meta http-equiv='refresh' content='0;URL=\"/tea\"'></noscript></html>"
    server.on("/link", replies.html(link))
    server.on("/tea", PAGE)
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/link"), {})
    assert page.final_url == server.url("/tea")
    assert SENTENCE in page.text


@pytest.mark.requirement("S2-62")
async def test_such_a_redirect_is_checked_as_any_other(server: LoopbackServer) -> None:
    for path, location in (
        ("/a", "http://10.0.0.1/"),
        ("/b", "javascript:x"),
        ("/c", "/d"),
        ("/d", "/c"),
    ):
        server.on(path, replies.html(f'<meta http-equiv="refresh" content="0;url={location}">'))
    async with fetcher() as fetching:
        for path in ("/a", "/b"):
            with pytest.raises(WebBlocked) as caught:
                await fetching.fetch(server.url(path), {})
            assert caught.value.detail_code == "ssrf_blocked"
        with pytest.raises(WebParseError, match="circle"):
            await fetching.fetch(server.url("/c"), {})


async def test_a_page_that_loads_itself_again_is_a_page(server: LoopbackServer) -> None:
    again = '<meta http-equiv="refresh" content="1;url=/tea">'
    server.on("/tea", replies.html(f"{again}<article><p>{SENTENCE}</p></article>"))
    async with fetcher() as fetching:
        assert SENTENCE in (await fetching.fetch(server.url("/tea"), {})).text


async def test_a_page_of_failure_leads_nowhere(server: LoopbackServer) -> None:
    away = '<meta http-equiv="refresh" content="0;url=/tea">'
    server.on("/a", replies.html(away, 404))
    server.on("/tea", PAGE)
    async with fetcher() as fetching:
        with pytest.raises(WebProviderError):
            await fetching.fetch(server.url("/a"), {})


@pytest.mark.parametrize(
    "body",
    [
        b"<meta http-equiv=" + b" " * 16_000,
        b"<meta http-equiv=refresh content='0;" + b" " * 15_000 + b"\n'>",
        b"<meta http-equiv=refresh content='0;url=/x'>" + b"<ul><li>" * 2_000,
    ],
    ids=["spaces", "spaces-in-content", "deep"],
)
def test_what_is_made_to_take_long_is_looked_at_in_no_time(body: bytes) -> None:
    page = Page(url="https://tea.example/", headers={"content-type": "text/html"}, body=body)
    with processor_time_below(0.2):
        assert redirects.refresh_target(page) is None
