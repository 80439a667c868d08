"""Is it well? One canary query per engine, and what came of it in one word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from citeseek.client import Client
from citeseek.engine import Engine
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
from citeseek.models import Failure
from citeseek.searching import failed_pages
from citeseek.searching.cache import NoCache

State: TypeAlias = Literal[
    "ok", "empty", "blocked", "drifted", "no_key", "key_refused", "unreachable", "failed"
]

# Words that every index has pages for.
CANARY = "python"

STATES: tuple[tuple[type[SearchFailed], State], ...] = (
    (WebBlocked, "blocked"),
    (WebParseError, "drifted"),
    (AuthError, "key_refused"),
    (Timeout, "unreachable"),
    (NetworkError, "unreachable"),
    (BadGateway, "unreachable"),
    (SearchFailed, "failed"),
)
# Nothing to mend: it works, or it is simply not in use.
WELL: frozenset[State] = frozenset({"ok", "no_key"})


class EngineCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of one engine's canary query.

    ``failure`` is None when it answered; ``evidence`` is the page that was kept, if any.
    """

    engine: str
    state: State
    results: int = 0
    took_ms: int = 0
    failure: Failure | None = None
    evidence: str = ""


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
        response = await client.search(CANARY, engine=name, cache=NoCache(), retry=True)
    except SearchFailed as error:
        if error.detail_code == "key_missing":
            return EngineCheck(name, "no_key", failure=Failure.of(error))
        state = next(state for kind, state in STATES if isinstance(error, kind))
        try:
            kept = str(failed_pages.keep(error, folder) or "")
        except InvalidInput as reason:
            kept = f"not kept: {reason.message}"
        return EngineCheck(name, state, failure=Failure.of(error), evidence=kept)
    state = "ok" if response.items else "empty"
    return EngineCheck(name, state, results=response.count, took_ms=response.took_ms)
