"""Where an engine's answer is read: small and shallow ones in place, others in the sandbox."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec import structs
from tests.conftest import page as stored
from tests.processor_time import processor_time_below

from citeseek.engine import Engine
from citeseek.engines import BUILTIN, load
from citeseek.errors import WebParseError
from citeseek.models import Hit, Page
from citeseek.sandbox import Allowance, Sandbox
from citeseek.searching.answer_reading import (
    FEW_ATTRIBUTES,
    FEW_TAGS,
    LARGE_BYTES,
    LARGE_JSON_BYTES,
    SMALL_BYTES,
    beginning,
    read,
)

SHAPES = {
    "deep": b"<ul><li>",
    "links": b"<a><div>",
    "crossing": b"<font><div></font>",
    "options": b"<select><option>",
    "marks": b"<b><p>",
    "spaces": b" ",
    "brackets": b"((",
    "digits": b"12",
}


class Refusing(Sandbox):
    """Says that it was asked."""

    async def run(self, function: Any, **arguments: Any) -> Any:
        raise Asked(function.__name__)


class Asked(Exception):
    """The sandbox was to be used."""


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    opened = Sandbox(Allowance())
    yield opened
    await opened.close()


def answer(*results: Any, **more: Any) -> Page:
    body = msgspec.json.encode({"results": results, **more})
    return Page(url="https://searx.example/search", body=body)


def result(number: int, content: str = "x" * 100) -> dict[str, str]:
    return {"title": "tea", "url": f"https://tea{number}.example/", "content": content}


@pytest.mark.sample(147)
@pytest.mark.parametrize("size", [SMALL_BYTES, LARGE_BYTES])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine_id", [name for name in BUILTIN if load(name).via != "local"])
async def test_what_is_read_in_place_takes_no_time(engine_id: str, shape: str, size: int) -> None:
    body = (SHAPES[shape] * size)[:size]
    page = Page(url="https://a.example/", headers={"content-type": "text/html"}, body=body)
    # A tenth of it where nothing else runs.
    with processor_time_below(0.5), suppress(Asked, WebParseError):
        await read(load(engine_id), page, asked_page=1, sandbox=Refusing())


HALF = FEW_TAGS // 2
# As many marks as are read without being looked at, in the orders that cost a parser most.
BUSY = {
    "attributes": b"<a " + b" ".join(b"%x" % at for at in range(FEW_ATTRIBUTES - 10)),
    "attributes behind signs": b"<a " + b" ".join(b"%x='>'" % at for at in range(1_900)),
    "marks": b"".join(b"<b a%d>" % at for at in range(HALF)) + b"<p>x" * HALF,
    "links": b"<a>" * HALF + b"<div>" * HALF,
    "options": b"<select>" + b"<option>" * (FEW_TAGS - 1),
}


@pytest.mark.parametrize("marks", BUSY)
async def test_an_answer_of_few_marks_takes_no_time_whatever_they_are(marks: str) -> None:
    page = Page(url="https://a.example/", headers={"content-type": "text/html"}, body=BUSY[marks])
    with processor_time_below(0.5), suppress(Asked, WebParseError):
        await read(load("ddg_html"), page, asked_page=1, sandbox=Refusing())


@pytest.mark.parametrize(
    ("engine_id", "name"),
    [("ddg_html", "ddg_html/html_large.html"), ("bing_html", "bing/results.html")],
)
async def test_ordinary_pages_are_read_in_place(engine_id: str, name: str) -> None:
    page = Page(url="https://a.example/", body=stored(name))
    assert (await read(load(engine_id), page, asked_page=1, sandbox=Refusing())).hits


def test_the_beginning_of_a_page_is_what_can_be_parsed_in_place() -> None:
    page = Page(url="https://a.example/", body=b"<p>tea</p>" * 100_000)
    assert beginning(page).body == page.body[:LARGE_BYTES]
    deep = structs.replace(page, body=b"<ul><li>" * 100_000)
    assert beginning(deep).body == b""


async def test_a_large_answer_is_read_elsewhere_and_gives_the_same(sandbox: Sandbox) -> None:
    searxng = load("searxng")
    page = answer(*(result(number, "<b>green</b> tea" * 10) for number in range(900)))
    with pytest.raises(Asked):
        await read(searxng, page, asked_page=1, sandbox=Refusing())
    there = await read(searxng, page, asked_page=1, sandbox=sandbox)
    assert there.hits == list(searxng.parse(page))


async def test_a_long_answer_in_json_without_tags_is_read_in_place() -> None:
    page = answer(
        *(result(number, "tea &amp; <milk" if number < 3 else "tea " * 9) for number in range(900))
    )
    assert len(page.body) > LARGE_BYTES
    found = await read(load("searxng"), page, asked_page=1, sandbox=Refusing())
    assert [hit.snippet for hit in found.hits[:4]] == ["tea &"] * 3 + ["tea " * 8 + "tea"]
    assert len(found.hits) == 900


LONG = LARGE_JSON_BYTES - 1_000
# What would take a parser of HTML long, were it given to one in place.
HEAVY = {
    "entities": answer(result(1, "&amp" * (LONG // 4))).body,
    "escaped entities": answer(result(1, "_" * LONG)).body.replace(b"_" * 6, rb"\u0026"),
    "escaped tags": answer(result(1, "_" * LONG)).body.replace(b"_" * 6, rb"\u003c"),
    "attributes": b"<a " + b" ".join(b"%x" % at for at in range(80_000)),
    "more than is light": answer(result(1, "x" * LARGE_JSON_BYTES)).body,
}


@pytest.mark.parametrize("name", HEAVY)
async def test_a_long_answer_that_is_not_light_is_read_elsewhere(name: str) -> None:
    page = Page(url="https://searx.example/search", body=HEAVY[name])
    with pytest.raises(Asked):
        await read(load("searxng"), page, asked_page=1, sandbox=Refusing())


async def test_no_more_hits_are_read_than_are_wanted(sandbox: Sandbox) -> None:
    for content in ("tea", "<b>green</b> tea" * 10):
        page = answer(*(result(number, content) for number in range(900)))
        found = await read(load("searxng"), page, asked_page=1, sandbox=sandbox, most=7)
        assert [hit.url for hit in found.hits] == [result(n)["url"] for n in range(7)]


async def test_what_an_engine_found_is_bounded(sandbox: Sandbox) -> None:
    page = answer(*(result(number) for number in range(3_000)))
    found = await read(load("searxng"), page, asked_page=1, sandbox=sandbox)
    assert len(found.hits) == 1_000


async def test_an_answer_that_takes_too_long_is_an_error_with_its_page() -> None:
    sandbox = Sandbox(Allowance(seconds=0.2))
    page = Page(url="https://a.example/", body=b"<ul><li>" * 100_000)
    with pytest.raises(WebParseError) as caught:
        await read(load("mojeek"), page, asked_page=1, sandbox=sandbox)
    assert caught.value.detail_code == "too_complex"
    assert caught.value.page == page
    await sandbox.close()


async def test_errors_of_a_large_answer_are_those_of_a_small_one(sandbox: Sandbox) -> None:
    failures = [["tea\x1b[31m", "x" * 200_000]]
    page = answer(unresponsive_engines=failures, padding="x" * LARGE_BYTES)
    with pytest.raises(Exception, match="could not search") as caught:
        await read(load("searxng"), page, asked_page=1, sandbox=sandbox)
    error: Any = caught.value
    assert (error.error_code, error.detail_code) == ("BadGateway", "engines_failed")
    assert (error.engine, error.page) == ("searxng", page)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 1_000


async def test_an_engine_of_another_package_is_read_elsewhere_too(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("an_engine_of_nobody")
    engine = structs.replace(load("searxng"), id="own", request=_request, parse=_parse)
    module.ENGINE = engine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, _request.__module__, module)
    with pytest.raises(Asked, match="read_of"):
        await read(engine, answer(padding="<" * LARGE_BYTES), asked_page=1, sandbox=Refusing())


async def test_an_engine_that_was_made_in_place_is_read_here(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)
    engine: Engine = structs.replace(load("searxng"), id="own")
    page = answer(*(result(number) for number in range(900)))
    found = await read(engine, page, asked_page=1, sandbox=Refusing())
    assert len(found.hits) == 900


def _request(*_: Any) -> Any:
    raise NotImplementedError


def _parse(_: Page) -> list[Hit]:
    return []
