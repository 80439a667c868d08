"""The English page says nothing in Chinese of commands, of the search service, and of failures."""

from __future__ import annotations

from itertools import chain

import pytest
from tests.health.test_findings import WAYS, told

from citeseek.assistant.commands import answer, apply, parse
from citeseek.assistant.search_switch import view
from citeseek.assistant.session import new_record
from citeseek.catalogue import catalogue
from citeseek.guard.target import refused
from citeseek.surfaces.page.wording import HAN, Wording, english

ENGLISH, CHINESE = (Wording(catalogue(lang), {}) for lang in ("en", "zh"))
# Beside the values of others, and a list that reads the same in both.
KEPT = ("模型 <model>：<problem>", "  # 或 (or) zh-CN, zh, en")


@pytest.mark.parametrize(
    ("both", "own"),
    [
        (
            "JSON 搜索正常：4 条结果 (a search for JSON found 4 results)。",
            "a search for JSON found 4 results.",
        ),
        ("连不上 x (it cannot be reached)：no (way)", "it cannot be reached: no (way)"),
        (
            "ls  # 启动它 (start it)；用 Docker 时 (with Docker): up",
            "ls  # start it; with Docker: up",
        ),
        (
            "连不上 x (it cannot be reached)：No connection to x, or it was cut (网络连接失败)。",
            "it cannot be reached: No connection to x, or it was cut.",
        ),
        ("# 写这一行 (write this)\n  limiter: false", "# write this\n  limiter: false"),
        (
            "所有都失败 (all failed)：google (timeout)、bing (denied)。",
            "all failed: google (timeout), bing (denied).",
        ),
        (refused("it is loopback").message, "The address is not fetched: it is loopback."),
        ("只有中文。", "只有中文。"),
        ("tea (green)", "tea (green)"),
    ],
)
def test_what_is_english_is_found(both: str, own: str) -> None:
    assert english(both) == own


def test_every_finding_is_english_on_an_english_page_and_whole_on_a_chinese_one() -> None:
    for finding in chain.from_iterable(map(told, WAYS)):
        shown = [ENGLISH.finding(finding.seen), ENGLISH.finding(finding.why)]
        for line in "\n".join([*shown, *map(ENGLISH.repair, finding.blocks)]).split("\n"):
            assert not HAN.search(line) or line.endswith(KEPT), finding.code
        assert CHINESE.finding(finding.seen) == finding.seen
        assert list(map(CHINESE.repair, finding.blocks)) == list(finding.blocks)


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
    notice = answer(command, record.mode, view(record.mode, record.switch))
    shown = ENGLISH.notice(notice)
    assert shown.startswith(start)
    assert not HAN.search(shown)
    assert CHINESE.notice(notice) == notice.text
