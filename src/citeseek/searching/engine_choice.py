"""Which engine answers for a face: named by the caller, by settings, or by the face itself."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.engine import AnyEngine, Engine
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO, OPEN
from citeseek.query import Category
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.settings import FaceSettings, Settings, Value
from citeseek.settings.sources import DEFAULT

LAST_RESORT = "ddg_html"
OWN_INSTANCE = "searxng"
# Of the whole web and without a key, in the order in which they are offered.
_KEYLESS = (LAST_RESORT, "bing_html", "mojeek", "brave_html", "startpage")


def engine_name(chosen: FaceSettings, registry: Registry, settings: Settings) -> Value[str]:
    """Return the name of the engine that ``chosen`` leads to, and why.

    An unknown name becomes the face's default or the stub, with a warning, or raises InvalidInput:
    as the face says. In the face that falls back (``default``), an engine whose key is missing
    becomes the face's default as well.
    """
    face, name, origin = chosen.face, chosen.engine.value, chosen.engine.origin
    if fold_name(name) == AUTO and face.engine == AUTO:
        return chosen.engine
    engine = registry.find(name)
    if engine is None:
        if face.unknown_engine == "error":
            registry.get(name)
        instead = "stub" if face.unknown_engine == "stub" else face.engine
        known = ", ".join(registry.ids())
        message = f"there is no engine {name!r:.60}; {instead} is used. Known: {known}."
        told = {"name": f"{name!r:.60}", "instead": instead, "known": known}
        settings.sources.warn(origin, "engine", message, values=told)
        return Value(instead, DEFAULT)
    if face.unknown_engine == "default" and not has_key(engine, settings):
        message = f"{name} has no key; {face.engine} is used."
        told = {"name": name, "instead": face.engine}
        settings.sources.warn(origin, "engine_key", message, values=told)
        return Value(face.engine, DEFAULT)
    return Value(fold_name(name), origin)


def usual_names(
    chosen: FaceSettings, registry: Registry, settings: Settings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the engines that ``chosen`` asks where nobody names one, and those in their place.

    Raise InvalidInput as :func:`engine_name` does.
    """
    is_open = chosen.face.id == OPEN.id
    several = settings.open.engines if is_open else ()
    fallback = settings.open.fallback if is_open else ()
    return several or (engine_name(chosen, registry, settings).value,), fallback


def groups(
    names: Sequence[str],
    fallback: Sequence[str],
    registry: Registry,
    settings: Settings,
    category: Category = "web",
) -> list[list[tuple[str, AnyEngine]]]:
    """Return the engines to ask: ``names`` side by side, then each of ``fallback`` in turn.

    ``auto`` alone stands for a chain of its own, which begins with engines that have ``category``.
    Raise InvalidInput for an unknown name.
    """
    if [fold_name(name) for name in names] == [AUTO]:
        chain = [[engine] for engine in _auto(registry, settings, category)]
    elif AUTO in map(fold_name, names):
        raise InvalidInput(
            "auto stands alone: it chooses the engines itself.", values={"case": "auto_alone"}
        )
    else:
        chain = [_resolve_names(names, registry)]
    asked = {name for group in chain for name, _ in group}
    more = _resolve_names(fallback, registry)
    return chain + [[engine] for engine in more if engine[0] not in asked]


def alternatives(registry: Registry, settings: Settings) -> tuple[str, ...]:
    """Return the engines that may be asked where another one fails, the first ones first.

    They are those of ``auto``, then others of the whole web that need no key.
    """
    chain = (engine_id for engine_id, _ in _auto(registry, settings, "web"))
    return tuple(dict.fromkeys((*chain, *_KEYLESS)))


def _resolve_names(names: Sequence[str], registry: Registry) -> list[tuple[str, AnyEngine]]:
    """Return each engine once, however its name is written; raise InvalidInput for an unknown."""
    return [(key, registry.get(name)) for key, name in {fold_name(n): n for n in names}.items()]


def _auto(
    registry: Registry, settings: Settings, category: Category
) -> list[tuple[str, AnyEngine]]:
    """Return one's own SearXNG, if set, then engines whose key is set, then the last resort.

    Of a category other than the web, those that have it go first, and with them those of it that
    need no key. The others answer as for the web, and say so.
    """

    def is_asked(engine: Engine) -> bool:
        if engine.id == OWN_INSTANCE:
            return _is_set(engine, settings)
        if _needs_key(engine):
            return has_key(engine, settings)
        return engine.id == LAST_RESORT or category in engine.categories

    def place(engine: Engine) -> tuple[bool, ...]:
        return not engine.has(category), engine.id != OWN_INSTANCE, not _needs_key(engine)

    chain = sorted(filter(is_asked, registry.built_in()), key=place)
    return [(engine.id, engine) for engine in chain]


def has_key(engine: AnyEngine, settings: Settings) -> bool:
    """Whether ``engine`` needs no key or has one."""
    if not isinstance(engine, Engine) or not _needs_key(engine):
        return True
    return settings.engine(engine).api_key.value is not None


def _needs_key(engine: Engine) -> bool:
    return engine.key is not None and engine.key.required


def _is_set(engine: Engine, settings: Settings) -> bool:
    return settings.engine(engine).base_url.origin != DEFAULT
