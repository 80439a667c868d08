"""Fetching over real connections: redirects, limits, faults, cache, politeness, robots.txt."""

from __future__ import annotations

import asyncio
import gzip
import time

import pytest
from tests.extraction.raw_documents import VTT
from tests.fetching.fetching_at import fetcher
from tests.loopback import (
    LoopbackProxy,
    LoopbackServer,
    Reply,
    black_hole,
    faults,
    refused_port,
    replies,
)
from tests.loopback.wire import Wire
from tests.searxng.tls import tls_port

from citeseek.errors import (
    BadGateway,
    InvalidInput,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.fetching import Fetcher, FetchOptions
from citeseek.fetching.page_cache import PageCache
from citeseek.fetching.politeness import Politeness
from citeseek.fetching.response import FetchResponse
from citeseek.guard import Guard
from citeseek.http import Proxies, Transports

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
PAGE = replies.html(f"<title>Tea</title><article><p>{SENTENCE}</p></article>")


async def test_a_page_comes_as_text_with_what_is_known_of_it(server: LoopbackServer) -> None:
    server.on("/a", PAGE)
    async with fetcher() as fetching:
        page = await fetching.fetch(f" {server.url('/a')}#part ", {})
    assert SENTENCE in page.text
    assert page.title == "Tea"
    assert (page.url, page.final_url) == (f"{server.url('/a')}#part", server.url("/a"))
    assert (page.status_code, page.content_type) == (200, replies.HTML)
    assert not page.truncated
    assert not page.cache_hit
    request = server.requests[0]
    assert "citeseek/" in request.headers["user-agent"]
    assert "cookie" not in request.headers
    assert "referer" not in request.headers


async def test_the_user_agent_of_the_settings_is_sent(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    async with fetcher(user_agent="Own/1") as fetching:
        await fetching.fetch(server.url("/"), {})
    assert server.requests[0].headers["user-agent"] == "Own/1"


# Redirects


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.requirement("S3-49")
async def test_a_redirect_is_followed_and_the_landing_page_is_named(
    server: LoopbackServer, code: int
) -> None:
    server.on("/link", replies.redirect("/a", code))
    server.on("/a", replies.redirect("b?x=1#there", code))
    server.on("/b", PAGE)
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/link"), {})
    assert page.url == server.url("/link")
    assert page.redirects == (server.url("/a"), page.final_url)
    assert page.final_url == server.url("/b?x=1")
    assert SENTENCE in page.text


async def test_ten_redirects_are_followed_and_no_more(server: LoopbackServer) -> None:
    for hop in range(12):
        server.on(f"/{hop}", replies.redirect(f"/{hop + 1}"))
    server.on("/12", PAGE)
    async with fetcher() as fetching:
        assert (await fetching.fetch(server.url("/2"), {})).final_url == server.url("/12")
        server.requests.clear()
        with pytest.raises(WebParseError, match="more than 10") as caught:
            await fetching.fetch(server.url("/0?fresh"), {"fresh": True})
    assert caught.value.detail_code == "redirect"
    assert len(server.requests) == 11


async def test_a_circle_of_redirects_is_told_at_once(server: LoopbackServer) -> None:
    server.on("/a", replies.redirect("/b"))
    server.on("/b", replies.redirect("/a"))
    async with fetcher() as fetching:
        with pytest.raises(WebParseError, match="circle"):
            await fetching.fetch(server.url("/a"), {})
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "//192.168.1.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f.1:{port}/secret",
        "http://user@127.0.0.1:{port}/secret",
        "http://inner.example:{port}/secret",
        "http://127.0.0.1:22/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "data:text/html,x",
    ],
)
@pytest.mark.requirement("S2-62")
async def test_a_redirect_to_what_is_not_public_is_refused_before_it_is_asked(
    server: LoopbackServer, location: str
) -> None:
    server.on("/a", replies.redirect(location.format(port=server.port)))
    server.on("/secret", replies.html("secret"))
    names = {"inner.example": [["10.0.0.1"]]}
    async with fetcher(names) as fetching:
        with pytest.raises(WebBlocked) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == "ssrf_blocked"
    assert [request.path for request in server.requests] == ["/a"]


@pytest.mark.parametrize("location", ["", "http://[", "http://a..b/"])
async def test_a_redirect_to_no_address_is_a_failure(server: LoopbackServer, location: str) -> None:
    server.on("/a", replies.redirect(location))
    async with fetcher() as fetching:
        with pytest.raises(SearchFailed) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code in ("redirect", "ssrf_blocked")


@pytest.mark.parametrize(
    ("location", "target"),
    [("/茶".encode(), "/%E8%8C%B6"), ("/茶".encode("gbk"), "/%B2%E8")],
    ids=["utf-8", "other bytes"],
)
async def test_a_redirect_in_letters_that_no_header_may_carry_is_followed(
    server: LoopbackServer, location: bytes, target: str
) -> None:
    async def script(wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\n\r\n")

    server.on("/a", Reply(script=script))
    server.on(target, PAGE)
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.final_url == server.url(target)
    assert SENTENCE in page.text


async def test_an_answer_with_very_many_header_fields_is_read(server: LoopbackServer) -> None:
    many = {f"X-Field-{number}": "v" for number in range(300)}
    body = gzip.compress(PAGE.content)
    headers = {"Content-Type": replies.HTML, "Content-Encoding": "gzip", **many}
    server.on("/a", Reply(200, headers, body))
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert SENTENCE in page.text


async def test_a_head_without_end_is_refused(server: LoopbackServer) -> None:
    async def script(wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\n" + b"X-Field: %b\r\n" % (b"v" * 100) * 20_000)

    server.on("/a", Reply(script=script))
    async with fetcher() as fetching:
        with pytest.raises(SearchFailed) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code in ("broken_body", None)


async def test_a_status_that_no_standard_has_is_a_refusal(server: LoopbackServer) -> None:
    server.on("/a", Reply(999, {"Content-Type": replies.HTML}, PAGE.content))
    async with fetcher() as fetching:
        with pytest.raises(WebBlocked, match="HTTP 999") as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == "http_999"


# Names and addresses


@pytest.mark.requirement("S2-62")
async def test_a_name_that_changes_its_address_is_asked_at_the_checked_one(
    server: LoopbackServer,
) -> None:
    server.otherwise(PAGE)
    # The second look-up, if there were one, would lead to where nobody answers.
    names = {"rebind.example": [["127.0.0.1"], ["127.0.0.2"]]}
    async with fetcher(names) as fetching:
        page = await fetching.fetch(f"http://rebind.example:{server.port}/", {})
    assert SENTENCE in page.text
    assert server.requests[0].headers["host"] == f"rebind.example:{server.port}"


@pytest.mark.requirement("S2-62")
async def test_each_fetch_looks_the_name_up_and_refuses_what_it_has_become(
    server: LoopbackServer,
) -> None:
    server.otherwise(PAGE)
    names = {"rebind.example": [["127.0.0.1"], ["10.0.0.1"]]}
    async with fetcher(names) as fetching:
        url = f"http://rebind.example:{server.port}/"
        await fetching.fetch(url, {})
        with pytest.raises(WebBlocked) as caught:
            await fetching.fetch(url, {"fresh": True})
    assert caught.value.detail_code == "ssrf_blocked"
    assert len(server.requests) == 1


async def test_without_the_setting_loopback_is_refused(server: LoopbackServer) -> None:
    async with fetcher(allow=()) as fetching:
        with pytest.raises(WebBlocked):
            await fetching.fetch(server.url("/"), {})
    assert server.connections == 0


async def test_the_next_address_of_a_name_is_tried_when_one_refuses(
    server: LoopbackServer,
) -> None:
    server.otherwise(PAGE)
    async with fetcher({"two.example": [["127.0.0.2", "127.0.0.1"]]}) as fetching:
        page = await fetching.fetch(f"http://two.example:{server.port}/", {})
    assert SENTENCE in page.text


async def test_hosts_in_many_writings_are_one(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    async with fetcher({"xn--r8jz45g.example": [["127.0.0.1"]]}) as fetching:
        for host in ("例え.example", "例え。example", "XN--R8JZ45G.example."):
            await fetching.fetch(f"http://{host}:{server.port}/", {})
    assert len(server.requests) == 1


async def test_through_a_proxy_the_proxy_looks_names_up(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    with LoopbackProxy(upstream=(server.host, server.port)) as proxy:
        proxies = Proxies(http=proxy.url, https=proxy.url)
        async with fetcher(proxies=proxies, allow=()) as fetching:
            page = await fetching.fetch("http://only-the-proxy-knows.example/", {})
            for url in ("http://10.0.0.1/", "http://localhost/", "http://printer.local/"):
                with pytest.raises(WebBlocked):
                    await fetching.fetch(url, {})
    assert SENTENCE in page.text
    assert len(proxy.requests) == 1


async def test_a_name_of_nobody_is_a_network_error() -> None:
    async with fetcher() as fetching:
        with pytest.raises(NetworkError) as caught:
            await fetching.fetch("http://nobody.example/", {})
    assert caught.value.detail_code == "name_not_found"


@pytest.mark.requirement("S3-39")
async def test_a_name_server_that_does_not_answer_is_a_timeout() -> None:
    async def resolver(host: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    transports = Transports()
    fetching = Fetcher(FetchOptions(), transports.pages, guard=Guard(resolver=resolver))
    with pytest.raises(Timeout):
        await fetching.fetch("http://slow.example/", {"seconds": 0.2})


async def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    with tls_port() as port:
        async with fetcher({"tea.example": [["127.0.0.1"]]}) as fetching:
            with pytest.raises(NetworkError):
                await fetching.fetch(f"https://tea.example:{port}/", {})


async def test_nobody_at_the_address_is_a_network_error() -> None:
    with refused_port() as port:
        async with fetcher() as fetching:
            with pytest.raises(NetworkError):
                await fetching.fetch(f"http://127.0.0.1:{port}/", {})


# Limits


async def test_a_page_after_the_limit_of_bytes_is_cut_and_says_so(server: LoopbackServer) -> None:
    server.on("/a", Reply(200, {"Content-Type": "text/plain"}, "tea " * 10_000))
    async with fetcher(max_bytes=1_000) as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.truncated
    assert (page.received_bytes, len(page.text)) == (1_000, 999)


async def test_a_pdf_after_the_limit_of_bytes_is_an_error(server: LoopbackServer) -> None:
    server.on("/a", Reply(200, {"Content-Type": "application/pdf"}, b"%PDF-1.7" + b"x" * 2_000))
    async with fetcher(max_bytes=1_000) as fetching:
        with pytest.raises(WebParseError) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == "too_large"


async def test_text_is_cut_at_the_wish_and_kept_whole(server: LoopbackServer) -> None:
    server.on("/a", Reply(200, {"Content-Type": "text/plain"}, "tea " * 1_000))
    async with fetcher(text_max=2_000) as fetching:
        short = await fetching.fetch(server.url("/a"), {"max_chars": 10})
        longer = await fetching.fetch(server.url("/a"), {"max_chars": 3_999})
        default = await fetching.fetch(server.url("/a"), {})
    assert len(short.text) <= 10
    assert short.truncated
    assert (len(longer.text), longer.truncated) == (3_999, False)
    assert len(default.text) <= 2_000
    assert len(server.requests) == 1


async def test_a_gzip_bomb_is_cut_at_the_limit(server: LoopbackServer) -> None:
    bomb = faults.gzip_bomb(512)
    headers = {**bomb.headers, "Content-Type": "text/plain"}
    server.on("/a", Reply(200, headers, bomb.body))
    began = time.monotonic()
    async with fetcher(max_bytes=1_000_000, seconds=20) as fetching:
        with pytest.raises(WebParseError):
            await fetching.fetch(server.url("/a"), {})
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "reply",
    [
        faults.undecodable_brotli(),
        Reply(200, {"Content-Type": replies.HTML, "Content-Encoding": "gzip"}, "not gzip"),
        Reply(200, {"Content-Type": replies.HTML, "Content-Encoding": "zstd"}, "not zstd"),
    ],
    ids=["br", "plain", "zstd"],
)
async def test_what_cannot_be_decompressed_is_told(server: LoopbackServer, reply: Reply) -> None:
    server.on("/a", reply)
    async with fetcher() as fetching:
        with pytest.raises(WebParseError) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == "broken_body"


@pytest.mark.parametrize(
    ("codings", "end", "truncated"),
    [("gzip", None, False), ("gzip, gzip", None, False), ("gzip", -8, False), ("gzip", -400, True)],
)
async def test_a_packed_page_is_read_as_far_as_it_came(
    server: LoopbackServer, codings: str, end: int | None, *, truncated: bool
) -> None:
    told = "".join(f"<p>Cup {number} of {number**4} is poured.</p>" for number in range(300))
    body = told.encode()
    for _ in codings.split(","):
        body = gzip.compress(body, mtime=0)
    headers = {"Content-Type": replies.HTML, "Content-Encoding": codings}
    server.on("/a", Reply(200, headers, body[:end]))
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.truncated is truncated
    assert "Cup 7 of 2401 is poured." in page.text
    assert ("Cup 299 of" in page.text) is not truncated


@pytest.mark.parametrize("where", ["hang", "drip", "black hole"])
@pytest.mark.requirement("S3-39")
async def test_nothing_is_waited_for_after_the_deadline(server: LoopbackServer, where: str) -> None:
    server.on("/hang", faults.hang())
    server.on("/drip", faults.drip())
    with black_hole() as hole:
        url = f"http://127.0.0.1:{hole}/" if where == "black hole" else server.url(f"/{where}")
        began = time.monotonic()
        async with fetcher() as fetching:
            with pytest.raises(Timeout, match=r"0\.5 s"):
                await fetching.fetch(url, {"seconds": 0.5})
        assert time.monotonic() - began < 10


async def test_redirects_share_one_deadline(server: LoopbackServer) -> None:
    slow = Reply(302, {"Location": "/b"}, delay=0.4)
    server.on("/a", slow)
    server.on("/b", faults.hang())
    began = time.monotonic()
    async with fetcher() as fetching:
        with pytest.raises(Timeout):
            await fetching.fetch(server.url("/a"), {"seconds": 0.6})
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("kind", ["many", "long"])
async def test_a_flood_of_headers_is_a_failure(server: LoopbackServer, kind: str) -> None:
    async def script(wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            await wire.send(b"x" * 1_000 + (b"\r\nX: " if kind == "many" else b""))

    server.on("/a", Reply(script=script))
    async with fetcher() as fetching:
        with pytest.raises(SearchFailed) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.error_code in ("WebParseError", "NetworkError")


async def test_a_connection_that_is_cut_is_tried_once_more(server: LoopbackServer) -> None:
    server.on("/a", faults.reset(), PAGE)
    async with fetcher() as fetching:
        assert SENTENCE in (await fetching.fetch(server.url("/a"), {})).text
        server.on("/b", faults.reset())
        server.requests.clear()
        with pytest.raises(NetworkError):
            await fetching.fetch(server.url("/b"), {})
    assert len(server.requests) == 2


async def test_a_cancelled_call_ends_at_once(server: LoopbackServer) -> None:
    server.on("/a", faults.hang())
    async with fetcher() as fetching:
        call = asyncio.create_task(fetching.fetch(server.url("/a"), {"seconds": 1}))
        await server.requests.reach(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


# What the site says


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (401, WebBlocked, False),
        (403, WebBlocked, False),
        (429, WebBlocked, True),
        (451, WebBlocked, False),
        (404, WebProviderError, False),
        (410, WebProviderError, False),
        (418, WebProviderError, False),
        (500, BadGateway, True),
        (503, BadGateway, True),
    ],
)
@pytest.mark.requirement("S3-40", "S3-46")
async def test_a_status_of_failure_is_an_error_with_its_number(
    server: LoopbackServer, status: int, kind: type[SearchFailed], *, retryable: bool
) -> None:
    server.on("/a", replies.status(status, "<p>Something went wrong here.</p>", retry_after=7))
    async with fetcher() as fetching:
        with pytest.raises(kind) as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == f"http_{status}"
    assert caught.value.retryable == retryable
    assert caught.value.page is not None
    if status in (429, 503):
        assert caught.value.retry_after == 7


@pytest.mark.parametrize(
    "reply", [Reply(204), Reply(200, {"Content-Type": replies.HTML}, "")], ids=["204", "200"]
)
async def test_a_page_without_content_says_so(server: LoopbackServer, reply: Reply) -> None:
    server.on("/a", reply)
    async with fetcher() as fetching:
        with pytest.raises(WebParseError, match="The page is empty") as caught:
            await fetching.fetch(server.url("/a"), {})
    assert caught.value.detail_code == "no_content"


async def test_what_a_terminal_would_obey_is_not_in_the_text(server: LoopbackServer) -> None:
    hostile = "one\x1b[2Jtwo\x9b31m\u202ethree\nfour\tfive"
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    server.on("/a", Reply(200, headers, hostile))
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.text == "one[2Jtwo31mthree\nfour\tfive"


# The kept pages


@pytest.mark.requirement("S3-50")
async def test_the_key_is_the_normalised_address(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    async with fetcher() as fetching:
        first = await fetching.fetch(server.url("/a?x=1&y=2"), {})
        same = await fetching.fetch(server.url("/a?utm_source=q&x=1&spm=z&y=2#part"), {})
        await fetching.fetch(server.url("/a?y=2&x=1"), {})
    assert (first.cache_hit, same.cache_hit, same.took_ms) == (False, True, 0)
    assert same.url.endswith("#part")
    assert [request.target for request in server.requests] == ["/a?x=1&y=2", "/a?y=2&x=1"]


@pytest.mark.requirement("S3-50")
async def test_the_same_link_twice_is_one_request_and_two_links_share_the_page(
    server: LoopbackServer,
) -> None:
    server.on("/link/1", replies.redirect("/page"))
    server.on("/link/2", replies.redirect("/page"))
    server.on("/page", PAGE)
    async with fetcher() as fetching:
        pages = [await fetching.fetch(server.url(path), {}) for path in ("/link/1", "/link/1")]
        pages.append(await fetching.fetch(server.url("/link/2"), {}))
        pages.append(await fetching.fetch(server.url("/page"), {}))
        pages.append(await fetching.fetch(server.url("/link/2"), {}))
    assert [page.cache_hit for page in pages] == [False, True, True, True, True]
    assert {page.final_url for page in pages} == {server.url("/page")}
    # Each from its own start.
    led, own = (server.url("/page"),), ()
    assert [page.redirects for page in pages] == [led, led, led, own, led]
    assert [request.path for request in server.requests] == ["/link/1", "/page", "/link/2"]


async def test_failures_are_not_kept(server: LoopbackServer) -> None:
    server.on("/a", replies.status(404), PAGE)
    async with fetcher() as fetching:
        with pytest.raises(WebProviderError):
            await fetching.fetch(server.url("/a"), {})
        assert not (await fetching.fetch(server.url("/a"), {})).cache_hit


async def test_nothing_is_kept_with_no_time_to_live_or_when_fresh_is_wanted(
    server: LoopbackServer,
) -> None:
    server.otherwise(PAGE)
    async with fetcher(ttl_minutes=0) as fetching:
        for _ in range(2):
            assert not (await fetching.fetch(server.url("/a"), {})).cache_hit
    async with fetcher() as fetching:
        for _ in range(2):
            assert not (await fetching.fetch(server.url("/b"), {"fresh": True})).cache_hit
    assert len(server.requests) == 4


def test_a_page_is_kept_for_its_time() -> None:
    now = 0.0
    cache = PageCache(60, clock=lambda: now)
    page = FetchResponse(
        url="link",
        final_url="p",
        status_code=200,
        content_type="",
        text="tea",
        redirects=("hop", "p"),
    )
    cache.put(["link", "hop", "p"], "text", page)
    assert cache.get("link", "text") == page
    assert (hop := cache.get("hop", "text"))
    assert (own := cache.get("p", "text"))
    assert (hop.redirects, own.redirects) == (("p",), ())
    assert cache.get("link", "markdown") is None
    now = 61.0
    assert cache.get("link", "text") is None
    assert cache.get("p", "text") is None


async def test_equal_calls_at_one_time_are_one_request(server: LoopbackServer) -> None:
    server.on("/a", Reply(200, PAGE.headers, PAGE.body, delay=0.2))
    async with fetcher() as fetching:
        pages = await asyncio.gather(*(fetching.fetch(server.url("/a"), {}) for _ in range(8)))
    assert len(server.requests) == 1
    assert len({page.text for page in pages}) == 1


# Politeness


async def test_pages_of_one_host_are_apart_and_others_are_not() -> None:
    now, waits = 0.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(seconds)
        now += seconds

    pace = Politeness(2.0, clock=lambda: now, sleep=sleep)
    for host in ("a", "b", "a", "a"):
        await pace.turn(host)
    now = 10.0
    await pace.turn("a")
    assert waits == [2.0, 2.0]


async def test_turns_that_were_given_up_are_given_to_those_behind() -> None:
    pace = Politeness(0.2)
    await pace.turn("a")
    impatient = [asyncio.create_task(pace.turn("a")) for _ in range(60)]
    await asyncio.sleep(0)
    began = time.monotonic()
    behind = asyncio.create_task(pace.turn("a"))
    await asyncio.sleep(0)
    for task in impatient:
        task.cancel()
    await behind
    await pace.turn("a")
    # Sixty turns would be twelve seconds.
    assert 0.2 <= time.monotonic() - began < 10
    assert all(task.cancelled() for task in impatient)


async def test_a_redirect_belongs_to_the_same_visit(server: LoopbackServer) -> None:
    server.on("/1", replies.redirect("/2"))
    server.otherwise(PAGE)
    # With a pause in between, the deadline of the fetch would be over first.
    async with fetcher(delay_seconds=60) as fetching:
        await fetching.fetch(server.url("/1"), {})


async def test_the_pause_between_pages_of_a_host_is_kept(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    began = time.monotonic()
    async with fetcher(delay_seconds=0.5) as fetching:
        await fetching.fetch(server.url("/1"), {})
        await fetching.fetch(server.url("/3"), {})
    assert time.monotonic() - began >= 0.5


async def test_a_turn_that_comes_too_late_is_a_timeout(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    async with fetcher(delay_seconds=30) as fetching:
        await fetching.fetch(server.url("/1"), {})
        with pytest.raises(Timeout):
            await fetching.fetch(server.url("/2"), {"seconds": 0.3})
    assert len(server.requests) == 1


# robots.txt


async def test_robots_txt_is_not_asked_for_unless_the_setting_says_so(
    server: LoopbackServer,
) -> None:
    server.otherwise(PAGE)
    async with fetcher() as fetching:
        await fetching.fetch(server.url("/a"), {})
    assert [request.path for request in server.requests] == ["/a"]


async def test_robots_txt_closes_pages_and_is_asked_for_once(server: LoopbackServer) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: Citeseek\nDisallow: /closed\nAllow: /\n"
    server.on("/robots.txt", Reply(200, {"Content-Type": "text/plain"}, rules))
    server.on("/open", PAGE)
    server.on("/link", replies.redirect("/closed/page"))
    async with fetcher(obeys_robots=True) as fetching:
        await fetching.fetch(server.url("/open"), {})
        for path in ("/closed/page", "/link"):
            with pytest.raises(WebBlocked) as caught:
                await fetching.fetch(server.url(path), {})
            assert caught.value.detail_code == "robots_txt"
    assert [request.path for request in server.requests] == ["/robots.txt", "/open", "/link"]


@pytest.mark.parametrize(("status", "is_open"), [(404, True), (403, True), (500, False)])
async def test_a_site_without_robots_txt_is_open_and_a_failing_one_closed(
    server: LoopbackServer, status: int, *, is_open: bool
) -> None:
    server.on("/robots.txt", replies.status(status))
    server.on("/a", PAGE)
    async with fetcher(obeys_robots=True) as fetching:
        if is_open:
            assert SENTENCE in (await fetching.fetch(server.url("/a"), {})).text
        else:
            with pytest.raises(WebBlocked):
                await fetching.fetch(server.url("/a"), {})


# The call


@pytest.mark.parametrize(
    "asked",
    [
        {"max_chars": 0},
        {"max_chars": True},
        {"max_chars": "9"},
        {"seconds": 0},
        {"seconds": 121},
        {"seconds": "5"},
        {"seconds": float("nan")},
        {"form": "html"},
    ],
)
async def test_what_cannot_be_asked_is_invalid_input(server: LoopbackServer, asked: dict) -> None:
    async with fetcher() as fetching:
        with pytest.raises(InvalidInput):
            await fetching.fetch(server.url("/"), asked)
        with pytest.raises(TypeError, match="colour"):
            await fetching.fetch(server.url("/"), {"colour": 1})
    assert server.connections == 0


@pytest.mark.parametrize(
    ("track", "is_read"),
    [
        (Reply(200, {"Content-Type": "text/vtt"}, VTT), True),
        (replies.status(404), False),
        (replies.html("<p>Log in to see this.</p>"), False),
    ],
)
async def test_what_is_said_in_a_video_stands_behind_the_text(
    server: LoopbackServer, track: Reply, *, is_read: bool
) -> None:
    video = "<video src=/v.mp4><track kind=chapters src=/c.vtt><track src=/s.vtt></video>"
    server.on("/a", replies.html(f"<title>Tea</title><article><p>{SENTENCE}</p>{video}</article>"))
    server.on("/s.vtt", track)
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.text.startswith(SENTENCE)
    assert [request.path for request in server.requests] == ["/a", "/s.vtt"]
    said = [page.text[one.start :].split("\n")[0] for one in page.pages]
    assert said == (["The harbour was built in 1874 & has two basins.", "Thank you."] * is_read)
    assert page.extraction_method != "subtitles"


async def test_subtitles_of_others_inside_are_not_asked_for(server: LoopbackServer) -> None:
    video = "<video><track src='http://169.254.169.254/s.vtt'></video>"
    server.on("/a", replies.html(f"<article><p>{SENTENCE}</p>{video}</article>"))
    async with fetcher() as fetching:
        page = await fetching.fetch(server.url("/a"), {})
    assert page.text == SENTENCE
