"""The database of conversations: whether it is there, can be used, and has the tables of now."""

from __future__ import annotations

import asyncio
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.extras import faults, how_to_install
from citeseek.health.finding import Finding
from citeseek.health.texts import tell
from citeseek.settings import Settings

# What the sentence of each names.
_NAMED: dict[str, tuple[str, ...]] = {
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
    named: dict[str, Any] = {name: values[name] for name in _NAMED[standing.state]}
    return [tell("database", standing.state, **named)]
