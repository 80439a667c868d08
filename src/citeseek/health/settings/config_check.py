"""The settings files and the environment: names known, values valid, engines there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from citeseek.faces import AGENT
from citeseek.health.finding import Finding, Phrase, phrase
from citeseek.health.settings.named_engines import (
    ENGINE_SECTIONS,
    meant_engine,
    missing_keys,
    unknown_engines,
)
from citeseek.health.settings.readable_files import ENVIRONMENT, Files, SettingPlaces, Where
from citeseek.health.settings.suggestions import (
    NAME_MEANT,
    fold_name,
    most_alike,
    nearest,
    same_thing,
)
from citeseek.health.texts import tell
from citeseek.health.writable import find_unwritable
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.server_settings import LEAST_TOKEN, ServerSection, is_too_short
from citeseek.settings.setting import SettingProblem
from citeseek.settings.sources import Sources
from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS

OURS = "CITESEEK_"
# Read before there are settings.
_HOME = "CITESEEK_HOME"
_OF_AGENTS = ("enabled", *(setting.agent for setting in SETTINGS if setting.agent))
_PATHS = tuple(path for setting in SETTINGS for path in setting.config)
_TOP = tuple(dict.fromkeys(path.partition(".")[0] for path in (*_PATHS, *ENGINE_SECTIONS)))
_ONLY_VARIABLES = {setting.name: setting.env[0] for setting in SETTINGS if not setting.config}


def check_config(files: Files, registry: Registry | None = None) -> list[Finding]:
    """Return what is wrong with the files and the environment, and where the files lie."""
    registry = registry or Registry()
    sources = files.settings.sources
    # Warnings of others who use the same settings are not the files'.
    read = Sources(sources.config, sources.agents, sources.env, files=sources.files)
    own = Settings(read, files.settings.home)
    _read_everything(own, registry)
    places = SettingPlaces.of(files)
    return [
        *files.problems,
        *_find_repeated(files, places),
        *_check_warnings(own, places, registry),
        *unknown_sections(own, places, registry),
        *misshapen_agents(own, places),
        *unknown_of_agents(own, places),
        *unknown_variables(sources.env, registry),
        *unknown_engines(own, places, registry),
        *missing_keys("config", own, registry, places),
        *_find_short_token(own, places),
        *_find_unwritable(own),
        tell("config", "files", files=_where(files)),
    ]


def _read_everything(settings: Settings, registry: Registry) -> None:
    """Look at each value once: what is not understood becomes a warning of the settings."""
    settings.sources.warn_of_unknown_keys()
    for setting in SETTINGS:
        settings.get(setting)
    for engine in registry:
        settings.engine(engine)
    settings.system_proxies()
    for agent_id in settings.sources.agent_ids():
        settings.agent(agent_id, AGENT)


def _check_warnings(
    settings: Settings, places: SettingPlaces, registry: Registry
) -> Iterator[Finding]:
    for problem in settings.sources.problems:
        place = places.of_setting(problem.source, problem.path)
        if problem.kind == "unknown_key":
            yield unknown_key(place, problem.path, registry)
            continue
        named = problem.variable
        more = (f"export {named}=VALUE  # ${{write_its_value}}",) if named else ()
        where = (place, f" {problem.path}".rstrip())
        code = "unusable" if problem.kind == "unusable" else "invalid"
        yield tell("config", code, more=more, place=where, problem=_in_words(problem))


def _in_words(problem: SettingProblem) -> Phrase | str:
    """Return what is wrong, without the name of the setting."""
    reason = phrase(problem.why, **dict(problem.values)) if problem.why else None
    shown = problem.shown or phrase("its_value")
    unset = phrase("setting_unset")
    unusable = phrase("setting_unusable_unset")
    if problem.variable:
        unset = phrase("setting_unset_variable", variable=problem.variable)
        unusable = phrase("setting_unusable_variable", variable=problem.variable)
    told = {
        "unreadable": phrase("setting_unreadable", shown=shown, reason=reason),
        "unusable": phrase("setting_unusable", reason=reason) if reason else unusable,
        "unset": unset,
        "unknown_option": phrase("setting_unknown_option", known=problem.detail),
        "no_object": phrase("setting_no_object"),
        "blank": phrase("setting_blank"),
        "key": phrase("setting_key"),
    }
    # An engine of the settings that there is not says so by itself.
    return told.get(problem.kind, problem.reason)


def _find_repeated(files: Files, places: SettingPlaces) -> Iterator[Finding]:
    """Find names that stand twice in one object, of which JSON keeps the last alone."""
    for file, names in places.repeated.items():
        for name in names:
            yield tell(
                "config",
                "named_twice",
                place=phrase("line_of", file=places.shown(file), line=name.line),
                name=name.path,
                line=name.line,
                file=shlex.quote(str(files.paths[file])),
            )


def _find_short_token(settings: Settings, places: SettingPlaces) -> Iterator[Finding]:
    token = settings.get(ServerSection.token)
    if token.value and is_too_short(token.value):
        place = places.of_setting(token.origin.source, token.origin.path)
        where = (place, f" {token.origin.path}".rstrip())
        yield tell("config", "token_short", place=where, least=LEAST_TOKEN)


def _find_unwritable(settings: Settings) -> Iterator[Finding]:
    """Find a home in which nothing can be kept."""
    home = settings.home
    there = find_unwritable(home)
    # What is no folder is told as what cannot be read.
    if there and there.is_dir():
        yield tell("config", "home_not_writable", path=home, folder=shlex.quote(str(there)))


def _where(files: Files) -> tuple[Phrase, ...]:
    found: list[Phrase] = []
    for name, path in files.paths.items():
        # A folder that nobody may look into is an answer here.
        if os.path.exists(path):  # noqa: PTH110
            key = "file_there"
        else:
            key = "file_missing" if path in files.missing else "file_default"
        found += (phrase(key, name=name, path=path), phrase("between"))
    return (*found, phrase("conversations", path=files.settings.sessions_file))


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
        if name != "webSearch" and fold_name(name) in ("websearch", "search", "websearches"):
            yield _unknown(places.config(f"tools.{name}"), f"tools.{name}", "tools.webSearch")
    if others:
        names = ", ".join(others)
        yield tell("config", "not_ours", place=places.config(others[0]), names=names)
    for section in ENGINE_SECTIONS:
        for engine_id in _object_at(config, section):
            if engine_id not in registry.ids():
                path = f"{section}.{engine_id}"
                meant = meant_engine(engine_id, registry)
                yield _unknown(places.config(path), path, f"{section}.{meant}" if meant else None)


def misshapen_agents(settings: Settings, places: SettingPlaces) -> Iterator[Finding]:
    """Find entries of agents.json whose shape makes them count as nothing."""

    def invalid(path: str, problem: str) -> Finding:
        place = (places.agent(path), f" {path}".rstrip())
        return tell("config", "invalid", place=place, problem=phrase(problem))

    entries = settings.sources.agents.get("agents", [])
    if not isinstance(entries, list):
        yield invalid("agents", "agents_no_list")
        return
    known = set()
    for number, entry in enumerate(entries):
        path = f"agents.{number}"
        if not isinstance(entry, dict):
            yield invalid(path, "agent_no_object")
            continue
        agent_id = entry.get("id")
        if not isinstance(agent_id, str):
            yield invalid(path, "agent_no_id")
        elif agent_id in known:
            yield invalid(f"{path}.id", "agent_twice")
        known.add(agent_id)
        search = entry.get("webSearch", {})
        if not isinstance(search, dict):
            yield invalid(f"{path}.webSearch", "setting_no_object")
        elif not isinstance(search.get("enabled", False), bool):
            yield invalid(f"{path}.webSearch.enabled", "agent_flag")


def unknown_of_agents(settings: Settings, places: SettingPlaces) -> Iterator[Finding]:
    """Find names of agents.json that look like ours, and unknown ones in webSearch."""
    for name in settings.sources.agents:
        if name != "agents" and most_alike(fold_name(name), ("agents",), least=0.8):
            yield _unknown(places.agent(name), name, "agents")
    entries = settings.sources.agents.get("agents")
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        for name in entry if isinstance(entry, dict) else {}:
            if name != "webSearch" and most_alike(fold_name(name), ("websearch",), least=0.8):
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
    word = fold_name(name)
    like_ours = most_alike(word, _TOP, least=0.7)
    if isinstance(value, dict):
        sections = (*(path.rpartition(".")[0] for path in _PATHS), *ENGINE_SECTIONS)
        same = [path for path in (*_TOP, *sections) if fold_name(path.rpartition(".")[2]) == word]
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
