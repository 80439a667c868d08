"""The engines: which keys are set, which names are known, and what came of a query to each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from citeseek.client import Client
from citeseek.engine import AnyEngine, Engine
from citeseek.errors import (
    AuthError,
    BadGateway,
    InvalidInput,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.faces import CHAT
from citeseek.health.finding import Finding, phrase
from citeseek.health.settings.named_engines import missing_keys, named_engines
from citeseek.health.texts import tell
from citeseek.models import Failure
from citeseek.searching.cache import NoCache
from citeseek.searching.engine_choice import engine_name, groups, has_key
from citeseek.searching.engine_registry import Registry
from citeseek.searching.failed_pages import keep_failed_page
from citeseek.settings import Settings

_State: TypeAlias = Literal[
    "ok", "empty", "blocked", "drifted", "no_key", "key_refused", "unreachable", "failed"
]
# Words that every index has pages for.
_CANARY = "python"
STATES: tuple[tuple[type[SearchFailed], _State], ...] = (
    (WebBlocked, "blocked"),
    (WebParseError, "drifted"),
    (AuthError, "key_refused"),
    (Timeout, "unreachable"),
    (NetworkError, "unreachable"),
    (BadGateway, "unreachable"),
    (SearchFailed, "failed"),
)
# Nothing to mend: it works, or it is simply not in use.
WELL: frozenset[_State] = frozenset({"ok", "no_key"})


class EngineCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of one engine's canary query.

    ``failure`` is None when it answered; ``evidence`` is the page that was kept, if any.
    """

    engine: str
    state: _State
    results: int = 0
    took_ms: int = 0
    failure: Failure | None = None
    evidence: str = ""


_CODES: dict[_State, str] = {
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
    check: EngineCheck, engine: AnyEngine, codes: Mapping[_State, str], *, label: str = ""
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
        canary=_CANARY,
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


_CHOSEN: dict[_State, str] = {
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


async def check_engines(client: Client, names: Sequence[str], folder: Path) -> list[EngineCheck]:
    """Ask each engine one canary query, all at the same time; keep what went wrong in ``folder``.

    Without ``names``, every engine that searches the web is asked. Nothing comes from a cache.
    Raise InvalidInput for an unknown name.
    """
    if names:
        asked = [client.registry.get(name).id for name in names]
    else:
        asked = [
            engine.id
            for engine in client.registry
            if not (isinstance(engine, Engine) and engine.via == "local")
        ]
    return list(await asyncio.gather(*(_check(client, name, folder) for name in asked)))


async def _check(client: Client, name: str, folder: Path) -> EngineCheck:
    try:
        # A person looks: whether it is well now is not told by its last failures.
        response = await client.search(_CANARY, engine=name, cache=NoCache(), retry=True)
    except SearchFailed as error:
        if error.detail_code == "key_missing":
            return EngineCheck(name, "no_key", failure=Failure.of(error))
        state = next(state for kind, state in STATES if isinstance(error, kind))
        try:
            kept = str(keep_failed_page(error, folder) or "")
        except InvalidInput as reason:
            kept = f"not kept: {reason.message}"
        return EngineCheck(name, state, failure=Failure.of(error), evidence=kept)
    state = "ok" if response.items else "empty"
    return EngineCheck(name, state, results=response.count, took_ms=response.took_ms)
