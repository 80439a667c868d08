"""The SearXNG that the settings name, looked at as the searches of the chat app reach it."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from msgspec import structs

from citeseek.engines.searxng import ENGINE
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO, CHAT, FACES
from citeseek.health.finding import Finding, Status, is_well, worst_first
from citeseek.health.searxng.addresses import bare
from citeseek.health.searxng.diagnosis import SECONDS, Wish, diagnose
from citeseek.health.searxng.probe import CANARY
from citeseek.health.settings.check import UNSET
from citeseek.health.texts import tell
from citeseek.searching.engine_choice import engine_name, groups
from citeseek.searching.engine_registry import Registry, folded
from citeseek.searching.planning import Planner
from citeseek.settings import Settings
from citeseek.settings.engine_settings import ENGINE_SETTINGS
from citeseek.settings.sources import DEFAULT

EXAMPLE = "http://localhost:8080"
# How the settings warn of a value that they leave out.
_WARNING = re.compile(
    r"(environment|config\.json): ([\w.]+):? (.*?)(?:; it| and) counts as not set"
)


async def check_searxng(
    settings: Settings, *, named: bool = False, ask: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Return what is found out about it within ``seconds``, worst first.

    Unless it is ``named``, it is skipped when nothing in the settings leads to it. With ``ask`` a
    search is tried even when a limiter counts it.
    """
    registry = Registry()
    dropped = _dropped(settings)
    if not named and not dropped and not _is_used(settings, registry):
        return [tell("searxng", "not_used")]
    planner = Planner(settings, registry)
    try:
        planned = planner.plan(CANARY, {"engine": ENGINE.id, "face": CHAT})
    finally:
        planner.close()
    route = planned.groups[0][0].route
    wish = Wish(
        language=settings.get("chat.language").value,
        seconds=seconds,
        home=settings.home,
        env=settings.sources.env,
        ask=ask,
    )
    found = await diagnose(route.options.base_url, wish, route=route)
    if found[0].code == "refused" and not named and not dropped and _is_unset(settings):
        name = groups((AUTO,), (), registry, settings)[0][0][0]
        replaced = tell("searxng", "replaced", engine=registry.label(name))
        found = [structs.replace(found[0], status="warning"), replaced, *found[1:]]
    # What is said of another address than the one that was written down is of no use by itself.
    status: Status = "warning" if is_well(found) else "error"
    told = [_told(problem, route.options.base_url, status) for problem in dropped]
    return worst_first([*told, *found])


def _dropped(settings: Settings) -> list[tuple[str, str, str]]:
    """Return each address of it that was not understood: file or environment, name, what is wrong.

    A variable that is set to nothing counts as not set, as everywhere.
    """
    setting = next(setting for setting in ENGINE_SETTINGS if setting.name == "base_url")
    names = {
        *(name.replace("{ID}", ENGINE.id.upper()) for name in setting.env),
        *(name.replace("{id}", ENGINE.id) for name in setting.config),
    }
    settings.engine(ENGINE)
    found = (match.groups() for match in map(_WARNING.match, settings.warnings) if match)
    return [
        (file, name, problem)
        for file, name, problem in found
        if name in names and (file, problem) != ("environment", "is blank")
    ]


def _told(dropped: tuple[str, str, str], used: str, status: Status) -> Finding:
    file, name, problem = dropped
    if variable := UNSET.match(problem):
        mend = f"export {variable[1]}={EXAMPLE}  # 写您的地址 (write your address)"
    elif file == "environment":
        mend = f"export {name}={EXAMPLE}  # 写您的地址 (write your address)"
    else:
        section, _, key = name.rpartition(".")
        mend = (
            f"# {file}：{section} 里已有的这一项改为您的地址 "
            f"(in {section}, write your address into this entry)\n"
            f"{json.dumps(key)}: {json.dumps(EXAMPLE)}"
        )
    return tell(
        "searxng",
        "address_dropped",
        as_status=status,
        more=(mend,),
        place=name if file == "environment" else f"{file} {name}",
        problem=problem,
        used=bare(used),
    )


def _is_unset(settings: Settings) -> bool:
    """Whether nobody said what the chat app asks: then it asks another engine instead."""
    is_given = settings.was_given("chat.engine")
    return not is_given and settings.engine(ENGINE).base_url.origin == DEFAULT


def _is_used(settings: Settings, registry: Registry) -> bool:
    """Whether a face asks it, or somebody wrote down where it is."""
    if settings.engine(ENGINE).base_url.origin != DEFAULT:
        return True
    names = {folded(name) for name in settings.get("open.engines").value}
    for face in FACES:
        with suppress(InvalidInput):
            names.add(engine_name(settings.face(face), registry, settings).value)
    return any(registry.find(name) is ENGINE for name in names)
