"""The settings files as far as they can be read, and where in them each setting stands.

One broken file hides nothing else.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import structs

from citeseek.health.finding import Finding, Phrase, SystemReason, phrase
from citeseek.health.texts import tell
from citeseek.health.writable import find_unwritable
from citeseek.settings import Settings, name_files
from citeseek.settings.json_file import Flaw, Kind, Reason, read_object

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
# A file with its line, or the environment.
Where: TypeAlias = str | Phrase
ENVIRONMENT = Phrase("environment")


class Files(msgspec.Struct, frozen=True):
    """The settings that could be read, where each file lies or would lie, and what is broken.

    ``missing`` are files that somebody named and that are not there.
    """

    settings: Settings
    paths: Mapping[str, Path]
    problems: tuple[Finding, ...] = ()
    missing: tuple[Path, ...] = ()

    def names(self, name: str) -> tuple[Name, ...]:
        """Return the names in the file as they stand there; none if it is broken."""
        path = self.paths[name]
        # The settings may be given, and no file there.
        is_read = isinstance(read_object(path, required=True), dict)
        return tuple(names_in(path.read_text(encoding="utf-8-sig"))) if is_read else ()


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
        found = read_object(path, required=given[name] is not None)
        if isinstance(found, Flaw):
            flaws.append(found)
        content[name] = {} if isinstance(found, Flaw) else found
    settings = Settings.load(config=content[CONFIG], agents=content[AGENTS], env=env)
    sources = structs.replace(settings.sources, files=name_files(config, agents))
    settings = Settings(sources, home)
    missing = tuple(flaw.path for flaw in flaws if flaw.kind == "missing")
    return Files(settings, paths, tuple(_flaw_findings(flaws, home)), missing)


def _flaw_findings(flaws: Iterable[Flaw], home: Path) -> Iterator[Finding]:
    """Yield what is wrong with the files; of a home that is no folder, once."""
    of_home = [flaw for flaw in flaws if flaw.errno == "ENOTDIR" and flaw.path.parent == home]
    if of_home:
        there = shlex.quote(str(find_unwritable(home)))
        yield tell("config", "home_no_folder", path=home, there=there)
    yield from (_flaw_finding(flaw) for flaw in flaws if flaw not in of_home)


def _flaw_finding(flaw: Flaw) -> Finding:
    """Return the finding of a file that is missing, unreadable or no object of JSON."""
    return tell(
        "config",
        _CODES[flaw.kind],
        path=flaw.path,
        folder=shlex.quote(str(flaw.path.parent)),
        file=shlex.quote(str(flaw.path)),
        line=flaw.line,
        column=flaw.column,
        reason=_in_words(flaw),
    )


def _in_words(flaw: Flaw) -> Phrase | SystemReason | str:
    if isinstance(flaw.reason, Reason):
        return phrase(flaw.reason.code, about=flaw.reason.about)
    return SystemReason(flaw.errno, flaw.reason) if flaw.errno else flaw.reason


class Name(msgspec.Struct, frozen=True):
    """A name in a JSON file: its dotted path, its line (from 1), whether its object had it before.

    Entries of a list are named by their number, from 0.
    """

    path: str
    line: int
    is_repeated: bool = False


def names_in(text: str) -> Iterator[Name]:
    """Yield the names in a valid JSON ``text``."""
    # For each open object its current name, for each open list its current number.
    path: list[str | int] = []
    # For each of them the names that it has so far.
    seen: list[set[str]] = []
    word = ""
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as sign:
                path.append("" if sign == "{" else 0)
                seen.append(set())
            case "}" | "]":
                path.pop()
                seen.pop()
            case ",":
                if path and isinstance(path[-1], int):
                    path[-1] += 1
            case ":":
                path[-1] = word
                line = text.count("\n", 0, token.start()) + 1
                yield Name(".".join(map(str, path)), line, word in seen[-1])
                seen[-1].add(word)
            case string:
                word = _read(string)


def _read(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return ""


class SettingPlaces(msgspec.Struct, frozen=True):
    """The lines of the names in each file, and the agents' entries in agents.json.

    ``repeated`` are the names of each file that their object had before, ``named`` is what a file
    is called that somebody named.
    """

    lines: Mapping[str, Mapping[str, int]]
    agents: Mapping[str, int]
    repeated: Mapping[str, tuple[Name, ...]]
    named: Mapping[str, str]

    @classmethod
    def of(cls, files: Files) -> SettingPlaces:
        """Look up the lines of ``files``; a broken file has none."""
        entries = files.settings.sources.agents.get("agents")
        numbers: dict[str, int] = {}
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            agent_id = entry.get("id") if isinstance(entry, dict) else None
            if isinstance(agent_id, str):
                numbers.setdefault(agent_id, number)
        # Of equal names the last one counts.
        names = {file: files.names(file) for file in files.paths}
        lines = {file: {name.path: name.line for name in of} for file, of in names.items()}
        repeated = {
            file: tuple(name for name in of if name.is_repeated) for file, of in names.items()
        }
        return cls(lines, numbers, repeated, files.settings.sources.files)

    def config(self, path: str) -> Where:
        """Name the place of the dotted ``path`` in config.json."""
        return self._place(CONFIG, path)

    def agent(self, path: str) -> Where:
        """Name the place in agents.json of ``path``, such as ``main.webSearch.provider``."""
        for agent_id, number in self.agents.items():
            if path.startswith(f"{agent_id}."):
                return self._place(AGENTS, f"agents.{number}.{path.removeprefix(f'{agent_id}.')}")
        return self._place(AGENTS, path)

    def shown(self, file: str) -> str:
        """Return what ``file`` is called: its own name, or that of the one read in its place."""
        return self.named.get(file, file)

    def of_setting(self, source: str, path: str) -> Where:
        """Name the place of what is called ``path`` in ``source``."""
        if source == CONFIG:
            return self.config(path)
        if source == AGENTS:
            return self.agent(path)
        return ENVIRONMENT if source == "environment" else source

    def _place(self, file: str, path: str) -> Where:
        """Name the file and, where it is known, the line of ``path`` or of what holds it."""
        lines = self.lines.get(file, {})
        while path and path not in lines:
            path = path.rpartition(".")[0]
        shown = self.shown(file)
        return phrase("line_of", file=shown, line=lines[path]) if path else shown
