"""The switch for reading pages in Chat mode: what it shows in each mode."""

from __future__ import annotations

from typing import Literal

import msgspec

from citeseek.assistant.search_switch import Mode
from citeseek.catalogue import BOTH, Catalogue, catalogue

_HINTS = {"chat": "switch.read_hint", "agent": "switch.read_agent"}


class ReadSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """What the switch shows: whether it is on, and whether it can be moved.

    ``reason`` says why it is as it is: in ``chat`` it decides, an ``agent`` decides itself.
    """

    value: bool
    disabled: bool
    reason: Literal["chat", "agent"]

    @property
    def code(self) -> Literal["on", "off", "disabled"]:
        """The state."""
        if self.disabled:
            return "disabled"
        return "on" if self.value else "off"

    @property
    def state(self) -> str:
        """The state in words, in Chinese."""
        return self.state_in(catalogue(BOTH))

    @property
    def hint(self) -> str:
        """What the switch does, in Chinese."""
        return self.hint_in(catalogue(BOTH))

    def state_in(self, say: Catalogue) -> str:
        """Return the state in the words of ``say``."""
        return say(f"switch.{self.code}")

    def hint_in(self, say: Catalogue) -> str:
        """Return what the switch does in the language of ``say``."""
        return reading_hint_of(self.reason, say)


def reading_hint_of(reason: str, say: Catalogue) -> str:
    """Return the words beside a switch that is as it is for ``reason``."""
    return say(_HINTS[reason])


def view(mode: Mode, *, on: bool) -> ReadSwitch:
    """Return the switch in ``mode``; ``on`` is what counts in Chat mode."""
    is_agent = mode == "agent"
    reason: Literal["chat", "agent"] = "agent" if is_agent else "chat"
    return ReadSwitch(value=on and not is_agent, disabled=is_agent, reason=reason)
