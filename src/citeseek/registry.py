"""Engines by name: the built-in ones and those of the entry-point group ``citeseek.engines``."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points

from citeseek.engine import AnyEngine, Engine, SearchEngine
from citeseek.engines import BUILTIN
from citeseek.errors import InvalidInput

ENTRY_POINTS = "citeseek.engines"

log = logging.getLogger(__name__)


class Registry:
    """Engines under their ids and aliases; names are compared without case and outer space."""

    def __init__(self, engines: Iterable[AnyEngine]) -> None:
        self._engines: dict[str, AnyEngine] = {}
        self._names: dict[str, AnyEngine] = {}
        for engine in engines:
            self.add(engine)

    def add(self, engine: AnyEngine) -> None:
        """Register ``engine``; raise InvalidInput when one of its names is taken."""
        aliases = engine.aliases if isinstance(engine, Engine) else ()
        for name in (engine.id, *aliases):
            if self._names.get(_key(name), engine) is not engine:
                raise InvalidInput(f"The engine name {name!r} is already taken.")
        for name in (engine.id, *aliases):
            self._names[_key(name)] = engine
        self._engines[engine.id] = engine

    def find(self, name: str) -> AnyEngine | None:
        """Return the engine called ``name``, or None."""
        return self._names.get(_key(name))

    def get(self, name: str) -> AnyEngine:
        """Return the engine called ``name``; raise InvalidInput listing the names there are."""
        if engine := self.find(name):
            return engine
        near = difflib.get_close_matches(_key(name), self._names, n=1)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise InvalidInput(
            f"There is no engine {name!r:.60}.", hint=f"{meant}Known: {', '.join(self.ids())}."
        )

    def ids(self) -> tuple[str, ...]:
        """Return the ids in the order of registration."""
        return tuple(self._engines)

    def __iter__(self) -> Iterator[AnyEngine]:
        return iter(self._engines.values())


def default_registry() -> Registry:
    """Return the built-in engines and those of installed packages.

    An installed engine that cannot be loaded is logged and left out: it must not break the others.
    """
    registry = Registry(BUILTIN)
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            engine = entry.load()
            if not isinstance(engine, Engine | SearchEngine):
                raise InvalidInput("It is neither an Engine nor a SearchEngine.")  # noqa: TRY301
            registry.add(engine)
        except Exception as error:  # noqa: BLE001 - other people's code
            log.warning("engine %s (%s) left out: %s", entry.name, entry.value, error)
    return registry


def _key(name: str) -> str:
    return name.strip().casefold()
