"""Reports that a host begins with one tool and reads with another, also after it ended itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.loopback import LoopbackServer, Signal, replies
from tests.mcp_server.hosting import (
    LENGTH,
    QUESTION,
    WAYS,
    a_web,
    article,
    check_fits,
    hosted,
    searching,
    text_of,
)

pytestmark = pytest.mark.parametrize("way", WAYS)


async def checked(client: Any, name: str, **arguments: Any) -> Any:
    """Call a tool; what programs are given fits the schema that was announced."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    result = await client.call_tool(name, arguments)
    check_fits(result.structured_content, tools[name].output_schema)
    return result


def env(server: LoopbackServer, folder: Path) -> dict[str, str]:
    return {**searching(server), "CITESEEK_SESSIONS": str(folder / "sessions.sqlite3")}


async def test_a_report_is_begun_and_read_when_it_has_ended(
    way: str, server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    async with hosted(way, env(server, tmp_path)) as client:
        begun = await checked(client, "start_report", question=QUESTION, max_sources=2)
        report_id = begun.structured_content["report_id"]
        assert begun.structured_content["state"] == "queued"
        assert report_id in text_of(begun)
        for _ in range(2):
            read = await checked(client, "read_report", report_id=report_id, wait=45)
            assert read.structured_content["state"] == "finished", text_of(read)
            run = read.structured_content["run"]
            assert LENGTH in [evidence["quote"] for evidence in run["artifacts"]["evidence"]]
            assert run["artifacts"]["report"]["text"] in text_of(read)
            assert text_of(read).startswith("<web-results id=")


async def test_one_that_goes_on_says_how_far_it_is_and_outlives_its_host(
    way: str, server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    until = Signal()
    server.on("/length", replies.held(article("The Alder Bridge", LENGTH), until))
    async with hosted(way, env(server, tmp_path)) as client:
        begun = await checked(client, "start_report", question=QUESTION, max_sources=2)
        report_id = begun.structured_content["report_id"]
        read = await checked(client, "read_report", report_id=report_id, wait=0)
        assert not read.is_error
        assert read.structured_content["state"] in ("queued", "running")
        assert report_id in text_of(read)
    until.set()
    async with hosted(way, env(server, tmp_path)) as client:
        read = await checked(client, "read_report", report_id=report_id, wait=45)
        assert read.structured_content["state"] == "finished", text_of(read)
    searched = [each for each in server.requests if each.param("q") == QUESTION]
    assert len(searched) <= 2


async def test_one_that_failed_and_one_that_never_was_are_failures(
    way: str, server: LoopbackServer, tmp_path: Path
) -> None:
    server.otherwise(replies.status(403))
    async with hosted(way, env(server, tmp_path)) as client:
        begun = await checked(client, "start_report", question=QUESTION)
        report_id = begun.structured_content["report_id"]
        failed = await checked(client, "read_report", report_id=report_id, wait=45)
        assert failed.is_error
        assert failed.structured_content["error"]["error_code"] == "AuthError"
        none = await checked(client, "read_report", report_id="0" * 16)
        assert none.is_error
        assert none.structured_content["error"]["error_code"] == "NoReport"
