"""Nothing reads a sentence back: with nonsense in every catalogue, nothing changes but text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from tests.assistant.agent_runs import results
from tests.health.test_findings import WAYS, told
from tests.loopback import Reply
from tests.page.page_talk import Talk, html, live, talking

import citeseek.i18n
from citeseek.assistant.events import (
    Done,
    Notice,
    ReadBroken,
    SearchBroken,
    SearchStarted,
    State,
    Token,
)
from citeseek.citations import Source, linked_numbers
from citeseek.i18n import catalogue, languages
from citeseek.models import Failure
from citeseek.surfaces.cli.doctor import _print
from citeseek.surfaces.cli.live import Live
from citeseek.surfaces.rest.shapes import show_event

WORD = "zork"
# What people see or hear, and nobody else.
OF_TEXT = {"aria-label", "title", "placeholder", "value", "alt"}
OF_ONE_RUN = {"id", "href", "data-turn", "aria-controls", "aria-labelledby", "aria-describedby"}


@contextmanager
def nonsense() -> Iterator[None]:
    """Put nonsense into every sentence; names in braces and line ends stay."""
    real = citeseek.i18n._texts

    def texts(lang: str) -> Mapping[str, str]:
        return {
            key: text if key == "lang" else re.sub(r"[^{}\n]+(?![^{]*\})", WORD, text)
            for key, text in real(lang).items()
        }

    catalogue.cache_clear()
    citeseek.i18n._texts = texts
    try:
        yield
    finally:
        citeseek.i18n._texts = real
        catalogue.cache_clear()


def skeleton(markup: str) -> list[tuple[str, dict[str, str | None]]]:
    """Return the elements with their attributes, without text and what is new in each run."""
    nodes: list[LexborNode] = LexborHTMLParser(markup).css("*")
    left_out = OF_TEXT | OF_ONE_RUN
    return [
        (node.tag or "", {k: v for k, v in node.attributes.items() if k not in left_out})
        for node in nodes
    ]


def wire(event: Any) -> Any:
    """Return an event as programs get it, without sentences and what is new in each run."""
    told = msgspec.to_builtins(show_event(event, catalogue("en")))
    if isinstance(event, State):
        for switch in ("switch", "read"):
            told[switch].pop("hint")
    if isinstance(event, Notice):
        told["text"] = told["hint"] = ""
        told["values"].pop("reason", None)
        told["values"].pop("address", None)
    for name in ("took_ms", "turn_id", "egress", "text", "answer", "sources", "source"):
        told.pop(name, None)
    return told


async def found(talk: Talk) -> list[str]:
    talk.model.says("Tea [1] is a plant [77].")
    return ["what is tea?"]


async def failed(talk: Talk) -> list[str]:
    talk.at.engine.on("/search", Reply(500, {}, "broken"))
    talk.model.says("Without.")
    return ["what is tea?"]


async def broken(talk: Talk) -> list[str]:
    talk.model.fails(500, "broken", always=True)
    return ["what is tea?"]


async def nothing(talk: Talk) -> list[str]:
    talk.at.replies["what is tea?"] = results("nothing", 0)
    talk.model.says("I know.")
    return ["what is tea?"]


async def commands(_: Talk) -> list[str]:
    chat = ["/help", "/search off", "/search", "/read on", "/read"]
    return [*chat, "/mode agent", "/search on", "/read off", "/modes", "/reset"]


async def seen(script: Any, lang: str) -> tuple[list[Any], list[Any], str]:
    """Return the events, the elements and the text of a conversation."""
    async with talking("chat") as talk:
        events, markup = [], ""
        for message in await script(talk):
            answer = await talk.say(message)
            events += map(wire, answer.events)
            markup += (
                html(live(answer), lang) if answer.events[0].__class__.__name__ == "Started" else ""
            )
            markup += "".join(
                f"<p>{event.sentence(catalogue(lang))}</p>"
                for event in answer.events
                if isinstance(event, Notice)
            )
        return events, skeleton(markup), LexborHTMLParser(markup).text()


@pytest.mark.sample(4)
@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("script", [found, failed, broken, nothing, commands])
async def test_with_nonsense_for_sentences_nothing_changes_but_text(script: Any, lang: str) -> None:
    usual = await seen(script, lang)
    with nonsense():
        strange = await seen(script, lang)
    assert strange[:2] == usual[:2]
    assert WORD in strange[2]
    assert WORD not in usual[2]


def doctor(lang: str, capsys: pytest.CaptureFixture[str]) -> tuple[list[Any], list[str], str]:
    """Return what programs and shells get of every finding, and what the command prints of it."""
    found = [finding for way in WAYS for finding in told(way)]
    texts = [finding.text(catalogue(lang)) for finding in found]
    codes = [(each.part, each.code, each.status, each.docs, bool(each.why)) for each in texts]
    # What a shell or a file takes of a repair: a remark stands behind its #.
    lines = [re.sub(r"(?m)(^| +)# .*$", "", line) for each in texts for line in each.repair]
    _print(found, catalogue(lang))
    return codes, lines, capsys.readouterr().out


@pytest.mark.release
@pytest.mark.parametrize("lang", languages())
def test_the_doctor_says_nonsense_and_mends_the_same(
    lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = doctor(lang, capsys)
    with nonsense():
        strange = doctor(lang, capsys)
    assert strange[:2] == usual[:2]
    assert WORD in strange[2]
    assert WORD not in usual[2]


def terminal(lang: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return how many lines the command line shows of a conversation, and its text."""
    live = Live(catalogue(lang))
    failure = Failure(type="Timeout", message="Too late.", retryable=True)
    link = "[[1]](https://a.example)"
    source = Source(1, "Tea", "https://a.example", "a.example")
    for event in (
        SearchStarted(call=1, query="tea"),
        SearchBroken(call=1, query="tea", failure=failure),
        ReadBroken(call=2, url="https://b.example", failure=failure),
        Notice(code="stopped"),
        Token(text=f"Tea {link}", spans=linked_numbers(link)),
        Done(text=f"Tea {link}", answer=f"Tea {link}", sources=(source,), cited=(1,)),
    ):
        live.show(event)
    shown = capsys.readouterr()
    return (shown.out + shown.err).count("\n"), shown.out + shown.err


@pytest.mark.parametrize("lang", languages())
def test_the_command_line_says_nonsense_in_the_same_places(
    lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = terminal(lang, capsys)
    with nonsense():
        strange = terminal(lang, capsys)
    assert WORD in strange[1]
    assert WORD not in usual[1]
    assert "https://a.example" in strange[1]
    assert strange[0] == usual[0]


def test_every_sentence_becomes_nonsense_there() -> None:
    with nonsense():
        for lang in languages():
            say = catalogue(lang)
            for key in say:
                bare = re.sub(r"\{\{.*?\}\}|\{\w+\}", "", say._texts[key])
                assert key == "lang" or not bare.replace(WORD, "").strip(), (lang, key)
