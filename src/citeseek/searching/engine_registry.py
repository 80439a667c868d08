"""Engines by name: the built-in ones, a caller's own, and those of installed packages.

Installed packages give theirs through the entry-point group ``citeseek.engines``. Each engine is
loaded when it is first asked for; installed packages are looked through only when a name is not
known otherwise, or when all engines are listed.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.engine import AnyEngine, Engine, SearchEngine
from citeseek.engines import BUILTIN, load
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO
from citeseek.i18n import Catalogue
from citeseek.observing.log_lines import for_people

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "citeseek.engines"

log = logging.getLogger(__name__)


def fold_name(name: str) -> str:
    """Return ``name`` in the form in which names of engines are compared."""
    return name.strip().casefold()


@cache
def installed_engines() -> tuple[EntryPoint, ...]:
    """Return the engines of installed packages; what is installed later counts from the next start.

    All packages are looked through for them, which takes longer than to answer a request.
    """
    if not _is_announced():
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415 - with the call 17 ms

    return tuple(entry_points(group=ENTRY_POINTS))


def _is_announced() -> bool:
    """Whether any installed package may have engines, which takes a millisecond to see."""
    group = f"[{ENTRY_POINTS}]".encode()
    for folder in sys.path:
        if Path(folder).is_file():
            # An archive of packages.
            return True
        for file in Path(folder).glob("*-info/entry_points.txt"):
            with suppress(OSError):
                if group in file.read_bytes():
                    return True
    return False


class Registry:
    """Engines under their ids and other names, compared without case and outer space."""

    def __init__(self, engines: Iterable[AnyEngine] = ()) -> None:
        self._ids = {name: id_ for id_, names in BUILTIN.items() for name in (id_, *names)}
        self._added: dict[str, AnyEngine] = {}
        self._has_installed = False
        for engine in engines:
            self.add(engine)

    def add(self, engine: AnyEngine) -> None:
        """Register ``engine``; raise InvalidInput for what is none, or when its name is taken."""
        if isinstance(engine, type):
            name = engine.__name__
            raise InvalidInput(f"{name} is a class, not an engine.", hint=f"Pass {name}() instead.")
        if not isinstance(engine, Engine | SearchEngine):
            raise InvalidInput(
                f"A {type(engine).__name__} is no engine: it needs an id and "
                "`async def search(query, num_results)`."
            )
        if not re.fullmatch(r"[A-Za-z][\w-]*", str(engine.id or "")):
            raise InvalidInput(f"{engine.id!r:.60} is no engine id: letters, digits, - and _.")
        name = fold_name(engine.id)
        if name == AUTO:
            raise InvalidInput("The engine id auto stands for a choice of engines.")
        if name in self._ids:
            raise InvalidInput(f"The engine name {engine.id!r} is already taken.")
        self._ids[name] = engine.id
        self._added[engine.id] = engine

    def find(self, name: str) -> AnyEngine | None:
        """Return the engine called ``name``, or None."""
        key = fold_name(name)
        if key not in self._ids:
            self._add_installed()
        engine_id = self._ids.get(key)
        if engine_id is None:
            return None
        return self._added.get(engine_id) or load(engine_id)

    def label(self, name: str) -> str:
        """Return what people call the engine ``name``, the name itself when there is none."""
        label: str = getattr(self.find(name), "label", name)
        return label

    def get(self, name: str) -> AnyEngine:
        """Return the engine called ``name``; raise InvalidInput listing the names there are."""
        if engine := self.find(name):
            return engine
        from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

        begun = [known for known in self._ids if known.startswith(fold_name(name))]
        near = begun[:1] or get_close_matches(fold_name(name), self._ids, n=1)
        is_near = bool(near and name.strip())
        meant = f"Did you mean {near[0]}? " if is_near else ""
        known = ", ".join(map(self._with_other_names, self.ids()))
        raise InvalidInput(
            f"There is no engine {name!r:.60}.",
            hint=f"{meant}Known: {known}.",
            values={
                "case": "no_engine_but_near" if is_near else "no_engine",
                "name": f"{name!r:.60}",
                "near": near[0] if near else "",
                "known": known,
            },
        )

    def ids(self) -> tuple[str, ...]:
        """Return the ids: built-in ones first, in the order in which they are written down."""
        self._add_installed()
        return (*BUILTIN, *self._added)

    def names(self, engine_id: str) -> tuple[str, ...]:
        """Return the other names of an engine."""
        return BUILTIN.get(engine_id, ())

    def built_in(self) -> Iterator[Engine]:
        """Yield the built-in engines."""
        return map(load, BUILTIN)

    def __iter__(self) -> Iterator[AnyEngine]:
        return map(self.get, self.ids())

    def _with_other_names(self, engine_id: str) -> str:
        """Return an id with the other names of its engine."""
        others = ", ".join(self.names(engine_id))
        return f"{engine_id} ({others})" if others else engine_id

    def _add_installed(self) -> None:
        """Add the engines of installed packages, once.

        One that cannot be loaded is logged and left out: it must not break the others.
        """
        if self._has_installed:
            return
        self._has_installed = True
        for entry in installed_engines():
            try:
                engine = entry.load()
                self.add(engine)
            except Exception as error:  # noqa: BLE001 - other people's code
                told = {"name": entry.name, "source": entry.value, "reason": str(error)}
                log.warning(
                    "engine %s (%s) left out: %s",
                    entry.name,
                    entry.value,
                    error,
                    extra=for_people(partial(_left_out, told)),
                )


def _left_out(engine: Mapping[str, str], say: Catalogue) -> str:
    return say("log.engine_left_out", **engine)
