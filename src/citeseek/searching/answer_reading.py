"""Reads an engine's answer where that holds nobody up: in place, or in the sandbox.

Most answers are small and shallow, and read in a millisecond. What is larger, or of a shape for
which a parser needs more than its length says, is read in a process that can be ended.
"""

from __future__ import annotations

import asyncio
import importlib
import re
import sys

import msgspec
from msgspec import structs

from citeseek.engine import Engine
from citeseek.errors import SearchFailed, WebParseError
from citeseek.models import MAX_HITS, Beside, Hit, Page
from citeseek.parsing import bounds
from citeseek.parsing.charset import utf8
from citeseek.query import Category
from citeseek.sandbox import Sandbox
from citeseek.searching import judge

# The worst of this length takes a parser 10 ms.
SMALL_BYTES = 8_000
# The worst of this length that is shallow takes 20 ms to look at and 20 ms to parse.
LARGE_BYTES = 64_000
SHALLOW_WORK = 500_000
# So few take a parser 20 ms at worst, whatever their order: each attribute is compared with all of
# its tag before it, and each mark that was left open is opened again in each paragraph.
FEW_TAGS = 1_500
FEW_ATTRIBUTES = 4_000
# JSON of this length takes 10 ms, and its texts no more than so when they hold few entities and
# hardly a tag, of which each may take 3 ms.
LARGE_JSON_BYTES = 512_000
FEW_ENTITIES = 4_000
FEW_TEXTS_WITH_TAGS = 4
# What is longer than this is not shown either.
MAX_NAMES = 50
TITLE_CHARS = 10_000
TEXT_CHARS = 100_000
SHORT_CHARS = 200


_NO_MARKS = bytes(set(range(256)).difference(b"</\"'"))
# A tag or an entity in JSON that is written in numbers.
_ESCAPED_MARK = re.compile(rb"\\u00(?:3[cC]|26)")


class ParsedAnswer(msgspec.Struct, frozen=True):
    """The hits of an answer, the filters that it says it did not apply, what it says beside."""

    hits: list[Hit]
    left_out: tuple[str, ...] = ()
    beside: Beside = Beside()


async def read(
    engine: Engine,
    page: Page,
    *,
    asked_page: int,
    sandbox: Sandbox,
    category: Category = "web",
    most: int = MAX_HITS,
) -> ParsedAnswer:
    """Return what ``page`` holds, as :func:`citeseek.searching.judge.read` does: ``most`` hits.

    Raise WebParseError (``too_complex``) as well, for an answer that takes too much to be read.
    """
    if _is_light(page) or (engine.is_api(category) and _is_light_json(page.body)):
        return _read(engine, page, asked_page, category, most)
    module = _module(engine)
    if module is None:
        # An engine that was made elsewhere is known in this process alone.
        return await asyncio.to_thread(_read, engine, page, asked_page, category, most)
    try:
        return await sandbox.run(
            read_of, module=module, page=page, asked_page=asked_page, category=category, most=most
        )
    except SearchFailed as error:
        error.page = error.page or page
        raise


def read_of(
    module: str, page: Page, asked_page: int, category: Category = "web", most: int = MAX_HITS
) -> ParsedAnswer:
    """Return what ``page`` holds for the ENGINE of ``module``."""
    return _read(importlib.import_module(module).ENGINE, page, asked_page, category, most)


def beginning(page: Page) -> Page:
    """Return the beginning of ``page``, to be looked at in place; empty where that takes long."""
    part = structs.replace(page, body=page.body[:LARGE_BYTES])
    return part if _is_light(part) else structs.replace(page, body=b"")


def _read(
    engine: Engine, page: Page, asked_page: int, category: Category, most: int
) -> ParsedAnswer:
    hits = judge.read(engine, page, asked_page=asked_page, category=category, most=most)
    left_out = engine.notices(page) if engine.notices else ()
    beside = engine.beside(page) if engine.beside else Beside()
    return ParsedAnswer([_cut(hit) for hit in hits], left_out, _cut_beside(beside))


def _is_light(page: Page) -> bool:
    if len(page.body) <= SMALL_BYTES:
        return True
    if len(page.body) > LARGE_BYTES:
        return False
    if _has_few_marks(page.body):
        return True
    try:
        bounds.check(utf8(page), max_work=SHALLOW_WORK)
    except WebParseError:
        return False
    return True


def _has_few_marks(body: bytes) -> bool:
    """Return whether tags and attributes are few, by what stands before each in any charset."""
    marks = body.translate(None, _NO_MARKS)
    if marks.count(b"<") > FEW_TAGS:
        return False
    quoted = (marks.count(b'"') + marks.count(b"'")) // 2
    return len(body.split()) + marks.count(b"/") + quoted <= FEW_ATTRIBUTES


def _is_light_json(body: bytes) -> bool:
    """Return whether ``body`` is JSON whose texts take no parser of HTML long."""
    if len(body) > LARGE_JSON_BYTES or (b"\\" in body and _ESCAPED_MARK.search(body)):
        return False
    if b"&" in body and body.count(b"&") > FEW_ENTITIES:
        return False
    if b"<" not in body:
        return True
    if body.count(b"<") > FEW_TEXTS_WITH_TAGS:
        return False
    try:
        # What is no JSON is looked at as a page, in which every word may be an attribute.
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _module(engine: Engine) -> str | None:
    """Return the module whose ENGINE is ``engine``, None when there is none to be imported."""
    for name in (engine.request.__module__, engine.parse.__module__):
        if name != "__main__" and getattr(sys.modules.get(name), "ENGINE", None) is engine:
            return name
    return None


def _cut_beside(beside: Beside) -> Beside:
    def short(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text[:SHORT_CHARS] for text in texts[:MAX_NAMES])

    return Beside(
        suggestions=short(beside.suggestions),
        corrections=short(beside.corrections),
        answers=tuple(
            structs.replace(answer, text=answer.text[:TITLE_CHARS])
            for answer in beside.answers[:MAX_NAMES]
        ),
    )


def _cut(hit: Hit) -> Hit:
    if _is_short(hit):
        return hit
    return structs.replace(
        hit,
        title=hit.title[:TITLE_CHARS],
        snippet=hit.snippet[:TEXT_CHARS],
        published_at=hit.published_at and hit.published_at[:SHORT_CHARS],
        site_name=hit.site_name and hit.site_name[:SHORT_CHARS],
        engines=tuple(name[:SHORT_CHARS] for name in hit.engines[:MAX_NAMES]),
        paper=hit.paper and structs.replace(hit.paper, authors=hit.paper.authors[:MAX_NAMES]),
        code=hit.code and structs.replace(hit.code, tags=hit.code.tags[:MAX_NAMES]),
    )


def _is_short(hit: Hit) -> bool:
    """Return whether nothing of ``hit`` has to be cut, as of nearly all."""
    return (
        len(hit.title) <= TITLE_CHARS
        and len(hit.snippet) <= TEXT_CHARS
        and len(hit.published_at or "") <= SHORT_CHARS
        and len(hit.site_name or "") <= SHORT_CHARS
        and len(hit.engines) <= MAX_NAMES
        and max(map(len, hit.engines), default=0) <= SHORT_CHARS
        and not (hit.paper or hit.code)
    )
