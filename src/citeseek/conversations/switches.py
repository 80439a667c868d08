"""The switches of a conversation, for search and reading: what each shows in each mode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue

Mode: TypeAlias = Literal["chat", "agent"]

_SEARCH_HINTS = {"chat": "switch.hint", "agent": "switch.agent", "no_tool": "switch.no_tool"}
_READ_HINTS = {"chat": "switch.read_hint", "agent": "switch.read_agent"}


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
        """The state in words, in the language of the locale."""
        return self.state_in(locale_catalogue())

    @property
    def hint(self) -> str:
        """The words beside the switch, likewise."""
        return self.hint_in(locale_catalogue())

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
        return search_hint(self.reason, self.engines, say)


def search_hint(reason: str, engines: Iterable[str], say: Catalogue) -> str:
    """Return the words beside a switch that is as it is for ``reason``."""
    return say(_SEARCH_HINTS[reason], engine=say("search.joint").join(engines))


def view_search(
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


class ReadSwitch(ModeSwitch, frozen=True, kw_only=True):
    """What the switch for reading pages in Chat mode shows.

    ``reason`` says why it is as it is: in ``chat`` it decides, an ``agent`` decides itself.
    """

    reason: Literal["chat", "agent"]

    def hint_in(self, say: Catalogue) -> str:
        """Return what the switch does in the language of ``say``."""
        return read_hint(self.reason, say)


def read_hint(reason: str, say: Catalogue) -> str:
    """Return the words beside a switch that is as it is for ``reason``."""
    return say(_READ_HINTS[reason])


def view_reading(mode: Mode, *, on: bool) -> ReadSwitch:
    """Return the switch in ``mode``; ``on`` is what counts in Chat mode."""
    is_agent = mode == "agent"
    reason: Literal["chat", "agent"] = "agent" if is_agent else "chat"
    return ReadSwitch(value=on and not is_agent, disabled=is_agent, reason=reason)
