"""The tool that checks citations: which pages a text cites, and what they say to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer
from tests.mcp_server.hosting import (
    LENGTH,
    WAYS,
    a_web,
    check_fits,
    hosted,
    searching,
    text_of,
)

from citeseek import Client
from citeseek.errors import InvalidInput
from citeseek.surfaces.mcp import cited_sources

TRUE = "The Alder Bridge is 412 metres long"
FALSE = "The Alder Bridge was built in nine years by a firm from Elmford"


async def verified(client: Any, **arguments: Any) -> Any:
    """Call the tool; what a program is given fits the schema that was announced."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    result = await client.call_tool("verify_citations", arguments)
    check_fits(result.structured_content, tools["verify_citations"].output_schema)
    return result


@pytest.mark.parametrize("way", WAYS)
async def test_each_citation_has_a_verdict_with_the_sentence_of_its_page(
    way: str, server: LoopbackServer
) -> None:
    a_web(server)
    pages = [server.url("/length"), server.url("/builders"), server.url("/gone")]
    async with hosted(way, searching(server)) as client:
        result = await verified(
            client, text=f"{TRUE} [1]. {FALSE} [2]. {TRUE} [3].", sources=pages, toolCallId="call_1"
        )
    assert not result.is_error
    told = result.structured_content
    assert [(each["number"], each["verdict"]) for each in told["checks"]] == [
        (1, "supported"),
        (2, "contradicted"),
        (3, "unfetched"),
    ]
    assert told["checks"][0]["evidence"] == LENGTH
    assert told["checks"][1]["missing"] == ["nine years"]
    (unread,) = told["unread"]
    assert (unread["number"], unread["url"]) == (3, pages[2])
    assert (unread["error"]["error_code"], unread["error"]["detail_code"]) == (
        "WebProviderError",
        "http_404",
    )
    assert text_of(result).startswith("<web-results id=")
    assert "four years" in text_of(result)


@pytest.mark.parametrize(
    "form",
    [
        "{true} [[1]]({page}).",
        "{true} [1].\n\n[1]: {page}",
        "{true} [1].\n\n## References\n\n- [1] The Alder Bridge. <{page}>",
        "{true} [1].\n\n[1] The Alder Bridge, {page}.",
    ],
)
async def test_a_text_may_name_its_addresses_itself(server: LoopbackServer, form: str) -> None:
    a_web(server)
    text = form.format(true=TRUE, page=server.url("/length"))
    async with Client(settings(env=searching(server))) as client:
        found = await cited_sources.verify(client, {"text": text})
    assert "supported" in {check.verdict for check in found.checks}
    assert not found.unread


async def test_a_private_address_is_not_read(server: LoopbackServer) -> None:
    async with Client(settings()) as client:
        found = await cited_sources.verify(
            client, {"text": f"{TRUE} [1].", "sources": [server.url("/length")]}
        )
    assert found.unread[0].failure.detail_code == "ssrf_blocked"
    assert not server.requests


async def test_pages_that_take_longer_than_a_host_waits_are_unread(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_web(server)
    monkeypatch.setattr(cited_sources, "SECONDS", 0.0)
    async with Client(settings(env=searching(server))) as client:
        found = await cited_sources.verify(
            client, {"text": f"{TRUE} [1].", "sources": [server.url("/length")]}
        )
    assert found.unread[0].failure.type == "Timeout"
    assert found.checks[0].verdict == "unfetched"


async def test_a_judge_of_the_settings_is_asked_about_what_is_unclear(
    server: LoopbackServer,
) -> None:
    page = "The old bridge at Elm was closed to all lorries in the spring of 2019."
    server.on("/page", replies.html(f"<article><h1>Elm</h1><p>{page}</p></article>"))
    opinion = {"id": 1, "verdict": "supported", "quote": page}
    with ModelServer() as model:
        model.says(json.dumps([opinion]))
        env = {**searching(server), **model.env, "CITESEEK_JUDGE": "model"}
        async with Client(settings(env=env)) as client:
            found = await cited_sources.verify(
                client,
                {
                    "text": "Since 2019 lorries may no longer cross the old bridge at Elm [1].",
                    "sources": [server.url("/page")],
                },
            )
    assert found.judge is not None
    assert (found.judge.asked, found.judge.failure) == (1, None)
    assert len(model.requests) == 1


async def test_a_judge_that_nobody_knows_is_refused_before_a_page_is_read(
    server: LoopbackServer,
) -> None:
    env = {**searching(server), "CITESEEK_JUDGE": "nobody:none"}
    asked = {"text": f"{TRUE} [1].", "sources": [server.url("/length")]}
    async with Client(settings(env=env)) as client:
        with pytest.raises(InvalidInput, match="nobody"):
            await cited_sources.verify(client, asked)
    assert not server.requests
