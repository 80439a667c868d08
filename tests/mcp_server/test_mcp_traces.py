"""The traces of a server's calls as its resources, over both transports and both protocols."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from tests.loopback import LoopbackServer, Signal, faults, replies
from tests.mcp_server.hosting import (
    LENGTH,
    QUESTION,
    WAYS,
    a_web,
    article,
    hosted,
    results,
    searching,
)

from citeseek.trace.trace_file import keep, trace_of
from citeseek.trace.trace_record import Body, Failed, Part, Received, RecordedExchange, SentRequest

KEY = "sk-marked-7d1f00a9c2"
MODERN = "2026-07-28"
NOT_FOUND_OF_OLD = -32002
ID = "0123456789abcdef"
NAME = f"20261128T210459158-search-{ID}.json"
URI = f"citeseek://traces/{ID}"
ELSEWHERE = [
    "citeseek://traces/fedcba9876543210",
    "citeseek://traces/",
    "citeseek://traces",
    "citeseek://traces/..",
    "citeseek://traces/../outside",
    "citeseek://traces/../../etc/passwd",
    "citeseek://traces/%2e%2e%2foutside",
    f"citeseek://traces/..%2f{ID}",
    f"citeseek://traces/{ID}/..",
    f"citeseek://traces/{ID}/../{ID}/bundle/x",
    f"citeseek://traces/{ID}.json",
    f"citeseek://traces/{ID}%00",
    f"citeseek://traces/{ID}\n",
    f"citeseek://traces/{NAME}",
    "citeseek://traces/*",
    "citeseek://traces/[0-9a-f]",
    "citeseek://traces//etc/passwd",
    f"citeseek://other/{ID}",
    f"CITESEEK://traces/{ID}/bundle/",
    "file:///etc/passwd",
    "/etc/passwd",
    "",
]

# What a file holds that is no trace, and what is said of it.
DAMAGED = {
    b"": "damaged",
    b"\xff\xfe\x00": "damaged",
    b"[1, 2]": "not a trace",
    b'{"format": "citeseek-trace", "version": 1}': "damaged",
    b'{"format": "citeseek-trace", "version": 9}': "version",
    b"[" * 100_000: "damaged",
}

pytestmark = pytest.mark.parametrize("way", WAYS)


def kept(folder: Path, call: Part, trace_id: str = ID, **env: Any) -> Path:
    """Write a trace of ``call`` as the program does."""
    keep(trace_of(call, {"config": {}, "env": env}, trace_id), folder)
    (path,) = folder.glob(f"*{trace_id}*")
    return path


def files(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(folder.glob(pattern))


def damaged(folder: Path) -> None:
    folder.mkdir()
    for number, content in enumerate(DAMAGED):
        (folder / f"20261128T120000{number:03}-search-{number:016x}.json").write_bytes(content)


def of_search(name: str, **fields: Any) -> Part:
    return Part(kind="search", name=name, asked={"text": name}, **fields)


def a_page(text: str) -> RecordedExchange:
    return RecordedExchange(
        via="http",
        request=SentRequest(url="https://a.example/"),
        answer=Received(url="https://a.example/", status=200, headers={}, body=Body(text=text)),
    )


def link_of(result: Any) -> Any:
    """Return the link to the trace beside the text of a result."""
    text, link = result.content
    assert (text.type, link.type) == ("text", "resource_link")
    return link


async def read(client: Any, uri: str) -> Any:
    (content,) = (await client.read_resource(uri)).contents
    assert content.uri == uri
    return content


async def refused(client: Any, uri: str) -> MCPError:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    error: MCPError = caught.value
    return error


def not_found(client: Any) -> int:
    return INVALID_PARAMS if client.protocol_version >= MODERN else NOT_FOUND_OF_OLD


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "traces"


async def test_what_the_server_offers_is_announced(way: str) -> None:
    async with hosted(way, {"CITESEEK_ENGINE": "stub"}) as client:
        resources = client.server_capabilities.resources
        assert not resources.list_changed
        assert not resources.subscribe
        listed = (await client.list_resource_templates()).resource_templates
        told = {each.uri_template: each.mime_type for each in listed}
        assert told == {
            "citeseek://traces/{trace_id}": "application/json",
            "citeseek://traces/{trace_id}/bundle": "text/plain",
        }
        assert all(each.title and each.description for each in listed)


@pytest.mark.sample(1)
async def test_every_call_has_a_trace_that_its_result_names(
    way: str, server: LoopbackServer, folder: Path
) -> None:
    a_web(server)
    async with hosted(way, {**searching(server), "CITESEEK_TRACE_DIR": str(folder)}) as client:
        calls = {
            "search": await client.call_tool("web_search", {"query": QUESTION}),
            "fetch": await client.call_tool("web_fetch", {"url": server.url("/length")}),
            "report": await client.call_tool("research_report", {"question": QUESTION}),
        }
        links = {kind: link_of(result) for kind, result in calls.items()}
        assert len(files(folder)) == 3
        listed = (await client.list_resources()).resources
        # Newest first, and told like the links.
        assert [each.uri for each in listed] == [
            links[kind].uri for kind in ("report", "fetch", "search")
        ]
        assert [each.title for each in listed] == [QUESTION, server.url("/length"), QUESTION]
        for resource, kind in zip(listed, ("report", "fetch", "search"), strict=True):
            assert resource.mime_type == "application/json"
            assert resource.name.endswith(resource.uri.rpartition("/")[2])
            assert kind in resource.description
            (path,) = files(folder, f"*-{kind}-*")
            assert resource.size == path.stat().st_size
            changed = datetime.fromisoformat(resource.annotations.last_modified)
            assert abs(changed.timestamp() - path.stat().st_mtime) < 1
            content = await read(client, links[kind].uri)
            assert content.mime_type == "application/json"
            told = json.loads(content.text)
            assert (told["format"], told["call"]["kind"]) == ("citeseek-trace", kind)
            assert resource.uri.endswith(told["trace_id"])


async def test_a_trace_says_why_a_result_was_there_and_leaves_pages_out(
    way: str, server: LoopbackServer, folder: Path
) -> None:
    a_web(server)
    async with hosted(way, {**searching(server), "CITESEEK_TRACE_DIR": str(folder)}) as client:
        link = link_of(await client.call_tool("web_search", {"query": QUESTION}))
        told = json.loads((await read(client, link.uri)).text)
        (merge,) = [note for note in told["call"]["notes"] if note["what"] == "merge"]
        assert merge["lines"][0]["url"] == server.url("/length")
        assert merge["lines"][0]["votes"][0]["engine"] == "searxng"
        (engine,) = told["call"]["parts"]
        (exchange,) = engine["exchanges"]
        whole = json.loads(files(folder)[0].read_text())
        (sent,) = whole["call"]["parts"][0]["exchanges"]
        page = sent["answer"]["body"]["text"]
        assert exchange["answer"]["body"] == {"bytes": len(page.encode())}
        assert exchange["answer"]["status"] == 200
        bundle = await read(client, f"{link.uri}/bundle")
        assert bundle.mime_type == "text/plain"
        assert f"asked: {QUESTION}" in bundle.text
        assert "engine: searxng ok=true" in bundle.text


async def test_a_failed_call_names_its_trace_as_well(
    way: str, server: LoopbackServer, folder: Path
) -> None:
    server.otherwise(replies.status(502))
    async with hosted(way, {**searching(server), "CITESEEK_TRACE_DIR": str(folder)}) as client:
        result = await client.call_tool("web_search", {"query": QUESTION})
        assert result.is_error
        told = json.loads((await read(client, link_of(result).uri)).text)
        assert told["call"]["failure"]["type"] == "BadGateway"
        # Nothing was done, so there is nothing to tell.
        bad = await client.call_tool("web_search", {"query": " "})
        assert [block.type for block in bad.content] == ["text"]
        assert len((await client.list_resources()).resources) == 1


@pytest.mark.sample(2)
async def test_a_cancelled_call_is_kept(way: str, server: LoopbackServer, folder: Path) -> None:
    server.on("/html/", faults.hang())
    server.on("/length", article("A page", LENGTH))
    env = {
        **searching(server),
        "CITESEEK_ENGINE": "ddg_html",
        "CITESEEK_DDG_HTML_URL": server.base_url,
        "CITESEEK_TRACE_DIR": str(folder),
    }
    async with hosted(way, env) as client:
        call = asyncio.create_task(client.call_tool("web_search", {"query": QUESTION}))
        assert await server.requests.reach(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await server.requests[0].closed
        await client.call_tool("web_fetch", {"url": server.url("/length")})
        _, stopped = (await client.list_resources()).resources
        told = json.loads((await read(client, stopped.uri)).text)
        assert told["call"]["was_stopped"] is True


async def test_calls_side_by_side_name_each_its_own(
    way: str, server: LoopbackServer, folder: Path
) -> None:
    all_there = Signal()
    server.on("/search", replies.held(results(server, "length"), all_there))
    async with hosted(way, {**searching(server), "CITESEEK_TRACE_DIR": str(folder)}) as client:
        calls = [
            asyncio.create_task(client.call_tool("web_search", {"query": f"bridge {number}"}))
            for number in range(3)
        ]
        assert await server.requests.reach(3)
        all_there.set()
        links = [link_of(result) for result in await asyncio.gather(*calls)]
        assert [link.title for link in links] == [f"bridge {number}" for number in range(3)]


async def test_without_a_folder_there_are_none(way: str, tmp_path: Path) -> None:
    async with hosted(way, {"CITESEEK_ENGINE": "stub"}) as client:
        result = await client.call_tool("web_search", {"query": "tea"})
        assert [block.type for block in result.content] == ["text"]
        assert (await client.list_resources()).resources == []
        error = await refused(client, URI)
        assert error.code == not_found(client)
        assert "trace.dir" in error.message
        assert "CITESEEK_TRACE_DIR" in error.message


async def test_a_folder_that_is_not_there_yet_is_empty(way: str, folder: Path) -> None:
    env = {"CITESEEK_ENGINE": "stub", "CITESEEK_TRACE_DIR": str(folder)}
    async with hosted(way, env) as client:
        assert (await client.list_resources()).resources == []
        assert (await refused(client, URI)).code == not_found(client)


async def test_a_folder_that_cannot_be_used_fails_no_call(way: str, folder: Path) -> None:
    place = kept(folder, of_search("tea"))
    env = {"CITESEEK_ENGINE": "stub", "CITESEEK_TRACE_DIR": str(place)}
    async with hosted(way, env) as client:
        result = await client.call_tool("web_search", {"query": "tea"})
        assert not result.is_error
        assert [block.type for block in result.content] == ["text"]
        with pytest.raises(MCPError, match=r"trace\.dir cannot be read") as caught:
            await client.list_resources()
        assert caught.value.code == INTERNAL_ERROR
        assert str(folder) not in caught.value.message


async def test_nothing_beside_the_traces_can_be_read(way: str, folder: Path) -> None:
    kept(folder, of_search("tea"))
    (folder.parent / "outside").write_text(KEY)
    (folder / "notes.json").write_text(KEY)
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        assert len((await client.list_resources()).resources) == 1
        for uri in ELSEWHERE:
            error = await refused(client, uri)
            assert error.code == not_found(client), uri
            assert error.data == {"uri": uri}
            assert KEY not in str(error.error)
            assert str(folder) not in error.message
        assert (await read(client, URI)).text


async def test_a_link_out_of_the_folder_is_no_trace(way: str, folder: Path) -> None:
    path = kept(folder, of_search("tea"))
    path.rename(folder.parent / path.name)
    path.symlink_to(folder.parent / path.name)
    (folder / f"20261128T210459159-search-{'a' * 16}.json").mkdir()
    os.mkfifo(folder / f"20261128T210459160-search-{'b' * 16}.json")
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        assert (await client.list_resources()).resources == []
        for uri in (URI, f"citeseek://traces/{'a' * 16}", f"citeseek://traces/{'b' * 16}"):
            assert (await refused(client, uri)).code == not_found(client)


async def test_nothing_secret_is_told(way: str, folder: Path) -> None:
    # As an earlier program, or one that did not know the key, would have written it.
    call = of_search(
        f"tea {KEY} https://user:pass-word-1@h.example/?token=tok-en-1",
        exchanges=[a_page(f"<p>{KEY}</p>")],
        failure=Failed(type="AuthError", message=f"{KEY} is wrong", engine="brave"),
        notes=[{"what": "dropped", "why": f"http://h.example/?api_key=tok-en-2 {KEY}"}],
    )
    kept(folder, call, SOME_TOKEN=KEY)
    env = {"CITESEEK_TRACE_DIR": str(folder), "CITESEEK_TOKEN": f"{'x' * 20},{KEY}"}
    async with hosted(way, env) as client:
        listed = await client.list_resources()
        contents = [await read(client, URI), await read(client, f"{URI}/bundle")]
        told = listed.model_dump_json() + "".join(each.text for each in contents)
        for secret in (KEY, "pass-word-1", "tok-en-1", "tok-en-2", str(folder)):
            assert secret not in told
        assert listed.resources[0].title.startswith("tea *** https://***@h.example/?token=***")


async def test_a_damaged_trace_is_said_to_be(way: str, folder: Path) -> None:
    damaged(folder)
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        listed = (await client.list_resources()).resources
        assert all(each.title for each in listed)
        for each, word in zip(reversed(listed), DAMAGED.values(), strict=True):
            for uri in (each.uri, f"{each.uri}/bundle"):
                error = await refused(client, uri)
                assert error.code == INTERNAL_ERROR
                assert word in error.message
                assert str(folder) not in error.message
        # The server lives on.
        assert (await client.list_tools()).tools


async def test_a_trace_that_lacks_what_a_bundle_tells_is_damaged(way: str, folder: Path) -> None:
    kept(folder, of_search("tea", result=5))
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        assert json.loads((await read(client, URI)).text)["call"]["result"] == 5
        error = await refused(client, f"{URI}/bundle")
        assert (error.code, "missing" in error.message) == (INTERNAL_ERROR, True)


async def test_a_file_that_is_too_large_is_said_to_be(way: str, folder: Path) -> None:
    path = kept(folder, of_search("tea"))
    os.truncate(path, 40 << 20)
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        (listed,) = (await client.list_resources()).resources
        assert listed.size == 40 << 20
        assert listed.title == "tea"
        error = await refused(client, URI)
        assert error.code == INTERNAL_ERROR
        assert "40.0 MiB" in error.message
        assert "citeseek bundle" in error.message


async def test_many_are_listed_page_by_page(way: str, folder: Path) -> None:
    for number in range(230):
        keep(trace_of(of_search(f"tea {number}"), {}, f"{number:016x}"), folder)
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        found, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = await client.list_resources(cursor=cursor)
            found += [each.uri for each in page.resources]
            if not pages:
                # What is new meanwhile moves nothing on the pages that follow.
                keep(trace_of(of_search("newer"), {}, "f" * 16), folder)
            cursor, pages = page.next_cursor, pages + 1
        assert pages == 3
        assert len(set(found)) == len(found) == 230
        first = (await client.list_resources()).resources[0]
        assert first.title == "newer"
        for cursor in ("../../etc", "nowhere", "1"):
            with pytest.raises(MCPError, match="cursor") as caught:
                await client.list_resources(cursor=cursor)
            assert caught.value.code == INVALID_PARAMS


async def test_a_title_is_one_short_line(way: str, folder: Path) -> None:
    kept(folder, of_search('two\n"lines" \x1b[31m 茶' + "x" * 9_000))
    async with hosted(way, {"CITESEEK_TRACE_DIR": str(folder)}) as client:
        (listed,) = (await client.list_resources()).resources
        assert listed.title.startswith('two "lines" [31m 茶xx')
        assert len(listed.title) <= 120
