"""Clients come and go with the settings; what an edit does not concern stays as it is."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies

from citeseek.assistant.client_pool import MAX_READY, Clients
from citeseek.client import Client
from citeseek.errors import WebBlocked

FOUND = replies.as_json({"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]})


def living() -> int:
    gc.collect()
    return sum(isinstance(each, Client) for each in gc.get_objects())


@pytest.mark.release
async def test_edits_of_the_settings_do_not_keep_a_client_each() -> None:
    config: dict[str, Any] = {}
    clients = Clients(lambda: settings(config))
    before = living()
    first = clients.current()
    for number in range(40):
        config = {"search": {"timeout_ms": 1000 + number}}
        assert clients.current() is clients.current()
    assert living() - before <= MAX_READY + 1
    # Somebody still has the first: it works, and is closed with the others.
    assert (await first.search("tea", engine="stub")).count
    await clients.close()


async def test_an_edit_forgets_no_cool_down_that_it_does_not_concern(
    server: LoopbackServer,
) -> None:
    server.on("/search", replies.status(429, retry_after=600), FOUND)
    entry = {"base_url": server.base_url}
    config: dict[str, Any] = {"engines": {"searxng": entry}}
    clients = Clients(lambda: settings(config))
    with pytest.raises(WebBlocked):
        await clients.current().search("tea", engine="searxng")
    config = {"engines": {"searxng": entry}, "search": {"timeout_ms": 4000}}
    with pytest.raises(WebBlocked, match="Cooling down"):
        await clients.current().search("tea", engine="searxng")
    assert clients.current().engine_states()["searxng"].state == "open"
    config = {"engines": {"searxng": {**entry, "api_key": "a-key-of-mine"}}}
    assert "searxng" not in clients.current().engine_states()
    assert (await clients.current().search("tea", engine="searxng")).count == 1
    await clients.close()


async def test_what_one_client_closes_others_still_use(server: LoopbackServer) -> None:
    server.on("/search", FOUND)
    chosen = settings({"engines": {"searxng": {"base_url": server.base_url}}})
    first = Client(chosen)
    second = Client(chosen, beside=first)
    assert second.transports is first.transports
    await first.search("tea", engine="searxng")
    await first.close()
    assert (await second.search("water", engine="searxng")).count == 1
    await second.close()
