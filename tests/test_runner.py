"""How one engine is run: within a deadline, and never taking rubbish for "nothing found"."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
from tests.loopback import LoopbackServer, replies
from tests.shelf import Shelf

from citeseek.engine import EngineOptions
from citeseek.errors import WebParseError, WebProviderError
from citeseek.http import Transports
from citeseek.query import Query
from citeseek.registry import Registry
from citeseek.runner import Route, Runner

SEARXNG = Registry().get("searxng")
TEA = Query.of("tea")
NOWHERE = {"title": "Tea", "url": "javascript:void(0)", "content": "A leaf."}


@pytest.fixture
async def transports() -> AsyncIterator[Transports]:
    opened = Transports()
    yield opened
    await opened.close()


def to(server: LoopbackServer) -> Route:
    return Route(options=EngineOptions(base_url=server.base_url))


async def test_results_without_a_web_address_are_a_page_that_is_not_understood(
    server: LoopbackServer, transports: Transports
) -> None:
    server.otherwise(replies.as_json({"results": [NOWHERE, NOWHERE]}))
    with pytest.raises(WebParseError, match="None of the 2 results") as caught:
        await Runner(transports).run(SEARXNG, TEA, to(server), seconds=5)
    assert caught.value.detail_code == "drift"
    assert caught.value.page is not None
    assert json.loads(caught.value.page.body)["results"] == [NOWHERE, NOWHERE]


async def test_results_without_a_web_address_are_a_plain_engines_fault(
    transports: Transports,
) -> None:
    with pytest.raises(WebProviderError, match="None of the 1 results"):
        await Runner(transports).run(
            Shelf([NOWHERE]), TEA, Route(options=EngineOptions()), seconds=5
        )
