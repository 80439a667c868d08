"""Commands in the chat: which messages are one, what they change and what they answer."""

from __future__ import annotations

import pytest

from citeseek.assistant.commands import Command, answer, apply, parse
from citeseek.assistant.events import Notice
from citeseek.conversations.conversation_record import Record, new_record
from citeseek.conversations.switches import Mode, view_reading, view_search
from citeseek.i18n import catalogue

HELP = catalogue("zh")("command.help")
IN_AGENT_MODE = "Agent 模式下由 AI 自动决策搜索"


def given(
    message: str, record: Record, *, engine: str = "SearXNG", has_tool: bool = True
) -> Notice:
    command = parse(message)
    assert command is not None
    apply(command, record)
    switch = view_search(record.mode, record.switch, engines=(engine,), has_tool=has_tool)
    read = view_reading(record.mode, on=bool(record.read))
    return answer(command, record.mode, switch, read)


@pytest.fixture
def record() -> Record:
    return new_record()


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("/search on", Command("search", "on")),
        ("/search off", Command("search", "off")),
        ("/search", Command("search")),
        ("/mode chat", Command("mode", "chat")),
        ("/mode agent", Command("mode", "agent")),
        ("/mode", Command("mode")),
        ("/reset", Command("reset")),
        ("/help", Command("help")),
        ("  /Search\t ON \n", Command("search", "on")),
        ("／ｓｅａｒｃｈ　ｏｆｆ", Command("search", "off")),
        ("\u3000／MODE　Agent\u3000", Command("mode", "agent")),
        ("/search 开启", Command("search", "on")),
        ("/search 关闭", Command("search", "off")),
        ("/read on", Command("read", "on")),
        ("/read 关闭", Command("read", "off")),
        ("/read", Command("read")),
        ("/gate hold", Command("gate", "hold")),
        ("/gate 关闭", Command("gate", "off")),
        ("/gate shut", Command("gate", wrong="/gate shut")),
    ],
)
@pytest.mark.requirement("S1-3")
def test_what_is_a_command(message: str, command: Command) -> None:
    assert parse(message) == command


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("/search maybe", "search"),
        ("/search 今天的天气", "search"),
        ("/search on please", "search"),
        ("/mode research", "mode"),
        ("/reset everything", "reset"),
        ("/help me", "help"),
        ("/srch on", "help"),
        ("/modes", "help"),
        ("/web-search off", "help"),
        ("／ｑｕｉｔ", "help"),
    ],
)
def test_what_is_not_understood_is_answered_with_help(
    message: str, name: str, record: Record
) -> None:
    command = parse(message)
    assert command is not None
    assert (command.name, command.wrong) == (name, message)
    outcome = given(message, record)
    assert message in outcome.text
    assert HELP in outcome.text
    assert not command.begins_anew
    assert (record.mode, record.switch) == ("chat", None)


@pytest.mark.parametrize(
    "message",
    [
        "",
        " ",
        "tea",
        "what does /search on do?",
        "search on",
        "/",
        "／",
        "/ search on",
        "//search on",
        "/usr/bin",
        "/etc/hosts is what?",
        "/root 满了",
        "/root is full",
        "/root full?",
        "/dev/null",
        "/3 of what",
        "/search-engine ranking explained",
        "/[a-z]+/ is a pattern",
        "/search/on",
        "/搜索 开启",
        "\\search on",
        "/a\u0000b",
    ],
)
def test_an_ordinary_message_stays_one(message: str) -> None:
    assert parse(message) is None


def test_what_was_typed_is_shown_short_and_without_controls(record: Record) -> None:
    outcome = given("/search \x1b[2J\u202e" + "x" * 1000, record)
    first = outcome.text.splitlines()[0]
    assert len(first) < 100
    assert "\x1b" not in outcome.text
    assert "\u202e" not in outcome.text


@pytest.mark.parametrize(
    ("message", "state"),
    [("/search on", "开启"), ("/search off", "关闭")],
)
@pytest.mark.requirement("S1-2", "S1-3")
def test_a_command_moves_the_switch_and_says_so(message: str, state: str, record: Record) -> None:
    moved = given(message, record)
    shown = view_search(record.mode, record.switch)
    assert shown.state == state
    assert moved.text == given("/search", record).text
    assert moved.text.startswith(f"联网搜索：{state}")


@pytest.mark.requirement("S1-3")
def test_the_report_follows_the_switch_of_the_page(record: Record) -> None:
    assert "关闭" in given("/search", record).text
    record.switch = True
    assert "开启" in given("/search", record).text
    record.switch = False
    assert "关闭" in given("/search", record).text


@pytest.mark.parametrize("saved", [None, False, True])
@pytest.mark.parametrize("message", ["/search on", "/search off"])
@pytest.mark.requirement("S1-6", "S1-7")
def test_in_agent_mode_the_switch_cannot_be_moved(
    message: str,
    saved: bool | None,  # noqa: FBT001
) -> None:
    record = Record(id="a", created_at=0, mode="agent", switch=saved)
    assert given(message, record).text == "Agent 模式下由 AI 自动决策搜索"
    assert (record.mode, record.switch) == ("agent", saved)


@pytest.mark.requirement("S1-6")
def test_in_agent_mode_the_report_says_disabled() -> None:
    text = given("/search", new_record(mode="agent")).text
    assert "禁用" in text
    assert IN_AGENT_MODE in text


def test_an_agent_that_may_not_search_is_not_said_to_decide() -> None:
    record = new_record(mode="agent")
    assert given("/search on", record, has_tool=False).text == "Agent 模式：此 Agent 未启用联网搜索"


@pytest.mark.requirement("P24")
def test_confirmations_name_the_engine_in_use(record: Record) -> None:
    assert "Mojeek" in given("/search on", record, engine="Mojeek").text


@pytest.mark.parametrize(
    ("mode", "switch", "state"),
    [("agent", True, "禁用"), ("chat", True, "开启"), ("chat", None, "关闭")],
)
@pytest.mark.requirement("S1-8", "S1-10")
def test_a_change_of_the_mode_names_mode_and_switch(
    mode: Mode,
    switch: bool | None,  # noqa: FBT001
    state: str,
) -> None:
    record = Record(id="a", created_at=0, switch=switch)
    text = given(f"/mode {mode}", record).text
    assert record.mode == mode
    assert f"当前模式：{mode.capitalize()}" in text
    assert f"联网搜索：{state}" in text
    assert text == given("/mode", record).text


def test_a_reset_is_the_callers_to_carry_out(record: Record) -> None:
    record.switch, record.title = True, "tea"
    command = parse("/reset")
    assert command is not None
    assert command.begins_anew
    assert (record.switch, record.mode, record.title) == (True, "chat", "tea")


def test_help_names_every_command(record: Record) -> None:
    text = given("/help", record).text
    for message in ("/search on", "/search off", "/mode chat", "/mode agent", "/reset", "/help"):
        assert message in text


def test_reading_is_turned_on_off_and_shown(record: Record) -> None:
    assert "精读：关闭" in given("/read", record).text
    assert "精读：开启" in given("/read on", record).text
    assert record.read is True
    assert "精读：开启" in given("/read", record).text
    assert "精读：关闭" in given("/read off", record).text
    assert record.read is False
    assert given("/read please", record).text.endswith(HELP)


def test_in_agent_mode_the_agent_decides_what_to_read(record: Record) -> None:
    given("/read on", record)
    given("/mode agent", record)
    assert given("/read off", record).text == "Agent 模式下由 AI 自动决策读取"
    assert "精读：禁用" in given("/read", record).text
    assert record.read is True
