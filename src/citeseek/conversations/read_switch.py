"""The switch for reading pages in Chat mode: what it shows in each mode."""

from __future__ import annotations

from typing import Literal

from citeseek.catalogue import Catalogue
from citeseek.conversations.search_switch import Mode, ModeSwitch

_HINTS = {"chat": "switch.read_hint", "agent": "switch.read_agent"}


class ReadSwitch(ModeSwitch, frozen=True, kw_only=True):
    """What the switch shows.

    ``reason`` says why it is as it is: in ``chat`` it decides, an ``agent`` decides itself.
    """

    reason: Literal["chat", "agent"]

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
