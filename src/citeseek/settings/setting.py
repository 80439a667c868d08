"""What a setting is: where it is looked for, what it may be, what it means."""

from __future__ import annotations

from typing import Any

import msgspec

from citeseek.settings.values import Reader


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: ``config`` paths in config.json, ``agent`` a key of an agent's ``webSearch``."""

    name: str
    read: Reader[Any]
    default: Any
    meaning: str
    config: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    agent: str | None = None
    is_secret: bool = False
