"""Commands in the chat: ``/search on``, ``/mode agent``, ``/reset``, ``/help``.

A message is a command when its first word is one of these four, whatever follows, or when it is
nothing but an unknown ``/word`` with at most one word after it, both of Latin letters. So a slip
(``/modes agent``) is answered with help, while ``/usr/bin``, ``/etc/hosts is what?`` and
``/tmp 满了`` go to the model. Case, white space and full-width characters do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

import msgspec

from citeseek.assistant.search_switch import DISABLED, LABEL, OFF, ON, Mode, Switch, view
from citeseek.assistant.session import Record
from citeseek.text import plain_line, shorten

Name: TypeAlias = Literal["search", "mode", "reset", "help"]

# What each command may be followed by, and what that means.
_ARGUMENTS: dict[Name, dict[str, str]] = {
    "search": {"": "", "on": "on", "off": "off", ON: "on", OFF: "off"},
    "mode": {"": "", "chat": "chat", "agent": "agent"},
    "reset": {"": ""},
    "help": {"": ""},
}
HELP = """\
可用命令 (commands)：
/search on · /search off · /search — 开启、关闭、查看联网搜索 (web search: on, off, show)
/mode chat · /mode agent · /mode — 切换、查看模式 (mode: change, show)
/reset — 清空对话，引用编号从 1 开始 (begin anew)
/help — 显示本帮助 (this help)"""

_UNKNOWN = re.compile(r"/[a-z]+(?:[-_][a-z]+)*(?: [a-z]+)?")
_MAX_SHOWN = 60  # characters of a message that was not understood
_MODES: dict[str, Mode] = {"chat": "chat", "agent": "agent"}
_ENGLISH = {ON: "on", OFF: "off", DISABLED: "disabled"}


class Command(msgspec.Struct, frozen=True):
    """What was commanded. ``wrong`` is the message when it was not understood, as it was typed.

    ``argument`` is ``on`` or ``off``, ``chat`` or ``agent``; without one, a command reports.
    """

    name: Name
    argument: str = ""
    wrong: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a command led to: the ``text`` to show, and whether the conversation begins anew.

    The text may repeat what was typed: it is plain text, no Markdown.
    """

    text: str
    reset: bool = False


def parse(message: str) -> Command | None:
    """Return the command in ``message``, None for an ordinary message."""
    if not message.lstrip().startswith(("/", "／")):
        return None
    words = unicodedata.normalize("NFKC", message).lower().split()
    wrong = shorten(plain_line(message), _MAX_SHOWN)
    for name, arguments in _ARGUMENTS.items():
        if words[0] == f"/{name}":
            argument = arguments.get(" ".join(words[1:]))
            return Command(name, wrong=wrong) if argument is None else Command(name, argument)
    return Command("help", wrong=wrong) if _UNKNOWN.fullmatch(" ".join(words)) else None


def apply(
    command: Command, record: Record, *, engine: str = "SearXNG", has_tool: bool = True
) -> Outcome:
    """Carry out ``command`` on the mode and the switch of ``record``; a reset is the caller's.

    ``engine`` is the label of the engine that Chat mode asks; without ``has_tool`` the agent may
    not search. In Agent mode ``/search on`` and ``/search off`` change nothing.
    """
    if command.name == "mode":
        record.mode = _MODES.get(command.argument, record.mode)
    if command.name == "search" and command.argument and record.mode == "chat":
        record.switch = command.argument == "on"
    switch = view(record.mode, record.switch, engine=engine, has_tool=has_tool)
    if command.wrong:
        text = f"无法理解的命令 (not understood)：{command.wrong}\n{HELP}"
    elif command.name == "help":
        text = f"{HELP}\n{_told(switch)}"
    elif command.name == "reset":
        text = "对话已清空，引用编号从 1 开始。 (The conversation begins anew.)"
    elif command.name == "mode":
        name = record.mode.capitalize()
        text = f"当前模式：{name}。 (Mode: {name}.)\n{_told(switch)}"
    elif command.argument and switch.disabled:
        text = switch.hint
    else:
        text = _told(switch)
    return Outcome(text=text, reset=command.name == "reset" and not command.wrong)


def values(command: Command, mode: Mode, switch: Switch) -> dict[str, str]:
    """Return what the answer to a command says, for who translates it."""
    return {
        "command": command.name,
        "argument": command.argument,
        "wrong": command.wrong,
        "mode": mode,
        "state": _ENGLISH[switch.state],
        "hint": switch.hint,
    }


def _told(switch: Switch) -> str:
    """Return the switch in a sentence."""
    english = f"(Web search: {_ENGLISH[switch.state]}.)"
    return f"{LABEL}：{switch.state}（{switch.hint}）。 {english}"
