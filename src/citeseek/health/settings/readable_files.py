"""The settings files as far as they can be read, so that one broken file hides nothing else."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from citeseek.health.finding import Finding
from citeseek.health.texts import tell
from citeseek.settings import Settings
from citeseek.settings.json_file import Flaw, Kind, examined

CONFIG, AGENTS = "config.json", "agents.json"
# Written out, so that whoever looks for a code of the texts finds where it comes from.
_CODES: dict[Kind, str] = {
    "missing": "missing",
    "unreadable": "unreadable",
    "not_json": "not_json",
    "too_deep": "too_deep",
    "not_an_object": "not_an_object",
}
# A string, or one of the characters that give a text its shape.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


class Files(msgspec.Struct, frozen=True):
    """The settings that could be read, where each file lies or would lie, and what is broken.

    ``missing`` are files that somebody named and that are not there.
    """

    settings: Settings
    paths: Mapping[str, Path]
    problems: tuple[Finding, ...] = ()
    missing: tuple[Path, ...] = ()

    def lines(self, name: str) -> dict[str, int]:
        """Return the line of each name in the file, by its dotted path; none if it is broken."""
        path = self.paths[name]
        # The settings may be given, and no file there.
        is_read = isinstance(examined(path, required=True), dict)
        return line_numbers(path.read_text(encoding="utf-8-sig")) if is_read else {}


def read_files(
    config: str | Path | None = None,
    agents: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Files:
    """Read the settings; a file that cannot be read counts as empty, with a finding."""
    given = {CONFIG: config, AGENTS: agents}
    home = Settings.load(config={}, agents={}, env=env).home
    paths = {name: Path(path or home / name) for name, path in given.items()}
    content: dict[str, Mapping[str, Any]] = {}
    flaws: list[Flaw] = []
    for name, path in paths.items():
        found = examined(path, required=given[name] is not None)
        if isinstance(found, Flaw):
            flaws.append(found)
        content[name] = {} if isinstance(found, Flaw) else found
    settings = Settings.load(config=content[CONFIG], agents=content[AGENTS], env=env)
    missing = tuple(flaw.path for flaw in flaws if flaw.kind == "missing")
    return Files(settings, paths, tuple(map(_told, flaws)), missing)


def _told(flaw: Flaw) -> Finding:
    """Return the finding of a file that is missing, unreadable or no object of JSON."""
    return tell(
        "config",
        _CODES[flaw.kind],
        path=flaw.path,
        folder=shlex.quote(str(flaw.path.parent)),
        file=shlex.quote(str(flaw.path)),
        line=flaw.line,
        column=flaw.column,
        reason=flaw.reason,
    )


def line_numbers(text: str) -> dict[str, int]:
    """Return the line (from 1) of each name in a valid JSON ``text``, by its dotted path.

    Entries of a list are named by their number, from 0.
    """
    found: dict[str, int] = {}
    # For each open object its current name, for each open list its current number.
    path: list[str | int] = []
    word = ""
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{":
                path.append("")
            case "[":
                path.append(0)
            case "}" | "]":
                path.pop()
            case ",":
                if path and isinstance(path[-1], int):
                    path[-1] += 1
            case ":":
                path[-1] = word
                line = text.count("\n", 0, token.start()) + 1
                found.setdefault(".".join(map(str, path)), line)
            case string:
                word = _read(string)
    return found


def _read(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return ""
