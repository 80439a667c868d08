"""The engines that somebody wrote into the settings, for every face and every agent."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from citeseek.faces import AGENT, OPEN, Face
from citeseek.searching.engine_registry import folded
from citeseek.settings import Settings, Value
from citeseek.settings.face_settings import OpenSection
from citeseek.settings.problem import Origin
from citeseek.settings.sources import DEFAULT


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
            key = (folded(name), value.origin)
            if value.origin != DEFAULT and folded(name) != folded("auto") and key not in seen:
                seen.add(key)
                yield named


def _values(settings: Settings) -> Iterator[tuple[Face, Value[str] | Value[tuple[str, ...]]]]:
    for chosen in settings.faces():
        yield chosen.face, chosen.engine
    for setting in (OpenSection.engines, OpenSection.fallback):
        yield OPEN, settings.get(setting)
    for agent_id in settings.sources.agent_ids():
        yield AGENT, settings.agent(agent_id, AGENT).search.engine
