"""The server that processes share: whether there is one, and whether it can be used."""

from __future__ import annotations

from typing import Any

from citeseek.errors import InvalidInput
from citeseek.extras import faults, how_to_install
from citeseek.health.finding import Finding
from citeseek.health.texts import tell
from citeseek.settings import Settings
from citeseek.settings.process_settings import RedisSection

# What the sentence of each names.
_NAMED: dict[str, tuple[str, ...]] = {
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
    named: dict[str, Any] = {name: values[name] for name in _NAMED[standing.state]}
    return [tell("valkey", standing.state, **named)]
