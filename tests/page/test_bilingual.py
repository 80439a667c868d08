"""The English page says nothing in Chinese of commands, of the search service, and of failures."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from tests.health.test_findings import WAYS, told

from citeseek.assistant.commands import answer, apply, parse
from citeseek.conversations.conversation_record import new_record
from citeseek.conversations.switches import view_reading, view_search
from citeseek.guard.target import refusal
from citeseek.i18n import catalogue
from citeseek.models import Failure
from citeseek.surfaces.page.views import ReadView
from citeseek.surfaces.page.wording import Wording

ENGLISH, CHINESE = (Wording(catalogue(lang), {}) for lang in ("en", "zh"))
HAN = re.compile("[\u4e00-\u9fff]")
FAILURE = Failure.of(refusal("it leads to an address that is loopback", "not_public"))


def test_every_finding_is_english_on_an_english_page_and_whole_on_a_chinese_one() -> None:
    for finding in chain.from_iterable(map(told, WAYS)):
        text = ENGLISH.finding(finding)
        assert not HAN.search("".join([text.seen, text.why, *text.blocks])), finding.code
        assert CHINESE.finding(finding) == finding.text()


def test_each_page_says_in_its_language_why_nothing_was_read() -> None:
    read = ReadView(call=1, url="https://a.example", state="failed", failure=FAILURE)
    assert FAILURE.message in ENGLISH.reading(read)
    assert not HAN.search(ENGLISH.reading(read))
    assert "地址不允许访问：它通向的不是公开的地址。" in CHINESE.reading(read)
    assert FAILURE.message not in CHINESE.reading(read)


@pytest.mark.parametrize(
    ("message", "mode", "start"),
    [
        ("/help", "chat", "Commands:\n/search on · /search off"),
        ("/modes", "chat", "Not understood: /modes\nCommands:"),
        ("/search on", "chat", "Web search: On (Search the web with SearXNG"),
        ("/search on", "agent", "In Agent mode the AI decides when to search"),
        ("/mode agent", "chat", "Mode: Agent.\nWeb search: Disabled (In Agent mode"),
        ("/reset", "chat", "The conversation begins anew"),
    ],
)
def test_commands_are_answered_in_english(message: str, mode: str, start: str) -> None:
    record, command = new_record(), parse(message)
    record.mode = "agent" if mode == "agent" else "chat"
    assert command is not None
    apply(command, record)
    notice = answer(
        command,
        record.mode,
        view_search(record.mode, record.switch),
        view_reading(record.mode, on=bool(record.read)),
    )
    shown = ENGLISH.notice(notice)
    assert shown.startswith(start)
    assert not HAN.search(shown)
    assert CHINESE.notice(notice) == notice.text
