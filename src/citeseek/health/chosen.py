"""The engines that somebody chose for Chat mode, asked one query each."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.choosing import engine_name, groups
from citeseek.client import Client
from citeseek.faces import CHAT
from citeseek.health.engines import State, check_engines
from citeseek.health.finding import Finding
from citeseek.health.keys import answered

_CODES: dict[State, str] = {
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
        answered(check, registry.get(check.engine), _CODES, label=registry.label(check.engine))
        for check in checks
    ]
