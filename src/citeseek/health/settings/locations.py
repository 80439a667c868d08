"""Where a setting stands: its file and its line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from citeseek.health.finding import Phrase, phrase
from citeseek.health.settings.readable_files import AGENTS, CONFIG, Files

# A file with its line, or the environment.
Where: TypeAlias = str | Phrase
ENVIRONMENT = Phrase("environment")


class SettingPlaces(msgspec.Struct, frozen=True):
    """The lines of the names in each file, and the agents' entries in agents.json."""

    lines: Mapping[str, Mapping[str, int]]
    agents: Mapping[str, int]

    @classmethod
    def of(cls, files: Files) -> SettingPlaces:
        """Look up the lines of ``files``; a broken file has none."""
        entries = files.settings.sources.agents.get("agents")
        numbers: dict[str, int] = {}
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            agent_id = entry.get("id") if isinstance(entry, dict) else None
            if isinstance(agent_id, str):
                numbers.setdefault(agent_id, number)
        return cls({name: files.lines(name) for name in files.paths}, numbers)

    def config(self, path: str) -> Where:
        """Name the place of the dotted ``path`` in config.json."""
        return self._place(CONFIG, path)

    def agent(self, path: str) -> Where:
        """Name the place in agents.json of ``path``, such as ``main.webSearch.provider``."""
        for agent_id, number in self.agents.items():
            if path.startswith(f"{agent_id}."):
                return self._place(AGENTS, f"agents.{number}.{path.removeprefix(f'{agent_id}.')}")
        return self._place(AGENTS, path)

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
        return phrase("line_of", file=file, line=lines[path]) if path else file
