"""The SearXNG that the settings name, looked at as the searches of the chat app reach it."""

from __future__ import annotations

from contextlib import suppress

from citeseek.choosing import engine_name
from citeseek.engines.searxng import ENGINE
from citeseek.errors import InvalidInput
from citeseek.faces import CHAT, FACES
from citeseek.health.finding import Finding
from citeseek.health.instance import CANARY
from citeseek.health.searxng import SECONDS, diagnose
from citeseek.health.telling import tell
from citeseek.planning import Planner
from citeseek.registry import Registry, folded
from citeseek.settings import Settings
from citeseek.settings.sources import DEFAULT


async def check_searxng(
    settings: Settings, *, named: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Return what is found out about it within ``seconds``, worst first.

    Unless it is ``named``, it is skipped when nothing in the settings leads to it.
    """
    registry = Registry()
    if not named and not _is_used(settings, registry):
        return [tell("searxng", "not_used")]
    planner = Planner(settings, registry)
    try:
        planned = planner.plan(CANARY, {"engine": ENGINE.id, "face": CHAT})
    finally:
        planner.close()
    route = planned.groups[0][0].route
    language = settings.get("chat.language").value
    return await diagnose(route.options.base_url, route=route, language=language, seconds=seconds)


def _is_used(settings: Settings, registry: Registry) -> bool:
    """Whether a face asks it, or somebody wrote down where it is."""
    if settings.engine(ENGINE).base_url.origin != DEFAULT:
        return True
    names = {folded(name) for name in settings.get("open.engines").value}
    for face in FACES:
        with suppress(InvalidInput):
            names.add(engine_name(settings.face(face), registry, settings).value)
    return any(registry.find(name) is ENGINE for name in names)
