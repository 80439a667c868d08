"""Engines that the settings name, that need a key, and that have none."""

from __future__ import annotations

from collections.abc import Iterator

from citeseek.engine import Engine
from citeseek.health.finding import Finding, Part
from citeseek.health.settings.locations import SettingPlaces
from citeseek.health.settings.named_engines import named_engines
from citeseek.health.texts import tell
from citeseek.searching.engine_choice import has_key
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings


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
