"""The same query gives the same items on every surface, and reaches the engine as written."""

from __future__ import annotations

import pytest
from tests.loopback import LoopbackServer, replies
from tests.surfaces.an_engine import ITEMS, MANY, QUERIES, RESULTS, TITLE, echo
from tests.surfaces.asking import LIBRARY, SURFACES, Surface, all_at

surfaces = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.name)


def of(name: str) -> list[Surface]:
    return [surface for surface in SURFACES if name in surface.takes]


@surfaces
async def test_items_are_the_same(surface: Surface, server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": RESULTS}))
    found = await surface.ask(all_at(server.base_url), "tea")
    assert list(found.items) == ITEMS
    assert found == await LIBRARY.ask(all_at(server.base_url), "tea")
    assert len(server.requests) == 2


@surfaces
async def test_nothing_found_is_no_failure(surface: Surface, server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": []}))
    found = await surface.ask(all_at(server.base_url), "tea")
    assert (found.items, found.code) == ((), "")


@pytest.mark.sample(22)
@pytest.mark.parametrize("kind", QUERIES)
@surfaces
async def test_a_query_reaches_the_engine_as_it_was_written(
    surface: Surface, kind: str, server: LoopbackServer
) -> None:
    written, sent = QUERIES[kind]

    server.on("/search", echo)
    found = await surface.ask(all_at(server.base_url), written)
    assert found.code == "", found
    assert server.requests[0].param("q") == (sent or written)
    assert found.items[0][0] == (sent or written)[:TITLE]


@pytest.mark.parametrize("surface", of("count"), ids=lambda surface: surface.name)
async def test_the_number_of_results_is_that_which_was_asked_for(
    surface: Surface, server: LoopbackServer
) -> None:
    server.on("/search", replies.as_json({"results": MANY}))
    found = await surface.ask(all_at(server.base_url), "tea", count=7)
    assert [item[3] for item in found.items] == list(range(1, 8))


@pytest.mark.parametrize("surface", of("freshness"), ids=lambda surface: surface.name)
async def test_filters_reach_the_engine(surface: Surface, server: LoopbackServer) -> None:
    server.on("/html/", replies.html("<div class='no-results'>"))
    await surface.ask(all_at(server.base_url, "ddg_html"), "tea", country="de", freshness="week")
    form = dict(server.requests[0].form)
    assert (form["kl"], form["df"]) == ("de-de", "w")


@pytest.mark.parametrize("name", ["library", "command line", "REST", "MCP", "toolset"])
async def test_several_engines_of_the_settings_are_all_asked(
    name: str, server: LoopbackServer
) -> None:
    server.on("/search", replies.as_json({"results": RESULTS}))
    (surface,) = (surface for surface in SURFACES if surface.name == name)
    env = {**all_at(server.base_url), "CITESEEK_ENGINES": "searxng,stub"}
    found = await surface.ask(env, "tea")
    assert {item[1] for item in found.items} > {item[1] for item in ITEMS}
