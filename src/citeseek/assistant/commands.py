"""Commands in the chat: ``/search``, ``/read``, ``/gate``, ``/mode``, ``/reset``, ``/help``.

A message is a command when its first word is one of these six, whatever follows, or when it is
nothing but an unknown ``/word`` with at most one word after it, both of Latin letters. So a slip
(``/modes agent``) is answered with help, while ``/usr/bin``, ``/etc/hosts is what?`` and
``/tmp 满了`` go to the model. Case, white space and full-width characters do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

import msgspec

from citeseek.assistant.events import Notice
from citeseek.conversations.conversation_record import Record
from citeseek.conversations.notice import list_engines
from citeseek.conversations.switches import Mode, ReadSwitch, Switch
from citeseek.settings.assistant_settings import GATES, Gate
from citeseek.text import plain_line, shorten

Name: TypeAlias = Literal["search", "read", "gate", "mode", "reset", "help"]

# What each command may be followed by, and what that means.
_ARGUMENTS: dict[Name, dict[str, str]] = {
    "search": {"": "", "on": "on", "off": "off", "开启": "on", "关闭": "off"},
    "read": {"": "", "on": "on", "off": "off", "开启": "on", "关闭": "off"},
    "gate": {"": "", "off": "off", "mark": "mark", "hold": "hold", "关闭": "off"},
    "mode": {"": "", "chat": "chat", "agent": "agent"},
    "reset": {"": ""},
    "help": {"": ""},
}
_UNKNOWN = re.compile(r"/[a-z]+(?:[-_][a-z]+)*(?: [a-z]+)?")
_MAX_SHOWN = 60  # characters of a message that was not understood
_MODES: dict[str, Mode] = {"chat": "chat", "agent": "agent"}
_GATES: dict[str, Gate] = {gate: gate for gate in GATES}


class Command(msgspec.Struct, frozen=True):
    """What was commanded. ``wrong`` is the message when it was not understood, as it was typed.

    ``argument`` is ``on`` or ``off``, a mode or a gate; without one, a command reports.
    """

    name: Name
    argument: str = ""
    wrong: str = ""

    @property
    def begins_anew(self) -> bool:
        """Whether it ends what was said so far."""
        return self.name == "reset" and not self.wrong


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


def apply(command: Command, record: Record) -> None:
    """Carry out ``command`` on the mode and the switches of ``record``; a reset is the caller's.

    In Agent mode no switch can be moved.
    """
    if command.name == "mode":
        record.mode = _MODES.get(command.argument, record.mode)
    if command.name == "gate":
        record.gate = _GATES.get(command.argument, record.gate)
    if command.name == "search" and command.argument and record.mode == "chat":
        record.switch = command.argument == "on"
    if command.name == "read" and command.argument and record.mode == "chat":
        record.read = command.argument == "on"


def answer(
    command: Command, mode: Mode, switch: Switch, read: ReadSwitch, gate: Gate = GATES[0]
) -> Notice:
    """Return the answer to a command that was carried out: what was commanded, and what is now.

    It may repeat what was typed: it is plain text, no Markdown.
    """
    values = {
        "command": command.name,
        "argument": command.argument,
        "wrong": command.wrong,
        "mode": mode,
        "state": switch.code,
        "reason": switch.reason,
        "engines": list_engines(switch.engines),
        "read": read.code,
        "read_reason": read.reason,
        **({"gate": gate} if command.name == "gate" else {}),
    }
    return Notice(code="command", values=values)
