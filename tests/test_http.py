"""What the HTTP transports have in common: the same fault is the same error through either."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.engine import TransportKind
from citeseek.errors import InvalidInput, WebParseError
from citeseek.http import Transports
from citeseek.models import Request

KINDS: tuple[TransportKind, ...] = ("pyreqwest", "primp")
LIMIT = 12_345


@pytest.mark.parametrize("kind", KINDS)
async def test_a_header_that_is_no_text_costs_no_answer(
    kind: TransportKind, server: LoopbackServer
) -> None:
    odd = {"X-Name": "caf\xe9 \xff", "Content-Type": "text/plain"}
    server.otherwise(Reply(200, odd, b"tea"))
    transports = Transports()
    try:
        page = await transports.get(kind).send(
            Request(url=server.base_url), seconds=5, max_bytes=LIMIT
        )
    finally:
        await transports.close()
    assert (page.status, page.body) == (200, b"tea")
    assert page.headers["content-type"] == "text/plain"


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_body_over_the_limit_is_told_with_the_limit(
    kind: TransportKind, server: LoopbackServer, *, declared: bool
) -> None:
    server.otherwise(replies.oversized(LIMIT, declared=declared))
    transports = Transports()
    request = Request(url=server.base_url)
    try:
        with pytest.raises(WebParseError, match="larger than 12,345 bytes") as caught:
            await transports.get(kind).send(request, seconds=5, max_bytes=LIMIT)
        page = await transports.get(kind).send(request, seconds=5, max_bytes=LIMIT + 1)
    finally:
        await transports.close()
    assert caught.value.detail_code == "too_large"
    assert len(page.body) == LIMIT + 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_that_is_no_address_is_named_and_never_shown(kind: TransportKind) -> None:
    with pytest.raises(InvalidInput, match="proxy address is not valid") as caught:
        Transports().get(kind, "http://me:MARKED@[nowhere")
    assert "MARKED" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_threads_that_ask_at_the_same_time_get_the_same_transport() -> None:
    begin = threading.Barrier(4)
    for _ in range(20):
        transports = Transports()

        def get() -> object:
            begin.wait()
            return transports.get("primp")  # noqa: B023 - run within the turn

        with ThreadPoolExecutor(4) as pool:
            got = [pool.submit(get) for _ in range(4)]
        assert len({id(one.result()) for one in got}) == 1
