"""What an operator asks first: which engines are there, and what do the settings lead to."""

from __future__ import annotations

from typing import Any

from citeseek.engine import AnyEngine, Engine
from citeseek.errors import InvalidInput
from citeseek.i18n import ENGLISH, Catalogue, catalogue
from citeseek.searching.engine_choice import engine_name, has_key
from citeseek.searching.engine_registry import Registry
from citeseek.settings import FaceSettings, Settings
from citeseek.settings.setting import Setting
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import secret
from citeseek.urls import without_password, without_secrets


def engines(
    registry: Registry, loaded: Settings, words: Catalogue | None = None
) -> list[dict[str, Any]]:
    """Return a row for each engine; a key is only said to be set or not set, by default in English.

    ``words`` say it in the language of a reader.
    """
    say = words or catalogue(ENGLISH)
    return [_engine(engine, registry, loaded, say) for engine in registry]


def settings(registry: Registry, loaded: Settings) -> dict[str, Any]:
    """Return what the settings lead to, each value with its origin, and the warnings."""
    return {
        "faces": [_face(chosen, registry, loaded) for chosen in loaded.faces()],
        "settings": [_setting(setting, loaded) for setting in SETTINGS],
        "engines": [_reach(engine, loaded) for engine in registry],
        "warnings": list(loaded.warnings),
    }


def _engine(
    engine: AnyEngine, registry: Registry, loaded: Settings, say: Catalogue
) -> dict[str, Any]:
    if not isinstance(engine, Engine):
        return {"id": engine.id, "label": engine.id, "kind": "plain"}
    key = say("table.no_key")
    if engine.key:
        state = "key_not_set" if engine.key.required else "key_optional"
        state = "key_set" if loaded.engine(engine).api_key.value else state
        key = say(f"table.{state}", name=engine.key_env)
    return {
        "id": engine.id,
        "aliases": list(registry.names(engine.id)),
        "label": engine.label,
        "kind": engine.kind if engine.via == "http" else engine.via,
        "index": engine.index or engine.id,
        "supports": sorted(engine.supports),
        "categories": sorted(engine.categories),
        "key": key,
        "sign_up": engine.key.signup_url if engine.key else "",
        "price": engine.key.price if engine.key else "free",
        "ready": has_key(engine, loaded),
    }


def _face(chosen: FaceSettings, registry: Registry, loaded: Settings) -> dict[str, Any]:
    counts = chosen.face.counts
    try:
        engine = engine_name(chosen, registry, loaded)
        name, origin = engine.value, str(engine.origin)
    except InvalidInput as error:
        name, origin = chosen.engine.value, f"{chosen.engine.origin}: {error}"
    return {
        "face": chosen.face.id,
        "label": chosen.face.label,
        "engine": name,
        "engine_origin": origin,
        "count": chosen.count.value,
        "count_origin": str(chosen.count.origin),
        "count_low": counts.low,
        "count_high": counts.high,
        "count_range": f"{counts.low}-{counts.high}, else {counts.otherwise}",
        "deadline_s": chosen.seconds.value,
        "deadline_origin": str(chosen.seconds.origin),
        "cache": chosen.face.cache,
        "ttl_minutes": chosen.ttl_minutes.value,
    }


def _setting(setting: Setting[Any], loaded: Settings) -> dict[str, Any]:
    value = loaded.get(setting)
    shown = value.value
    if setting.is_secret and setting.read is secret:
        shown = "set" if shown else "not set"
    elif isinstance(shown, str):
        shown = without_secrets(shown) if setting.is_secret else without_password(shown)
    return {"setting": setting.name, "value": shown, "origin": str(value.origin)}


def _reach(engine: AnyEngine, loaded: Settings) -> dict[str, Any]:
    reach = loaded.engine(engine)
    return {
        "engine": engine.id,
        "base_url": without_password(reach.base_url.value or ""),
        "base_url_origin": str(reach.base_url.origin),
        "key": "set" if reach.api_key.value else "not set",
        "key_origin": str(reach.api_key.origin),
        "transport": reach.transport.value,
        "timeout_s": reach.seconds.value,
        "rate_per_minute": reach.rate_per_minute.value,
        "proxy": "set" if reach.proxy.value else "not set",
    }
