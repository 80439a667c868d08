"""The engines: which keys are set, which engine names are known, and whether keys are accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeseek.client import Client
from citeseek.engine import AnyEngine, Engine
from citeseek.errors import InvalidInput
from citeseek.faces import CHAT
from citeseek.health.canaries import CANARY, EngineCheck, State, check_engines
from citeseek.health.finding import Finding, phrase
from citeseek.health.settings.named_engines import missing_keys, named_engines
from citeseek.health.texts import tell
from citeseek.searching.engine_choice import engine_name, groups, has_key
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings

_CODES: dict[State, str] = {
    "ok": "key_accepted",
    "empty": "key_accepted",
    "key_refused": "key_refused",
    "unreachable": "unreachable",
}


async def check_keys(settings: Settings, *, ask: bool = False) -> list[Finding]:
    """Say which keys are set; with ``ask`` send each engine that has one a single cheap search."""
    async with Client(settings) as client:
        registry = client.registry
        keyed = [engine for engine in registry.built_in() if engine.key and engine.key.required]
        ready = [engine for engine in keyed if has_key(engine, settings)]
        unset = [engine.key_env for engine in keyed if engine not in ready]
        found = [
            *_unknown(settings, registry),
            *missing_keys("engines", settings, registry),
            tell(
                "engines",
                "keys",
                set=", ".join(engine.id for engine in ready) or phrase("none"),
                unset=", ".join(unset) or phrase("none"),
            ),
        ]
        if not ask:
            return [*found, tell("engines", "not_asked")]
        if ready:
            names = [engine.id for engine in ready]
            checks = await check_engines(client, names, settings.evidence_folder)
            found += [
                describe_check(check, engine, _CODES)
                for check, engine in zip(checks, ready, strict=True)
            ]
        return found


def describe_check(
    check: EngineCheck, engine: AnyEngine, codes: Mapping[State, str], *, label: str = ""
) -> Finding:
    """Tell what came of asking ``engine``; ``codes`` names the finding for each state but failed.

    It is called by its ``label``, where there is none by its id.
    """
    key = engine.key if isinstance(engine, Engine) else None
    return tell(
        "engines",
        codes.get(check.state, "failed"),
        engine=label or check.engine,
        count=check.results,
        took_ms=check.took_ms,
        canary=CANARY,
        problem=check.failure or "",
        variable=engine.key_env if isinstance(engine, Engine) else "",
        signup=key.signup_url if key else "",
    )


def _unknown(settings: Settings, registry: Registry) -> list[Finding]:
    """Find the engines that the settings name and that there are not."""
    found = []
    for named in named_engines(settings):
        try:
            registry.get(named.name)
        except InvalidInput as error:
            finding = tell(
                "engines",
                "unknown",
                as_status="warning" if named.is_replaced else "error",
                more=(f"# {error.hint}".replace("$", "$$"),),
                origin=named.origin,
                name=named.name,
            )
            found.append(finding)
    return found


_CHOSEN: dict[State, str] = {
    "ok": "works",
    "empty": "nothing_found",
    "no_key": "no_key",
    "key_refused": "key_refused",
    "unreachable": "unreachable",
}


def chosen_engines(names: Sequence[str], client: Client) -> tuple[str, ...]:
    """Return the ids of the engines that are asked first when ``names`` are chosen.

    Without names, it is the one of the settings. Raise InvalidInput for an unknown name.
    """
    registry, settings = client.registry, client.settings
    names = names or (engine_name(settings.face(CHAT), registry, settings).value,)
    first = groups(names, (), registry, settings)[0]
    return tuple(dict.fromkeys(registry.get(name).id for name, _ in first))


async def check_chosen(ids: Sequence[str], client: Client) -> list[Finding]:
    """Ask each engine of ``ids`` one query, as ``citeseek engines check`` does."""
    if not ids:
        return []
    checks = await check_engines(client, ids, client.settings.evidence_folder)
    registry = client.registry
    return [
        describe_check(
            check, registry.get(check.engine), _CHOSEN, label=registry.label(check.engine)
        )
        for check in checks
    ]
