"""The engines: which keys are set, which engine names are known, and whether keys are accepted."""

from __future__ import annotations

from collections.abc import Mapping

from citeseek.choosing import has_key
from citeseek.client import Client
from citeseek.engine import AnyEngine, Engine
from citeseek.errors import InvalidInput
from citeseek.health.engines import CANARY, EngineCheck, State, check_engines
from citeseek.health.finding import Finding
from citeseek.health.missing_keys import missing_keys
from citeseek.health.named_engines import named_engines
from citeseek.health.telling import tell
from citeseek.registry import Registry
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
                set=", ".join(engine.id for engine in ready) or "无 (none)",
                unset=", ".join(unset) or "无 (none)",
            ),
        ]
        if not ask:
            return [*found, tell("engines", "not_asked")]
        if ready:
            names = [engine.id for engine in ready]
            checks = await check_engines(client, names, settings.evidence_folder)
            found += [
                answered(check, engine, _CODES) for check, engine in zip(checks, ready, strict=True)
            ]
        return found


def answered(
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
        problem=check.detail,
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
            told = tell(
                "engines",
                "unknown",
                as_status="warning" if named.is_replaced else "error",
                more=(f"# {error.hint}".replace("$", "$$"),),
                origin=named.origin,
                name=named.name,
            )
            found.append(told)
    return found
