"""Pictures over real connections: checked as pages are, limited, and kept."""

from __future__ import annotations

import pytest
from tests.fetching.fetching_at import fetcher
from tests.fetching.test_picture_bytes import PLAIN, TELLING
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.errors import InvalidInput, SearchFailed, WebBlocked, WebParseError
from citeseek.fetching.pictures import MAX_BYTES

PNG = "image/png"


def picture(body: bytes = TELLING[PNG], kind: str = "image/svg+xml") -> Reply:
    return Reply(200, {"Content-Type": kind}, body)


async def test_a_picture_is_told_by_its_bytes_cleaned_and_asked_for_once(
    server: LoopbackServer,
) -> None:
    server.on("/moved", replies.redirect("/a"))
    server.on("/a", picture())
    async with fetcher() as fetching:
        for _ in range(2):
            found = await fetching.pictures.fetch(server.url("/moved"))
            assert (found.media_type, found.body) == (PNG, PLAIN[PNG])
        assert len(server.requests) == 2
        sent = server.requests[0].headers
        assert "svg" not in sent["accept"]
        assert "image/png" in sent["accept"]
        assert "cookie" not in sent
        assert "referer" not in sent
        fetching.close()
        await fetching.pictures.fetch(server.url("/moved"))
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "address", ["http://10.0.0.1/a.png", "http://169.254.169.254/", "http://[::1]/a.png"]
)
async def test_addresses_that_are_not_public_are_refused_also_behind_a_redirect(
    server: LoopbackServer, address: str
) -> None:
    server.on("/a", replies.redirect(address))
    async with fetcher() as fetching:
        for url in (address, server.url("/a")):
            with pytest.raises(WebBlocked) as caught:
                await fetching.pictures.fetch(url)
            assert caught.value.detail_code == "ssrf_blocked"


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "data:image/png;base64,AAAA"])
async def test_what_is_no_web_address_cannot_be_asked(url: str) -> None:
    async with fetcher() as fetching:
        with pytest.raises(InvalidInput):
            await fetching.pictures.fetch(url)


@pytest.mark.parametrize(
    ("reply", "detail_code"),
    [
        (picture(b"<svg/>", PNG), "unsupported_media"),
        (picture(b"", PNG), "unsupported_media"),
        (picture(TELLING[PNG][:40], PNG), "broken_body"),
        (picture(TELLING[PNG] + bytes(MAX_BYTES), PNG), "too_large"),
        (replies.html("<p>Not here", 404), "http_404"),
        (replies.html("<p>Busy", 503), "http_503"),
    ],
)
async def test_what_is_no_picture_is_an_error_and_is_not_kept(
    server: LoopbackServer, reply: Reply, detail_code: str
) -> None:
    server.on("/a", reply)
    async with fetcher() as fetching:
        for asked in (1, 2):
            with pytest.raises(SearchFailed) as caught:
                await fetching.pictures.fetch(server.url("/a"))
            assert caught.value.detail_code == detail_code
            assert len(server.requests) == asked


async def test_a_circle_of_redirects_ends(server: LoopbackServer) -> None:
    server.on("/a", replies.redirect("/a"))
    async with fetcher() as fetching:
        with pytest.raises(WebParseError) as caught:
            await fetching.pictures.fetch(server.url("/a"))
    assert caught.value.detail_code == "redirect"
