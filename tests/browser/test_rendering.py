"""Pages that scripts build, in a real Chromium: what is read, and what nobody is asked for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from tests.browser.attacking_pages import ATTACKS
from tests.browser.scripted_pages import JSON, PAGES, ScriptedPage, shell, virtual_list
from tests.conftest import settings
from tests.fetching.fetching_at import Names
from tests.loopback import LoopbackServer, Reply, replies
from tests.trace.recorded import recorded, replayed

from citeseek import observing
from citeseek.browser import BrowserOptions
from citeseek.errors import SearchFailed
from citeseek.extraction import extract
from citeseek.fetching import Fetcher, FetchOptions
from citeseek.fetching.script_rendering import ScriptRendering
from citeseek.guard import Allowed, Guard
from citeseek.http import Transports
from citeseek.models import Page
from citeseek.observing.receipt import Ledger
from citeseek.sandbox import Sandbox

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# On a busy machine a browser takes long to start.
PATIENCE = 60.0
MAX_BYTES = 1_000_000
# Only the name of the site may lead to this machine.
NAMES = {
    "tea.example": [["127.0.0.1"]],
    "inner.example": [["127.0.0.1"]],
    "mixed.example": [["93.184.216.34", "127.0.0.1"]],
}


class Datagrams(asyncio.DatagramProtocol):
    """Counts what comes by UDP."""

    def __init__(self) -> None:
        self.count = 0

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.count += 1


class Site:
    """A site, a fetcher of its pages, and the servers that no page may reach."""

    def __init__(self, server: LoopbackServer, inner: Sequence[LoopbackServer], stun: int) -> None:
        self.server = server
        self.inner = inner
        self.port = int(server.base_url.rpartition(":")[2])
        ports = [one.base_url.rpartition(":")[2] for one in inner]
        self._words = {
            "INNERWS": f"ws://127.0.0.1:{ports[0]}",
            "INNER6": f"http://[::1]:{ports[1]}",
            "INNER": f"http://127.0.0.1:{ports[0]}",
            "PORT": ports[0],
            "STUN": str(stun),
        }

    def put(self, page: ScriptedPage) -> str:
        """Serve ``page`` and what belongs to it; return its address."""
        self.server.otherwise(replies.status(404))
        self.server.on("/green-tea", replies.html(self._filled(page.html)))
        self.server.on("/hop", replies.redirect(self._filled("INNER/hop")))
        for path, (kind, body) in page.files.items():
            self.server.on(path, Reply(200, {"Content-Type": kind}, self._filled(body)))
        return f"http://tea.example:{self.port}/green-tea"

    def inner_requests(self) -> int:
        """Return how many connections came to where no page may lead."""
        return sum(one.connections for one in self.inner)

    def _filled(self, text: str) -> str:
        for word, value in self._words.items():
            text = text.replace(word, value)
        return text


@asynccontextmanager
async def rendering_fetcher(
    transports: Transports,
    sandbox: Sandbox,
    *,
    allow: tuple[str, ...] = ("tea.example",),
    **options: Any,
) -> AsyncIterator[Fetcher]:
    chosen = FetchOptions(
        **{"delay_seconds": 0.0, "seconds": 20.0, "max_bytes": MAX_BYTES, **options}
    )
    guard = Guard(Allowed.of(allow), resolver=Names(NAMES))
    rendering = ScriptRendering(chosen, transports.browser, transports.render, guard)
    yield Fetcher(chosen, transports.pages, sandbox=sandbox, guard=guard, rendering=rendering)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def transports(chrome: str) -> AsyncIterator[Transports]:
    """One browser for all pages."""
    found = Transports(BrowserOptions(executable=chrome, start_seconds=PATIENCE))
    yield found
    await found.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    found = Sandbox()
    await found.run(extract, page=Page(url="https://tea.example/", body=b"<p>Tea."))
    yield found
    await found.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def datagrams() -> AsyncIterator[tuple[Datagrams, int]]:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_datagram_endpoint(
        Datagrams, local_addr=("127.0.0.1", 0)
    )
    yield protocol, transport.get_extra_info("sockname")[1]
    transport.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(datagrams: tuple[Datagrams, int]) -> AsyncIterator[Site]:
    with (
        LoopbackServer() as server,
        LoopbackServer() as inner,
        LoopbackServer(host="::1") as inner6,
    ):
        yield Site(server, (inner, inner6), datagrams[1])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fetcher(transports: Transports, sandbox: Sandbox) -> AsyncIterator[Fetcher]:
    async with rendering_fetcher(transports, sandbox) as found:
        yield found


CASES = [
    pytest.param(page, id=name, marks=() if page.core else pytest.mark.release)
    for name, page in (PAGES | ATTACKS).items()
]


@pytest.mark.sample(4)
@pytest.mark.parametrize("page", CASES)
async def test_a_page_that_scripts_build_is_read_and_asks_nobody_inside(
    fetcher: Fetcher, site: Site, datagrams: tuple[Datagrams, int], page: ScriptedPage
) -> None:
    url = site.put(page)
    if page.wall:
        with pytest.raises(SearchFailed) as raised:
            await fetcher.fetch(url, {"fresh": True, **page.options})
        assert raised.value.detail_code == page.wall
    else:
        found = await fetcher.fetch(url, {"fresh": True, **page.options})
        for text in page.says:
            assert text in found.text
        for text in page.never:
            assert text not in found.text
        assert found.rendered is page.is_rendered
        assert found.degraded == ()
    assert site.inner_requests() == 0
    assert datagrams[0].count == 0


@pytest.mark.parametrize(("count", "truncated"), [(100, False), (1_000, True)])
async def test_rows_that_were_in_sight_are_read_in_their_order_and_once(
    fetcher: Fetcher, site: Site, count: int, *, truncated: bool
) -> None:
    url = site.put(ScriptedPage(shell('<div id="root"></div>', virtual_list(count))))
    found = await fetcher.fetch(url, {"fresh": True})
    rows = [int(number) for number in re.findall(r"Row (\d+) is", found.text)]
    assert rows == list(range(1, len(rows) + 1))
    assert len(rows) >= 100
    assert (len(rows) < count) is truncated
    assert found.truncated is truncated


async def test_the_same_attack_arrives_where_the_guard_lets_it(
    transports: Transports, sandbox: Sandbox, site: Site
) -> None:
    url = site.put(ATTACKS["fetch"])
    allow = ("tea.example", "127.0.0.1")
    inner, _ = site.inner
    before = inner.connections
    try:
        async with rendering_fetcher(transports, sandbox, allow=allow) as opened:
            await opened.fetch(url, {"fresh": True})
        assert {one.path for one in inner.requests} == {"/fetch", "/"}
    finally:
        inner.connections = before


async def test_a_recorded_rendering_is_played_back_without_a_browser(
    chrome: str, server: LoopbackServer
) -> None:
    page = PAGES["fetch"]
    server.on("/tea", replies.html(page.html))
    server.on("/api/article", Reply(200, {"Content-Type": JSON}, page.files["/api/article"][1]))
    chosen = settings(
        {
            "web": {"fetch": {"allow": ["127.0.0.0/8"], "fetch_delay_seconds": 0}},
            "browser": {"executable": chrome, "start_seconds": 30},
        }
    )
    ledger = Ledger()
    with observing.watching(ledger):
        found = await recorded(chosen, lambda client: client.fetch(server.url("/tea")))
    again = await replayed(found)
    assert found.call.result["rendered"] is again.call.result["rendered"] is True
    assert {one.path for one in server.requests} - {"/favicon.ico"} == {"/tea", "/api/article"}
    # The page, and what its scripts asked for.
    hosts = {host.host: host.requests for host in ledger.receipt().hosts}
    assert hosts[f"127.0.0.1:{server.port}"] == 1
    assert hosts["127.0.0.1"] >= 1
