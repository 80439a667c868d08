"""The settings files as far as they can be read, so that one broken file hides nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from citeseek.errors import InvalidInput
from citeseek.health.finding import Finding
from citeseek.health.json_places import broken_at, places
from citeseek.health.telling import tell
from citeseek.settings import Settings
from citeseek.settings.sources import read_json

CONFIG, AGENTS = "config.json", "agents.json"


class Files(msgspec.Struct, frozen=True):
    """The settings that could be read, where each file lies or would lie, and what is broken."""

    settings: Settings
    paths: Mapping[str, Path]
    problems: tuple[Finding, ...] = ()

    def lines(self, name: str) -> dict[str, int]:
        """Return the line of each name in the file, by its dotted path; none if it is broken."""
        text = _text(self.paths[name])
        return places(text) if text and broken_at(text) is None else {}


def read_files(
    config: str | Path | None = None,
    agents: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Files:
    """Read the settings; a file that cannot be read counts as empty, with a finding."""
    given = {CONFIG: config, AGENTS: agents}
    try:
        settings = Settings.load(config=config, agents=agents, env=env)
    except InvalidInput:
        # The other file, and the environment, are looked at all the same.
        home = Settings.load(config={}, agents={}, env=env).home
        paths = _paths(given, home)
        content: dict[str, Mapping[str, Any]] = {}
        problems = []
        for name, path in paths.items():
            try:
                content[name] = read_json(path, required=given[name] is not None)
            except InvalidInput as error:
                content[name] = {}
                problems.append(_unreadable(path, error))
        settings = Settings.load(config=content[CONFIG], agents=content[AGENTS], env=env)
        return Files(settings, paths, tuple(problems))
    return Files(settings, _paths(given, settings.home))


def _paths(given: Mapping[str, str | Path | None], home: Path) -> dict[str, Path]:
    return {name: Path(path or home / name) for name, path in given.items()}


def _unreadable(path: Path, error: InvalidInput) -> Finding:
    place = broken_at(_text(path))
    if place is None:
        return tell("config", "unreadable", problem=error.message)
    line, column = place
    return tell(
        "config",
        "unreadable",
        more=(f"sed -n {line}p {shlex.quote(str(path))}".replace("$", "$$"),),
        problem=f"{path} 第 {line} 行第 {column} 列不是 JSON "
        f"(it is not JSON from line {line}, column {column} on)。",
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
