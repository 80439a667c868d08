"""Which engine answers for a face: named by the caller, by settings, or by the face itself."""

from __future__ import annotations

from citeseek.engine import AnyEngine, Engine
from citeseek.faces import AUTO
from citeseek.registry import Registry
from citeseek.settings import FaceSettings, Settings, Value

LAST_RESORT = "ddg_html"


def engine_name(chosen: FaceSettings, registry: Registry, settings: Settings) -> Value[str]:
    """Return the name of the engine that ``chosen`` leads to, and why.

    An unknown name becomes the face's default or the stub, with a warning, or raises InvalidInput:
    as the face says. In the face that falls back (``default``), an engine whose key is missing
    becomes the face's default as well.
    """
    face, name, origin = chosen.face, chosen.engine.value, chosen.engine.origin
    if name == AUTO and face.engine == AUTO:
        return chosen.engine
    engine = registry.find(name)
    if engine is None:
        if face.unknown_engine == "error":
            registry.get(name)
        instead = "stub" if face.unknown_engine == "stub" else face.engine
        _warn(settings, f"{origin}: there is no engine {name!r:.60}; {instead} is used.", registry)
        return Value(instead, "default")
    if face.unknown_engine == "default" and not has_key(engine, settings):
        _warn(settings, f"{origin}: {name} has no key; {face.engine} is used.")
        return Value(face.engine, "default")
    return Value(name.strip().casefold(), origin)


def candidates(name: str, registry: Registry, settings: Settings) -> list[tuple[str, AnyEngine]]:
    """Return the engines to try for ``name``, best first: one, or several for ``auto``."""
    if name.strip().casefold() != AUTO:
        return [(name.strip().casefold(), registry.get(name))]
    chain: list[tuple[str, AnyEngine]] = []
    for engine in registry.built_in():
        own_instance = engine.id == "searxng" and _is_set(engine, settings)
        keyed = engine.key is not None and engine.key.required and has_key(engine, settings)
        if own_instance:
            chain.insert(0, (engine.id, engine))
        elif keyed:
            chain.append((engine.id, engine))
    return [*chain, (LAST_RESORT, registry.get(LAST_RESORT))]


def has_key(engine: AnyEngine, settings: Settings) -> bool:
    """Whether ``engine`` needs no key or has one."""
    if not isinstance(engine, Engine) or engine.key is None or not engine.key.required:
        return True
    return settings.engine(engine).api_key.value is not None


def _is_set(engine: Engine, settings: Settings) -> bool:
    return settings.engine(engine).base_url.origin != "default"


def _warn(settings: Settings, sentence: str, registry: Registry | None = None) -> None:
    known = f" Known: {', '.join(registry.ids())}." if registry else ""
    settings.sources.warn(sentence + known)
