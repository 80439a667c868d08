"""The layers that settings are looked up in, and the warnings that come up on the way."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from citeseek.observing.log_lines import for_people
from citeseek.settings.setting import (
    AGENTS,
    CONFIG,
    ENVIRONMENT,
    Kind,
    Origin,
    Setting,
    SettingProblem,
    Value,
)
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import RECEIVERS, UnreadableValue
from citeseek.settings.web_settings import ENGINE_SETTINGS

DEFAULT = Origin("default")
# Sections whose keys are ours alone, so that an unknown one is a mistake worth a word.
OURS = (
    "tools.webSearch",
    "web",
    "chat",
    "browser",
    "search",
    "cache",
    "database",
    "redis",
    "evidence",
    "trace",
    "engines",
    "assistant",
    "verification",
    "budget",
    "server",
    "page",
    "telemetry",
)

T = TypeVar("T")

log = logging.getLogger("citeseek.settings")


class Sources(msgspec.Struct, frozen=True):
    """config.json, agents.json and the environment, as read.

    ``given`` says by their paths which values of ``config`` stand in no file but came otherwise,
    and where: ``options: provider``. ``problems`` are what was not understood so far. ``files``
    says what a file is called that somebody named: ``config.json`` may be ``team.json``.
    """

    config: Mapping[str, Any] = {}
    agents: Mapping[str, Any] = {}
    env: Mapping[str, str] = {}
    problems: list[SettingProblem] = []
    given: Mapping[str, Origin] = {}
    files: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Sources({len(self.problems)} warnings)"

    def value(
        self, setting: Setting[T], *, engine_id: str = "", agent_id: str | None = None
    ) -> Value[T]:
        """Return the first readable value of ``setting``, else its default.

        A blank or unreadable value counts as not set, with a warning that names it. An address
        that nobody can use is the value's fault instead: no other one stands in for it.
        """
        example = RECEIVERS.get(setting.read)
        for origin, raw in self._candidates(setting, engine_id, agent_id):
            if isinstance(raw, str) and raw.startswith("$"):
                if not self.env.get(raw[1:], "").strip():
                    variable, told = _unset(raw[1:])
                    if example:
                        return self.unusable(setting.default, origin, told, example, variable)
                    self.warn(origin, "unset", told, variable)
                    continue
                raw = self.env[raw[1:]]  # noqa: PLW2901 - the variable stands for the value
            if raw is None or (isinstance(raw, str) and not raw.strip()):
                self.warn(origin, "blank")
                continue
            try:
                return Value(setting.read(raw), origin)
            except UnreadableValue as reason:
                if example:
                    return self.unusable(
                        setting.default, origin, f"its value {reason}", example, reason=reason
                    )
                shown = "" if setting.is_secret else f"{raw!r:.60}"
                told = f"{shown or 'its value'} {reason}"
                self.warn(origin, "unreadable", told, reason=reason, shown=shown)
        return Value(setting.default, DEFAULT)

    def unusable(
        self,
        default: T,
        origin: Origin,
        detail: str,
        example: str,
        variable: str = "",
        *,
        reason: UnreadableValue | None = None,
    ) -> Value[T]:
        """Return the value of an address that nobody can use, with a warning."""
        self.warn(origin, "unusable", detail, variable, reason=reason)
        return Value(
            default,
            origin,
            f"{detail}; expected is one such as {example}",
            variable,
            reason.code if reason else "",
            tuple(reason.values.items()) if reason else (),
            example,
        )

    def origin(self, source: str, path: str) -> Origin:
        """Return the place ``path`` in the file ``source``, by the name that the file goes by."""
        return Origin(source, path, self.files.get(source, ""))

    def was_given(self, setting: Setting[Any], engine_id: str = "") -> bool:
        """Whether any layer holds something for ``setting`` that is not blank."""
        return any(str(raw or "").strip() for _, raw in self._candidates(setting, engine_id, None))

    def warn(
        self,
        origin: Origin,
        kind: Kind,
        detail: str = "",
        variable: str = "",
        *,
        reason: UnreadableValue | None = None,
        shown: str = "",
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Keep and log what is wrong at ``origin``, once."""
        problem = SettingProblem(
            origin.source,
            origin.path,
            kind,
            detail,
            variable,
            reason.code if reason else "",
            tuple((reason.values if reason else values).items()),
            shown,
            "" if origin.file == origin.source else origin.file,
        )
        if problem not in self.problems:
            self.problems.append(problem)
            log.warning("%s", problem, extra=for_people(problem.explain))

    def agent_ids(self) -> tuple[str, ...]:
        """Return the ids of the agents in agents.json, of which the first entry counts."""
        ids = (entry.get("id") for entry in self._agents())
        return tuple(dict.fromkeys(agent_id for agent_id in ids if isinstance(agent_id, str)))

    def agent(self, agent_id: str) -> Mapping[str, Any]:
        """Return the ``webSearch`` part of an agent's entry, empty when there is none."""
        for entry in self._agents():
            if entry.get("id") == agent_id:
                search = entry.get("webSearch")
                return search if isinstance(search, dict) else {}
        return {}

    def agent_name(self, agent_id: str) -> str:
        """Return what people call an agent: its ``name``, else its id."""
        entries = (entry for entry in self._agents() if entry.get("id") == agent_id)
        name = next(entries, {}).get("name")
        return name.strip() if isinstance(name, str) and name.strip() else agent_id

    def warn_of_unknown_keys(self) -> None:
        """Warn of each key in our sections of config.json that no setting has."""
        templates = [path for setting in (*SETTINGS, *ENGINE_SETTINGS) for path in setting.config]
        known = [re.escape(path).replace(r"\{id\}", "[^.]+") for path in templates]
        for section in OURS:
            found, value = _at(self.config, section)
            if found and not isinstance(value, dict):
                self.warn(self.origin(CONFIG, section), "no_object")
        for path in leaves(self.config):
            is_ours = path.startswith(tuple(f"{section}." for section in OURS))
            if is_ours and not any(re.fullmatch(pattern, path) for pattern in known):
                self.warn(self.origin(CONFIG, path), "unknown_key")

    def _agents(self) -> list[Mapping[str, Any]]:
        entries = self.agents.get("agents")
        return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []

    def _candidates(
        self, setting: Setting[Any], engine_id: str, agent_id: str | None
    ) -> Iterator[tuple[Origin, Any]]:
        if agent_id is not None and setting.agent:
            search = self.agent(agent_id)
            if setting.agent in search:
                origin = self.origin(AGENTS, f"{agent_id}.webSearch.{setting.agent}")
                yield origin, search[setting.agent]
        for template in setting.config:
            path = template.replace("{id}", engine_id)
            found, raw = _at(self.config, path)
            if found:
                yield self.given.get(path, self.origin(CONFIG, path)), raw
        for template in setting.env:
            name = template.replace("{ID}", engine_id.upper())
            if name in self.env:
                yield Origin(ENVIRONMENT, name), self.env[name]


def _unset(name: str) -> tuple[str, str]:
    """Return the variable ``name``, unless it may be a secret that begins with a $, and say so."""
    if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,59}", name):
        return name, f"the variable {name} is not set"
    return "", "the variable that it names is not set"


def _at(tree: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Return whether ``path`` (dotted) is in ``tree``, and what is there."""
    node: Any = tree
    for name in path.split("."):
        if not isinstance(node, Mapping) or name not in node:
            return False, None
        node = node[name]
    return True, node


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the dotted path of each value in ``tree`` that is no object."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def overlaid(below: Any, above: Any) -> Any:
    """Return ``below`` with what ``above`` holds in its place, value by value."""
    if not isinstance(above, Mapping):
        return above
    below = below if isinstance(below, Mapping) else {}
    return {**below, **{name: overlaid(below.get(name), value) for name, value in above.items()}}
