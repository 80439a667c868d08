"""The engines that the settings name: those that there are not, and those without their key."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from citeseek.engine import Engine
from citeseek.faces import AGENT, OPEN, Face
from citeseek.health.finding import Finding, Part
from citeseek.health.settings.readable_files import SettingPlaces
from citeseek.health.settings.suggestions import NAME_MEANT, fold_name, most_alike
from citeseek.health.texts import tell
from citeseek.searching.engine_choice import has_key
from citeseek.searching.engine_registry import Registry
from citeseek.searching.engine_registry import fold_name as folded_id
from citeseek.settings import Settings, Value
from citeseek.settings.face_settings import OpenSection
from citeseek.settings.setting import Origin
from citeseek.settings.sources import DEFAULT
from citeseek.settings.web_settings import ENGINE_SETTINGS

# The sections of config.json that hold an entry for each engine.
ENGINE_SECTIONS = tuple(
    dict.fromkeys(
        path.partition(".{id}")[0] for setting in ENGINE_SETTINGS for path in setting.config
    )
)


class NamedEngine(msgspec.Struct, frozen=True):
    """An engine's ``name`` as it is written at ``origin``, for the users of ``face``."""

    name: str
    origin: Origin
    face: Face

    @property
    def is_replaced(self) -> bool:
        """Whether an unknown name becomes another engine; if not, the searches fail."""
        return self.face.unknown_engine != "error"

    @property
    def instead(self) -> str:
        """The engine that an unknown name becomes."""
        return "stub" if self.face.unknown_engine == "stub" else self.face.engine


def named_engines(settings: Settings) -> Iterator[NamedEngine]:
    """Yield each engine that the settings name, but for defaults and ``auto``, once an origin."""
    seen = set()
    for face, value in _values(settings):
        names = value.value if isinstance(value.value, tuple) else (value.value,)
        for name in names:
            named = NamedEngine(name, value.origin, face)
            key = (folded_id(name), value.origin)
            if value.origin != DEFAULT and folded_id(name) != folded_id("auto") and key not in seen:
                seen.add(key)
                yield named


def _values(settings: Settings) -> Iterator[tuple[Face, Value[str] | Value[tuple[str, ...]]]]:
    for chosen in settings.faces():
        yield chosen.face, chosen.engine
    for setting in (OpenSection.engines, OpenSection.fallback):
        yield OPEN, settings.get(setting)
    for agent_id in settings.sources.agent_ids():
        yield AGENT, settings.agent(agent_id, AGENT).search.engine


def unknown_engines(
    settings: Settings, places: SettingPlaces, registry: Registry
) -> Iterator[Finding]:
    """Find the unknown engines that a face or an agent is to ask, and what comes of it."""
    for named in named_engines(settings):
        if registry.find(named.name) is not None:
            continue
        place = places.of_setting(named.origin.source, named.origin.path)
        meant = meant_engine(named.name, registry)
        yield tell(
            "config",
            "engine_replaced" if named.is_replaced else "unknown_engine",
            more=NAME_MEANT if meant else (),
            meant=meant,
            place=(place, f" {named.origin.path}"),
            name=named.name,
            instead=named.instead,
        )


def meant_engine(name: str, registry: Registry) -> str | None:
    """Return the id of the engine that was meant by ``name``."""
    if found := registry.find(name):
        return found.id
    ids = {
        fold_name(word): engine_id
        for engine_id in registry.ids()
        for word in (engine_id, *registry.names(engine_id))
    }
    nearest = most_alike(fold_name(name), tuple(ids))
    return ids[nearest] if nearest else None


def missing_keys(
    part: Part, settings: Settings, registry: Registry, places: SettingPlaces | None = None
) -> Iterator[Finding]:
    """Find them for ``part``, with what comes of each; ``places`` know the lines of the files."""
    for named in named_engines(settings):
        engine = registry.find(named.name)
        if not isinstance(engine, Engine) or has_key(engine, settings):
            continue
        source, path = named.origin.source, named.origin.path
        place = (places.of_setting(source, path), f" {path}") if places else named.origin
        # The faces that fall back for an unknown name do so here; a stub stands for no known one.
        is_replaced = named.face.unknown_engine == "default"
        yield tell(
            part,
            "key_missing_replaced" if is_replaced else "key_missing",
            place=place,
            name=named.name,
            instead=named.instead,
            variable=engine.key_env,
            signup=engine.key.signup_url if engine.key else "",
        )
