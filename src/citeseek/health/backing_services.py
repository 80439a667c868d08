"""What runs beside a server: the database of its conversations, and what its processes share."""

from __future__ import annotations

import asyncio
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.extras import faults, how_to_install
from citeseek.health.finding import Finding
from citeseek.health.texts import tell
from citeseek.settings import Settings
from citeseek.settings.process_settings import RedisSection

# What the sentence of each names.
_NAMED_OF_DATABASE: dict[str, tuple[str, ...]] = {
    "ok": ("version",),
    "unusable": (),
    "unreachable": (),
    "too_old": ("version", "least"),
    "read_only": (),
    "behind": (),
    "later": (),
    "foreign": (),
}


async def check_database(settings: Settings) -> list[Finding]:
    """Say where conversations are kept, and of a database on a server how it stands."""
    try:
        address = settings.database_url
    except InvalidInput:
        return [tell("database", "unusable")]
    if not address:
        return [tell("database", "file", path=str(settings.sessions_file))]
    # They need not be imported to be missed, and those of answers take seconds.
    if any(fault.state == "missing" for fault in faults("scale", imports=False)):
        return [tell("database", "no_libraries", more=(how_to_install("scale"),))]
    from citeseek.conversations import postgres  # noqa: PLC0415 - only for a database on a server

    standing = await asyncio.to_thread(postgres.look, address)
    values = {"version": standing.version, "least": str(postgres.LEAST_VERSION)}
    named: dict[str, Any] = {name: values[name] for name in _NAMED_OF_DATABASE[standing.state]}
    return [tell("database", standing.state, **named)]


# What the sentence of each names.
_NAMED_OF_VALKEY: dict[str, tuple[str, ...]] = {
    "ok": ("version",),
    "unreachable": ("reason",),
    "too_old": ("version", "least"),
    "replica": (),
    "evicting": ("policy",),
}


async def check_valkey(settings: Settings) -> list[Finding]:
    """Say what processes share, and of a server how it stands."""
    try:
        url = settings.get(RedisSection.url).required()
    except InvalidInput:
        return [tell("valkey", "unusable")]
    if not url:
        return [tell("valkey", "none")]
    if any(fault.state == "missing" for fault in faults("scale", imports=False)):
        return [tell("valkey", "no_libraries", more=(how_to_install("scale"),))]
    from citeseek.shared_state.valkey import LEAST_VERSION, look  # noqa: PLC0415 - with the extra

    standing = await look(url)
    values = {
        "version": standing.version,
        "policy": standing.reason,
        "reason": standing.reason,
        "least": str(LEAST_VERSION),
    }
    named: dict[str, Any] = {name: values[name] for name in _NAMED_OF_VALKEY[standing.state]}
    return [tell("valkey", standing.state, **named)]
