"""The engines that cases name."""

from __future__ import annotations

from citeseek.engine import Engine
from citeseek.searching.engine_registry import Registry
from tools.cases import NotBuilt

REGISTRY = Registry()


def engine_named(name: str) -> Engine:
    """Return the engine; raise NotBuilt when there is none of that name."""
    engine = REGISTRY.find(name)
    if not isinstance(engine, Engine):
        raise NotBuilt(f"engine {name}")
    return engine
