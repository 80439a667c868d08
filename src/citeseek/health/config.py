"""The settings files and the environment: every name known, every value valid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from citeseek.faces import AGENT
from citeseek.health.files import AGENTS, CONFIG, Files
from citeseek.health.finding import Finding
from citeseek.health.telling import tell
from citeseek.registry import Registry
from citeseek.settings import Settings
from citeseek.settings.of_engine import ENGINE_SETTINGS
from citeseek.settings.sources import Sources, leaves
from citeseek.settings.table import SETTINGS

OURS = "CITESEEK_"
# How alike two names are, from 0 to 1, of which one may have been meant.
ALIKE = 0.6
# Read before there are settings.
_HOME = "CITESEEK_HOME"
_OF_AGENTS = ("enabled", *(setting.agent for setting in SETTINGS if setting.agent))
# How the settings begin their warnings, and how they end one about a name.
_WARNING = re.compile(r"(config\.json|agents\.json|environment): ([^\s:]+):? ?(.*)", re.DOTALL)
_UNKNOWN = "is an unknown key."


def check_config(files: Files, registry: Registry | None = None) -> list[Finding]:
    """Return what is wrong with the files and the environment, and where the files lie."""
    registry = registry or Registry()
    sources = files.settings.sources
    # Warnings of others who use the same settings are not the files'.
    own = Settings(Sources(sources.config, sources.agents, sources.env), files.settings.home)
    _read_everything(own, registry)
    lines = {name: files.lines(name) for name in files.paths}
    return [
        *files.problems,
        *_warned(own, lines, registry),
        *_unknown_engines(own, lines[CONFIG], registry),
        *_unknown_of_agents(own, lines[AGENTS]),
        *_unknown_variables(sources.env, registry),
        tell("config", "files", files=_where(files)),
    ]


def _read_everything(settings: Settings, registry: Registry) -> None:
    """Look at each value once: what is not understood becomes a warning of the settings."""
    settings.sources.warn_of_unknown_keys()
    for setting in SETTINGS:
        settings.get(setting.name)
    for engine in registry:
        settings.engine(engine)
    settings.system_proxies()
    for agent_id in settings.sources.agent_ids():
        settings.agent(agent_id, AGENT)


def _warned(
    settings: Settings, lines: Mapping[str, Mapping[str, int]], registry: Registry
) -> Iterator[Finding]:
    for warning in settings.warnings:
        match = _WARNING.match(warning)
        if match is None:
            yield tell("config", "invalid", place=CONFIG, problem=warning)
            continue
        file, name, problem = match.groups()
        path = _path_of_agent(settings, name) if file == AGENTS else name
        place = _place(file, path, lines.get(file, {}))
        if problem == _UNKNOWN:
            known = [
                path.replace("{id}", engine_id)
                for setting in (*SETTINGS, *ENGINE_SETTINGS)
                for path in setting.config
                for engine_id in registry.ids()
            ]
            yield _unknown(place, name, known)
        else:
            yield tell("config", "invalid", place=f"{place} {name}", problem=problem)


def _unknown_engines(
    settings: Settings, lines: Mapping[str, int], registry: Registry
) -> Iterator[Finding]:
    """Find settings of engines that there are not, which are read for no engine."""
    prefixes = {path.partition("{id}")[0] for setting in ENGINE_SETTINGS for path in setting.config}
    named: dict[tuple[str, str], str] = {}
    for path in leaves(settings.sources.config):
        for prefix in prefixes:
            if path.startswith(prefix):
                named[prefix, path.removeprefix(prefix).partition(".")[0]] = path
    for prefix, engine_id in named:
        if engine_id not in registry.ids():
            name = f"{prefix}{engine_id}"
            other = registry.find(engine_id)
            # Another name of an engine may look like nothing of its id.
            ids, cutoff = ((other.id,), 0.0) if other else (registry.ids(), ALIKE)
            known = [f"{prefix}{one}" for one in ids]
            yield _unknown(_place(CONFIG, name, lines), name, known, cutoff=cutoff)


def _unknown_of_agents(settings: Settings, lines: Mapping[str, int]) -> Iterator[Finding]:
    for agent_id in settings.sources.agent_ids():
        for name in settings.sources.agent(agent_id):
            # Of keys the settings warn themselves.
            if name not in _OF_AGENTS and "key" not in name.lower():
                path = f"{agent_id}.webSearch.{name}"
                place = _place(AGENTS, _path_of_agent(settings, path), lines)
                yield _unknown(place, path, [f"{agent_id}.webSearch.{one}" for one in _OF_AGENTS])


def _unknown_variables(env: Mapping[str, str], registry: Registry) -> Iterator[Finding]:
    known = {_HOME} | {
        name.replace("{ID}", engine_id.upper())
        for setting in (*SETTINGS, *ENGINE_SETTINGS)
        for name in setting.env
        for engine_id in registry.ids()
    }
    for name in sorted(env):
        if name.startswith(OURS) and name not in known:
            yield _unknown("环境变量 (environment)", name, sorted(known))


def _unknown(place: str, name: str, known: list[str], *, cutoff: float = ALIKE) -> Finding:
    near = get_close_matches(name, known, n=1, cutoff=cutoff)
    more = (f"# 应为 (meant): {near[0]}".replace("$", "$$"),) if near else ()
    return tell("config", "unknown_name", more=more, place=place, name=name)


def _place(file: str, path: str, lines: Mapping[str, int]) -> str:
    """Name the file and, where it is known, the line of ``path`` or of what holds it."""
    if file == "environment":
        return "环境变量 (environment)"
    while path and path not in lines:
        path = path.rpartition(".")[0]
    return f"{file} 第 {lines[path]} 行 (line {lines[path]})" if path else file


def _path_of_agent(settings: Settings, name: str) -> str:
    """Return where in agents.json what a warning calls ``main.webSearch.provider`` stands."""
    entries = settings.sources.agents.get("agents")
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        agent_id = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(agent_id, str) and name.startswith(f"{agent_id}."):
            return f"agents.{number}.{name.removeprefix(f'{agent_id}.')}"
    return name


def _where(files: Files) -> str:
    found = [
        f"{name}：{path}" + ("" if path.exists() else "（没有，用默认值；there is none）")
        for name, path in files.paths.items()
    ]
    found.append(f"对话 (conversations)：{files.settings.sessions_file}")
    return "；".join(found)
