"""Where a setting's value is from, and what is wrong with what somebody wrote there."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import msgspec

CONFIG, AGENTS, ENVIRONMENT, OPTIONS = "config.json", "agents.json", "environment", "options"

Kind: TypeAlias = Literal[
    "unknown_key",
    "unknown_option",
    "no_object",
    "blank",
    "unset",
    "unreadable",
    "unusable",
    "key",
    "engine",
]

# What follows the name of the setting at once, and what stands behind a colon.
_OF_NAME: dict[Kind, str] = {
    "unknown_key": "is an unknown key.",
    "unknown_option": "is no option. Known: {}.",
    "no_object": "must be an object; it counts as not set.",
    "blank": "is blank and counts as not set.",
    "key": "holds a key, which is not used: keys belong in config.json or the environment.",
}
_OF_VALUE: dict[Kind, str] = {
    "unset": "{}; it counts as not set.",
    "unreadable": "{}; it counts as not set.",
    "unusable": "{}; nothing is sent until it is mended.",
    "engine": "{}",
}


class Origin(str):  # noqa: SLOT000 - it has two names of its own
    """Where a value is from, as it is shown: ``config.json: web.fetch.proxy``.

    ``source`` is the file, ``environment``, ``options`` or ``default``; ``path`` is the name there.
    """

    source: str
    path: str

    def __new__(cls, source: str, path: str = "") -> Self:
        """Return the place ``path`` in ``source``."""
        made = super().__new__(cls, f"{source}: {path}" if path else source)
        made.source, made.path = source, path
        return made


class SettingProblem(msgspec.Struct, frozen=True):
    """What is wrong with the setting ``path`` of ``source``.

    ``detail`` says more: of a value, why it cannot be used. ``variable`` is one that the value
    names and that is not set.
    """

    source: str
    path: str
    kind: Kind
    detail: str = ""
    variable: str = ""

    @property
    def reason(self) -> str:
        """What is wrong, without the name of the setting."""
        return {**_OF_NAME, **_OF_VALUE}[self.kind].format(self.detail)

    def __str__(self) -> str:
        colon = "" if self.kind in _OF_NAME else ":"
        return f"{Origin(self.source, self.path)}{colon} {self.reason}"
