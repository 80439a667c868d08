"""The search switch: what it shows in each mode, and that a change of the mode loses nothing."""

from __future__ import annotations

import pytest

from citeseek.assistant import commands
from citeseek.assistant.notices import no_engine
from citeseek.conversations.conversation_record import Record, new_record
from citeseek.conversations.switches import Mode, Switch, view_search
from citeseek.i18n import catalogue


def told(record: Record, *messages: str) -> Switch:
    """Give the commands and return what the switch shows then."""
    for message in messages:
        command = commands.parse(message)
        assert command is not None
        commands.apply(command, record)
    return view_search(record.mode, record.switch)


@pytest.mark.parametrize(
    ("mode", "saved", "value", "disabled", "state"),
    [
        ("chat", None, False, False, "关闭"),
        ("chat", False, False, False, "关闭"),
        ("chat", True, True, False, "开启"),
        ("agent", None, False, True, "禁用"),
        ("agent", False, False, True, "禁用"),
        ("agent", True, False, True, "禁用"),
    ],
)
@pytest.mark.requirement("S1-1", "S1-2", "S1-5")
def test_what_the_switch_shows(
    mode: Mode,
    saved: bool | None,  # noqa: FBT001
    *,
    value: bool,
    disabled: bool,
    state: str,
) -> None:
    shown = view_search(mode, saved)
    assert (shown.value, shown.disabled, shown.state) == (value, disabled, state)


@pytest.mark.requirement("S1-7")
def test_the_note_of_agent_mode_is_exact() -> None:
    assert view_search("agent", None).hint == "Agent 模式下由 AI 自动决策搜索"


@pytest.mark.requirement("S1-114")
def test_the_description_is_exact() -> None:
    assert view_search("chat", None).hint == "启用后将使用SearXNG搜索实时信息"


@pytest.mark.parametrize("saved", [None, False, True])
@pytest.mark.requirement("P24")
def test_the_description_names_the_engine_in_use(saved: bool | None) -> None:  # noqa: FBT001
    assert view_search("chat", saved, engines=("Mojeek",)).hint == "启用后将使用Mojeek搜索实时信息"


@pytest.mark.parametrize(
    ("lang", "named"), [("zh", "Mojeek、Brave"), ("ja", "Mojeek、Brave"), ("en", "Mojeek, Brave")]
)
def test_several_engines_are_listed_as_the_language_does(lang: str, named: str) -> None:
    say = catalogue(lang)
    assert named in view_search("chat", None, engines=("Mojeek", "Brave")).hint_in(say)
    assert named in no_engine(["Mojeek", "Brave"]).sentence(say)


def test_an_agent_that_may_not_search_says_so() -> None:
    shown = view_search("agent", None, has_tool=False)
    assert (shown.hint, shown.disabled) == ("Agent 模式：此 Agent 未启用联网搜索", True)


@pytest.mark.parametrize("trips", [1, 2, 5])
@pytest.mark.parametrize(
    ("before", "state"), [((), "关闭"), (("/search on",), "开启"), (("/search off",), "关闭")]
)
@pytest.mark.requirement("S1-8", "S1-9", "S1-11")
def test_the_state_survives_round_trips(before: tuple[str, ...], state: str, trips: int) -> None:
    record = new_record()
    assert told(record, *before).state == state
    for _ in range(trips):
        assert told(record, "/mode agent").disabled
        back = told(record, "/mode chat")
        assert (back.state, back.disabled) == (state, False)


@pytest.mark.requirement("S1-9")
def test_a_session_begun_in_agent_mode_comes_to_chat_with_search_off() -> None:
    record = new_record(mode="agent")
    assert told(record).state == "禁用"
    assert told(record, "/mode chat").state == "关闭"


@pytest.mark.requirement("S1-10", "S1-11")
def test_the_latest_choice_is_the_one_that_is_kept() -> None:
    record = new_record()
    assert told(record, "/search on", "/mode agent").disabled
    assert told(record, "/mode agent", "/mode chat").state == "开启"
    assert told(record, "/search off", "/mode agent", "/mode chat").state == "关闭"
    assert told(record, "/search on", "/mode chat", "/mode agent", "/mode chat").state == "开启"
