"""Engines that the settings name, or set up, and that there are not."""

from __future__ import annotations

from collections.abc import Iterator

from citeseek.health.finding import Finding
from citeseek.health.settings.locations import SettingPlaces
from citeseek.health.settings.named_engines import named_engines
from citeseek.health.settings.suggestions import NAME_MEANT, folded, most_alike
from citeseek.health.texts import tell
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.engine_settings import ENGINE_SETTINGS

# The sections of config.json that hold an entry for each engine.
SECTIONS = tuple(
    dict.fromkeys(
        path.partition(".{id}")[0] for setting in ENGINE_SETTINGS for path in setting.config
    )
)


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
        folded(word): engine_id
        for engine_id in registry.ids()
        for word in (engine_id, *registry.names(engine_id))
    }
    nearest = most_alike(folded(name), tuple(ids))
    return ids[nearest] if nearest else None
