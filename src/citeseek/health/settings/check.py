"""The settings files and the environment: names known, values valid, engines there."""

from __future__ import annotations

import os
from collections.abc import Iterator

from citeseek.faces import AGENT
from citeseek.health.finding import Finding, Phrase, phrase
from citeseek.health.settings.engine_names import unknown_engines
from citeseek.health.settings.files import Files
from citeseek.health.settings.locations import SettingPlaces
from citeseek.health.settings.missing_keys import missing_keys
from citeseek.health.settings.unknown_names import (
    misshapen_agents,
    unknown_key,
    unknown_of_agents,
    unknown_sections,
    unknown_variables,
)
from citeseek.health.texts import tell
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.sources import Sources
from citeseek.settings.table import SETTINGS


def check_config(files: Files, registry: Registry | None = None) -> list[Finding]:
    """Return what is wrong with the files and the environment, and where the files lie."""
    registry = registry or Registry()
    sources = files.settings.sources
    # Warnings of others who use the same settings are not the files'.
    own = Settings(Sources(sources.config, sources.agents, sources.env), files.settings.home)
    _read_everything(own, registry)
    places = SettingPlaces.of(files)
    return [
        *files.problems,
        *_warned(own, places, registry),
        *unknown_sections(own, places, registry),
        *misshapen_agents(own, places),
        *unknown_of_agents(own, places),
        *unknown_variables(sources.env, registry),
        *unknown_engines(own, places, registry),
        *missing_keys("config", own, registry, places),
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


def _warned(settings: Settings, places: SettingPlaces, registry: Registry) -> Iterator[Finding]:
    for problem in settings.sources.problems:
        place = places.of_setting(problem.source, problem.path)
        if problem.kind == "unknown_key":
            yield unknown_key(place, problem.path, registry)
            continue
        named = problem.variable
        more = (f"export {named}=VALUE  # ${{write_its_value}}",) if named else ()
        where = (place, f" {problem.path}".rstrip())
        yield tell("config", "invalid", more=more, place=where, problem=problem.reason)


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
