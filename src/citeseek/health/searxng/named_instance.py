"""The SearXNG that the settings name, looked at as the searches of the chat app reach it."""

from __future__ import annotations

import json
from contextlib import suppress

from msgspec import structs

from citeseek.engines.searxng import ENGINE
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO, CHAT, FACES
from citeseek.health.finding import Finding, phrase, worst_first
from citeseek.health.searxng.diagnosis import SECONDS, DiagnosisOptions, diagnose
from citeseek.health.searxng.probe import CANARY
from citeseek.health.texts import tell
from citeseek.searching.engine_choice import engine_name, groups
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.searching.planning import Planner
from citeseek.settings import Settings, Value
from citeseek.settings.face_settings import ChatSection
from citeseek.settings.sources import DEFAULT

EXAMPLE = "http://localhost:8080"


async def check_searxng(
    settings: Settings, *, named: bool = False, ask: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Return what is found out about it within ``seconds``, worst first.

    Unless it is ``named``, it is skipped when nothing in the settings leads to it. With ``ask`` a
    search is tried even when a limiter counts it.
    """
    registry = Registry()
    address = settings.engine(ENGINE).base_url
    if address.fault:
        return [_unusable(address)]
    if not named and not _is_used(settings, registry):
        return [tell("searxng", "not_used")]
    planner = Planner(settings, registry)
    try:
        planned = planner.plan(CANARY, {"engine": ENGINE.id, "face": CHAT})
    except InvalidInput as error:
        return [tell("searxng", "not_sent", problem=error.message)]
    finally:
        planner.close()
    route = planned.groups[0][0].route
    wish = DiagnosisOptions(
        language=settings.chat.language,
        seconds=seconds,
        home=settings.home,
        env=settings.sources.env,
        ask=ask,
    )
    found = await diagnose(route.options.base_url, wish, route=route)
    if found[0].code == "refused" and not named and _is_unset(settings):
        name = groups((AUTO,), (), registry, settings)[0][0][0]
        label = registry.label(name)
        values = {**found[0].values, "without": phrase("with_another_engine", engine=label)}
        refused = structs.replace(found[0], status="warning", values=values)
        found = [refused, tell("searxng", "replaced", engine=label), *found[1:]]
    return worst_first(found)


def _unusable(address: Value[str | None]) -> Finding:
    file, name = address.origin.file, address.origin.path
    if address.unset:
        mend = f"export {address.unset}={EXAMPLE}  # ${{write_your_address}}"
    elif file == "environment":
        mend = f"export {name}={EXAMPLE}  # ${{write_your_address}}"
    else:
        key = name.rpartition(".")[2]
        mend = f"# ${{entry_becomes_your_address}}\n{json.dumps(key)}: {json.dumps(EXAMPLE)}"
    return tell(
        "searxng",
        "address_unusable",
        more=(mend,),
        place=name if file == "environment" else f"{file} {name}",
        problem=address.fault,
        file=file,
        section=name.rpartition(".")[0],
    )


def _is_unset(settings: Settings) -> bool:
    """Whether nobody said what the chat app asks: then it asks another engine instead."""
    is_given = settings.was_given(ChatSection.engine)
    return not is_given and settings.engine(ENGINE).base_url.origin == DEFAULT


def _is_used(settings: Settings, registry: Registry) -> bool:
    """Whether a face asks it, or somebody wrote down where it is."""
    if settings.engine(ENGINE).base_url.origin != DEFAULT:
        return True
    names = {fold_name(name) for name in settings.open.engines}
    for face in FACES:
        with suppress(InvalidInput):
            names.add(engine_name(settings.face(face), registry, settings).value)
    return any(registry.find(name) is ENGINE for name in names)
