"""A recorded search, run again without the network, gives the same answer byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.shelf import RESULT, Shelf
from tests.trace.recorded import recorded, replayed

from citeseek import Client, Settings, search, trace
from citeseek.errors import InvalidInput
from citeseek.faces import AGENT, CHAT
from citeseek.replay import bundle, is_same, replay, write_pages
from citeseek.searching.cache import session_cache
from citeseek.trace.trace_file import load
from citeseek.trace.trace_record import Trace

SEARXNG = replies.html(page("searxng/search.json"))
DDG = replies.html(page("ddg_html/html_results.html"))


def at(server: LoopbackServer, *names: str, **more: Any) -> Settings:
    names = names or ("searxng", "ddg_html")
    return settings({"engines": {name: {"base_url": server.base_url} for name in names}, **more})


def items(found: Trace) -> list[str]:
    return [item["url"] for item in found.call.result["items"]]


async def test_several_engines_are_merged_alike(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    server.on("/html/", DDG)
    found = await recorded(
        at(server), lambda client: client.search("green tea", engines=["searxng", "ddg_html"])
    )
    again = await replayed(found)
    assert items(again)
    assert found.call.measured["took_ms"] == again.call.result["took_ms"]


@pytest.mark.parametrize(
    "asked",
    [
        {"engine": "searxng", "face": CHAT, "count": 3, "language": "zh-CN"},
        {"engine": "searxng", "page": 2, "freshness": "2026-01-01..2026-01-31"},
        {"engine": "searxng", "site": "example.com", "safesearch": "strict", "country": "de"},
        {"engine": "ddg_html", "count": 30},
        {"face": AGENT},
        {"engine": "stub"},
    ],
)
async def test_whatever_is_asked_is_asked_again(
    server: LoopbackServer, asked: dict[str, Any]
) -> None:
    server.on("/search", SEARXNG)
    server.on("/html/", DDG)
    await replayed(await recorded(at(server), lambda client: client.search("tea", **asked)))


async def test_an_engine_that_was_not_waited_for_is_not_waited_for_again(
    server: LoopbackServer,
) -> None:
    server.on("/search", SEARXNG)
    server.on("/html/", faults.hang())
    found = await recorded(
        at(server),
        lambda client: client.search("tea", engines=["searxng", "ddg_html"], quorum=1),
    )
    assert found.call.gave_up == ["ddg_html"]
    again = await replayed(found)
    assert again.call.result["errors"][0]["detail_code"] == "not_waited_for"


@pytest.mark.parametrize(
    "reply",
    [
        faults.hang(),
        faults.reset(),
        Reply(429, {"Retry-After": "7"}, "slow down"),
        Reply(503, {}, "down"),
        replies.html(b"<html><body>what is this</body></html>"),
        replies.redirect("https://elsewhere.example/"),
    ],
    ids=["time-out", "reset", "429", "503", "drift", "redirect"],
)
async def test_failures_are_the_same(server: LoopbackServer, reply: Reply) -> None:
    server.otherwise(reply)
    found = await recorded(
        at(server), lambda client: client.search("tea", engine="ddg_html", seconds=0.4)
    )
    assert found.call.failure
    again = await replayed(found)
    assert again.call.failure == found.call.failure


async def test_a_fallback_has_the_time_that_was_left(server: LoopbackServer) -> None:
    server.on("/html/", Reply(503, {}, "down"))
    server.on("/search", SEARXNG)
    chosen = at(server, search={"engines": ["ddg_html"], "fallback": ["searxng"]})
    found = await recorded(chosen, lambda client: client.search("tea"))
    again = await replayed(found)
    assert again.call.result["provider"] == "searxng"


async def test_a_refusal_of_the_breaker_is_the_same(server: LoopbackServer) -> None:
    server.otherwise(Reply(429, {"Retry-After": "60"}, ""))

    async def call(client: Client) -> None:
        await client.search("tea", engine="ddg_html")

    found = await recorded(at(server), call, before=call)
    assert found.call.failure
    assert found.call.failure.is_cooling
    await replayed(found)


async def test_a_limit_of_searches_is_the_same(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    entry = {"base_url": server.base_url, "rate_per_minute": 1}
    chosen = settings({"engines": {"searxng": entry}})

    async def call(client: Client) -> None:
        await client.search("tea", engine="searxng", language="zh")

    async def earlier(client: Client) -> None:
        await client.search("tea", engine="searxng")

    found = await recorded(chosen, call, before=earlier)
    assert found.call.failure
    assert found.call.failure.detail_code == "rate_limited_here"
    await replayed(found)


async def test_a_cached_answer_is_in_the_trace(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)

    async def call(client: Client) -> None:
        await client.search("tea", engine="searxng")

    found = await recorded(at(server), call, before=call)
    assert found.call.result["cached"]
    await replayed(found)
    cache = session_cache()
    found = await recorded(
        at(server),
        lambda client: client.search("tea", engine="searxng", cache=cache),
        before=lambda client: client.search("tea", engine="searxng", cache=cache),
    )
    assert found.call.result["cached"]
    await replayed(found)


async def test_an_engine_in_the_plain_form_need_not_be_installed() -> None:
    shelf = Shelf([RESULT, {"title": "no address", "url": "ftp://x"}])
    found = await recorded(
        settings(), lambda client: client.search("tea", engine="shelf"), engines=(shelf,)
    )
    (engine,) = found.call.parts
    assert engine.notes_of("dropped")[0]["why"] == "no web address"
    await replayed(found)
    failing = Shelf(ValueError("with the token hidden-word in it"))
    found = await recorded(
        settings(), lambda client: client.search("tea", engine="shelf"), engines=(failing,)
    )
    assert "token *** in it" in trace_text(found)
    assert "hidden-word" not in trace_text(found)
    await replayed(found)


async def test_a_stream_is_replayed_as_its_last_answer(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    server.on("/html/", DDG)

    async def call(client: Client) -> None:
        async for _ in client.stream("tea", engines=["searxng", "ddg_html"]):
            assert trace.current() is None

    found = await recorded(at(server), call)
    await replayed(found)


async def test_a_stream_that_nobody_reads_to_its_end_was_stopped(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    server.on("/html/", faults.hang())

    async def call(client: Client) -> None:
        answers = client.stream("tea", engines=["searxng", "ddg_html"])
        await anext(answers)
        await answers.aclose()

    found = await recorded(at(server), call)
    assert found.call.was_stopped


async def test_equal_searches_at_one_time_each_have_a_whole_trace(server: LoopbackServer) -> None:
    import asyncio

    server.on("/search", SEARXNG)
    async with Client(at(server)) as client:

        async def one() -> Trace:
            with trace.into(None) as destination:
                await client.search("tea", engine="searxng")
            return destination.traces[0]

        first, second = await asyncio.gather(one(), one())
    assert len(server.requests) == 1
    await replayed(first)
    await replayed(second)


async def test_wrong_input_is_recorded_too() -> None:
    found = await recorded(settings(), lambda client: client.search("tea", engine="nobody"))
    assert found.call.failure
    assert found.call.failure.type == "InvalidInput"
    await replayed(found)


async def test_a_changed_page_is_shown_as_what_changed(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    found = await recorded(at(server), lambda client: client.search("tea", engine="searxng"))
    (engine,) = found.call.parts
    answer = engine.exchanges[0].answer
    assert answer
    assert answer.body.text
    first = items(found)[0]
    answer.body.text = answer.body.text.replace(first, "https://other.example/")
    again = await replay(found)
    assert not is_same(found, again)
    assert items(again)[0] == "https://other.example/"


async def test_an_engine_that_asks_otherwise_reads_the_page_of_then(
    server: LoopbackServer,
) -> None:
    server.on("/search", SEARXNG)
    found = await recorded(at(server), lambda client: client.search("tea", engine="searxng"))
    found.call.parts[0].exchanges[0].request.url += "&theme=simple"
    again = await replay(found)
    assert is_same(found, again)
    assert again.call.parts[0].notes_of("asked_otherwise")


async def test_what_the_trace_does_not_hold_is_said(server: LoopbackServer) -> None:
    server.on("/search", SEARXNG)
    found = await recorded(at(server), lambda client: client.search("tea", engine="searxng"))
    found.call.parts[0].exchanges.clear()
    again = await replay(found)
    assert again.call.failure
    assert again.call.failure.detail_code == "not_recorded"


def trace_text(found: Trace) -> str:
    from citeseek.trace.trace_file import encode

    return encode(found).decode()


@pytest.mark.parametrize(
    ("reply", "detail_code"),
    [
        (replies.html(page("ddg_html/blocked_anomaly.html")), "captcha_required"),
        (Reply(403, {}, "no"), "http_403"),
        (Reply(429, {}, "no"), "http_429"),
    ],
)
@pytest.mark.requirement("S3-44")
async def test_the_bundle_shows_detail_code_before_error_code(
    server: LoopbackServer, reply: Reply, detail_code: str
) -> None:
    server.otherwise(reply)
    found = await recorded(at(server), lambda client: client.search("tea", engine="ddg_html"))
    text = bundle(found)
    (line,) = [line for line in text.splitlines() if line.startswith("search_summary: ")]
    assert f"code={detail_code}" in line
    assert "WebBlocked" not in text


@pytest.mark.requirement("S3-44")
async def test_without_a_detail_code_the_error_code_is_shown(server: LoopbackServer) -> None:
    server.otherwise(faults.reset())
    found = await recorded(at(server), lambda client: client.search("tea", engine="ddg_html"))
    text = bundle(found)
    assert "code=NetworkError" in text
    assert "no proxy is set" in text


async def test_pages_that_were_not_understood_can_be_written_out(
    server: LoopbackServer, tmp_path: Path
) -> None:
    body = b"<html><body>something new</body></html>"
    server.otherwise(replies.html(body))
    found = await recorded(at(server), lambda client: client.search("tea", engine="ddg_html"))
    (path,) = write_pages(found, tmp_path)
    assert path.read_bytes() == body
    assert f"page: {path.stem} (drift" in bundle(found)


async def test_the_setting_keeps_a_file_of_every_call(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", SEARXNG)
    folder = tmp_path / "traces"
    async with Client(at(server, trace={"dir": str(folder)})) as client:
        await client.search("tea", engine="searxng")
        with pytest.raises(InvalidInput):
            await client.search("tea", engine="nobody")
    files = sorted(folder.iterdir())
    assert len(files) == 2
    for file in files:
        assert file.stat().st_mode & 0o077 == 0
        await replayed(load(file))


async def test_no_search_fails_for_want_of_its_trace(
    server: LoopbackServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.on("/search", SEARXNG)
    (tmp_path / "file").write_text("")
    async with Client(at(server, trace={"dir": str(tmp_path / "file")})) as client:
        assert (await client.search("tea", engine="searxng")).items
    assert "the trace was not kept" in caplog.text


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", "nonsense", '{"format": "citeseek-trace", "version": 99}']
)
def test_what_is_no_trace_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "trace.json"
    path.write_text(content)
    with pytest.raises(InvalidInput):
        load(path)


async def test_a_second_call_goes_to_a_file_of_its_own(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.on("/search", SEARXNG)
    async with Client(at(server)) as client:
        with trace.into(tmp_path / "tea.json"):
            await client.search("tea", engine="searxng")
            await client.search("coffee", engine="searxng")
        await client.search("water", engine="searxng")
    assert load(tmp_path / "tea.json").call.name == "tea"
    assert load(tmp_path / "tea-2.json").call.name == "coffee"


def test_an_earlier_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    path.write_text('{"format": "citeseek-trace", "citeseek": "' + "x" * 100_000)
    with trace.into(path):
        search("tea", settings=settings(), engine="stub")
    assert load(path).call.kind == "search"


def test_a_call_that_is_not_asynchronous_is_recorded_too() -> None:
    with trace.into(None) as destination:
        search("tea", settings=settings(), engine="stub")
    assert destination.traces[0].call.result["items"]


async def test_a_call_through_another_loop_is_a_part_of_the_trace() -> None:
    async with Client(settings()) as client:
        with trace.into(None) as destination:
            client.search_sync("tea", engine="stub")
    assert destination.traces[0].call.result["items"]
