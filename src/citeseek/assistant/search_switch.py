"""The search switch: what it shows in each mode, as a pure function of what was chosen."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Mode: TypeAlias = Literal["chat", "agent"]

ICON = "🔍"
LABEL = "联网搜索"
ON, OFF, DISABLED = "开启", "关闭", "禁用"
IN_AGENT_MODE = "Agent 模式下由 AI 自动决策搜索"
NO_SEARCH_TOOL = "Agent 模式：此 Agent 未启用联网搜索"


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """What the switch shows: whether it is on, whether it can be moved, and the words beside it."""

    value: bool
    disabled: bool
    hint: str

    @property
    def state(self) -> str:
        """The state in words."""
        if self.disabled:
            return DISABLED
        return ON if self.value else OFF


def view(
    mode: Mode,
    saved: bool | None,  # noqa: FBT001 - the two together are what is viewed
    *,
    engine: str = "SearXNG",
    has_tool: bool = True,
) -> Switch:
    """Return the switch in ``mode``.

    ``saved`` is what was last chosen in Chat mode, None when nothing was; it survives any number of
    changes of the mode. ``engine`` names the engine that Chat mode asks. Without ``has_tool`` the
    agent that was opened may not search.
    """
    if mode == "agent":
        hint = IN_AGENT_MODE if has_tool else NO_SEARCH_TOOL
        return Switch(value=False, disabled=True, hint=hint)
    return Switch(value=bool(saved), disabled=False, hint=f"启用后将使用{engine}搜索实时信息")
