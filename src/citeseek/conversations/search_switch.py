"""The search switch: what it shows in each mode, as a pure function of what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from citeseek.catalogue import BOTH, Catalogue, catalogue

Mode: TypeAlias = Literal["chat", "agent"]

ICON = "🔍"
_HINTS = {"chat": "switch.hint", "agent": "switch.agent", "no_tool": "switch.no_tool"}


class ModeSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """A switch of Chat mode: whether it is on, and whether it can be moved."""

    value: bool
    disabled: bool

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
        """The words beside the switch, in Chinese."""
        return self.hint_in(catalogue(BOTH))

    def state_in(self, say: Catalogue) -> str:
        """Return the state in the words of ``say``."""
        return say(f"switch.{self.code}")

    def hint_in(self, say: Catalogue) -> str:
        """Return the words beside the switch in the language of ``say``."""
        raise NotImplementedError


class Switch(ModeSwitch, frozen=True, kw_only=True):
    """What the search switch shows.

    ``reason`` says why it is as it is: in ``chat`` it decides about the search with ``engines``, an
    ``agent`` decides itself, ``no_tool`` is an agent that may not search.
    """

    reason: Literal["chat", "agent", "no_tool"]
    engines: tuple[str, ...] = ("SearXNG",)

    def hint_in(self, say: Catalogue) -> str:
        """Return the words beside the switch in the language of ``say``."""
        return hint_of(self.reason, self.engines, say)


def hint_of(reason: str, engines: Iterable[str], say: Catalogue) -> str:
    """Return the words beside a switch that is as it is for ``reason``."""
    return say(_HINTS[reason], engine=say("search.joint").join(engines))


def view(
    mode: Mode,
    saved: bool | None,  # noqa: FBT001 - the two together are what is viewed
    *,
    engines: tuple[str, ...] = ("SearXNG",),
    has_tool: bool = True,
) -> Switch:
    """Return the switch in ``mode``.

    ``saved`` is what was last chosen in Chat mode, None when nothing was; it survives any number of
    changes of the mode. ``engines`` names those that Chat mode asks. Without ``has_tool`` the
    agent that was opened may not search.
    """
    if mode == "agent":
        reason: Literal["agent", "no_tool"] = "agent" if has_tool else "no_tool"
        return Switch(value=False, disabled=True, reason=reason, engines=engines)
    return Switch(value=bool(saved), disabled=False, reason="chat", engines=engines)
