"""Names in the files and in the environment that no setting has, and what was meant by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citeseek.health.finding import Finding
from citeseek.health.settings.engine_names import SECTIONS, meant_engine
from citeseek.health.settings.locations import ENVIRONMENT, SettingPlaces, Where
from citeseek.health.settings.suggestions import NAME_MEANT, folded, most_alike, nearest, same_thing
from citeseek.health.texts import tell
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.engine_settings import ENGINE_SETTINGS
from citeseek.settings.table import SETTINGS

OURS = "CITESEEK_"
# Read before there are settings.
_HOME = "CITESEEK_HOME"
_OF_AGENTS = ("enabled", *(setting.agent for setting in SETTINGS if setting.agent))
_PATHS = tuple(path for setting in SETTINGS for path in setting.config)
_TOP = tuple(dict.fromkeys(path.partition(".")[0] for path in (*_PATHS, *SECTIONS)))
_ONLY_VARIABLES = {setting.name: setting.env[0] for setting in SETTINGS if not setting.config}


def unknown_key(place: Where, name: str, registry: Registry) -> Finding:
    """Return the finding of ``name``, a key in a section of ours that no setting has."""
    engine_ids = registry.ids()
    known = [
        path.replace("{id}", engine_id)
        for setting in (*SETTINGS, *ENGINE_SETTINGS)
        for path in setting.config
        for engine_id in (engine_ids if "{id}" in path else ("",))
    ]
    return _unknown(place, name, _ONLY_VARIABLES.get(name) or nearest(name, known))


def unknown_sections(
    settings: Settings, places: SettingPlaces, registry: Registry
) -> Iterator[Finding]:
    """Find sections of config.json that only look like ours, and entries of unknown engines.

    The rest of config.json may belong to another program: it is named and left alone.
    """
    config = settings.sources.config
    others = []
    for name, value in config.items():
        if name in _TOP:
            continue
        if meant := _section(name, value, registry):
            yield _unknown(places.config(name), name, meant)
        else:
            others.append(name)
    tools = config.get("tools")
    for name in tools if isinstance(tools, dict) else {}:
        if name != "webSearch" and folded(name) in ("websearch", "search", "websearches"):
            yield _unknown(places.config(f"tools.{name}"), f"tools.{name}", "tools.webSearch")
    if others:
        names = ", ".join(others)
        yield tell("config", "not_ours", place=places.config(others[0]), names=names)
    for section in SECTIONS:
        for engine_id in _object_at(config, section):
            if engine_id not in registry.ids():
                path = f"{section}.{engine_id}"
                meant = meant_engine(engine_id, registry)
                yield _unknown(places.config(path), path, f"{section}.{meant}" if meant else None)


def misshapen_agents(settings: Settings, places: SettingPlaces) -> Iterator[Finding]:
    """Find entries of agents.json whose shape makes them count as nothing."""

    def invalid(path: str, problem: str) -> Finding:
        place = (places.agent(path), f" {path}".rstrip())
        return tell("config", "invalid", place=place, problem=problem)

    entries = settings.sources.agents.get("agents", [])
    if not isinstance(entries, list):
        yield invalid("agents", "must be a list; it counts as empty.")
        return
    for number, entry in enumerate(entries):
        path = f"agents.{number}"
        if not isinstance(entry, dict):
            yield invalid(path, "must be an object; it counts as not there.")
            continue
        if not isinstance(entry.get("id"), str):
            yield invalid(path, "has no id; it counts as not there.")
        search = entry.get("webSearch", {})
        if not isinstance(search, dict):
            yield invalid(f"{path}.webSearch", "must be an object; it counts as not set.")
        elif not isinstance(search.get("enabled", False), bool):
            problem = "must be true or false; it counts as false."
            yield invalid(f"{path}.webSearch.enabled", problem)


def unknown_of_agents(settings: Settings, places: SettingPlaces) -> Iterator[Finding]:
    """Find names of agents.json that look like ours, and unknown ones in webSearch."""
    for name in settings.sources.agents:
        if name != "agents" and most_alike(folded(name), ("agents",), least=0.8):
            yield _unknown(places.agent(name), name, "agents")
    entries = settings.sources.agents.get("agents")
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        for name in entry if isinstance(entry, dict) else {}:
            if name != "webSearch" and most_alike(folded(name), ("websearch",), least=0.8):
                path = f"agents.{number}.{name}"
                yield _unknown(places.agent(path), path, f"agents.{number}.webSearch")
    for agent_id in settings.sources.agent_ids():
        section = f"{agent_id}.webSearch"
        for name in settings.sources.agent(agent_id):
            # Of keys the settings warn themselves.
            if name not in _OF_AGENTS and "key" not in name.lower():
                path = f"{section}.{name}"
                known = [f"{section}.{one}" for one in _OF_AGENTS]
                yield _unknown(places.agent(path), path, nearest(path, known))


def unknown_variables(env: Mapping[str, str], registry: Registry) -> Iterator[Finding]:
    """Find variables that begin like ours and that nobody reads."""
    known = {_HOME} | {
        name.replace("{ID}", engine_id.upper())
        for setting in (*SETTINGS, *ENGINE_SETTINGS)
        for name in setting.env
        for engine_id in registry.ids()
    }
    for name in sorted(env):
        if name.startswith(OURS) and name not in known:
            yield _unknown(ENVIRONMENT, name, nearest(name, sorted(known), "_"))


def _section(name: str, value: Any, registry: Registry) -> str | None:
    """Return which part of config.json was meant by a top-level ``name``."""
    word = folded(name)
    like_ours = most_alike(word, _TOP, least=0.7)
    if isinstance(value, dict):
        sections = (*(path.rpartition(".")[0] for path in _PATHS), *SECTIONS)
        same = [path for path in (*_TOP, *sections) if folded(path.rpartition(".")[2]) == word]
        engine = registry.find(name)
        return next(iter(same), None) or (f"engines.{engine.id}" if engine else like_ours)
    # The library's own come first: who writes no section means no face in particular.
    in_order = sorted(_PATHS, key=lambda path: not path.startswith("search."))
    return same_thing(name, in_order) or like_ours


def _object_at(config: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    node: Any = config
    for name in path.split("."):
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


def _unknown(place: Where, name: str, meant: str | None) -> Finding:
    return tell(
        "config",
        "unknown_name",
        more=NAME_MEANT if meant else (),
        place=place,
        name=name,
        meant=meant,
    )
