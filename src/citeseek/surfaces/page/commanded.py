"""What a command of the chat led to, in the words of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from citeseek.assistant.switch import Switch
from citeseek.surfaces.page.words import Words


def commanded(values: Mapping[str, str], words: Words, hint_of: Callable[[Switch], str]) -> str:
    """Return the answer to a command; ``values`` are those of its notice.

    ``hint_of`` gives the words beside the switch.
    """
    name = values["command"]
    usage = words("command.help")
    if values["wrong"]:
        return "\n".join((words("command.not_understood", message=values["wrong"]), usage))
    if name == "reset":
        return words("command.reset")
    state = values["state"]
    switch = Switch(value=state == "on", disabled=state == "disabled", hint=values["hint"])
    hint = hint_of(switch)
    if name == "search" and values["argument"] and switch.disabled:
        return hint
    searching = words("command.search", state=words(f"switch.{state}"), hint=hint)
    if name == "help":
        return f"{usage}\n{searching}"
    if name == "mode":
        return "\n".join((words("command.mode", mode=values["mode"].capitalize()), searching))
    return searching
