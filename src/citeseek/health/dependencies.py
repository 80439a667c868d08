"""What Citeseek needs beside itself: libraries, the database, the server that processes share."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from citeseek.errors import InvalidInput
from citeseek.extras import EXTRAS, Extra, Fault, faults, how_to_install
from citeseek.health.finding import Finding, Part, Phrase, is_well, worst_first
from citeseek.health.texts import tell
from citeseek.health.writable import find_unwritable_file
from citeseek.observing.store_state import StoreFault, StoreState
from citeseek.settings import Settings
from citeseek.settings.process_settings import RedisSection

ALL: tuple[Extra, ...] = get_args(Extra)
# What a server does worse, or not at all, without a word from anybody else.
OF_A_SERVER: tuple[Extra, ...] = ("fetch", "metrics")


async def check_libraries(extras: Sequence[Extra] = ALL) -> list[Finding]:
    """Say which libraries of ``extras`` are missing, broken or too old.

    To see whether they are broken they are imported, which takes some seconds for all.
    An extra of whose own nothing is there was not wanted; only ``fetch``, without which pages are
    read worse than they could be, is missed all the same.
    """
    found = {
        # Nobody else need wait for it.
        extra: await asyncio.to_thread(faults, extra)
        for extra in extras
    }
    findings = [_finding(extra, wrong) for extra, wrong in found.items() if wrong]
    if whole := [extra for extra, wrong in found.items() if not wrong]:
        findings.append(tell("libraries", "ok", extras=", ".join(whole)))
    return findings


def _finding(extra: Extra, wrong: tuple[Fault, ...]) -> Finding:
    lost: dict[str, Any] = {
        "extra": extra,
        "lost": Phrase(f"lost.{extra}"),
    }
    if _own(extra) <= {one.library for one in wrong if one.state == "missing"}:
        if extra == "fetch":
            lost["as_status"] = "warning"
        return tell("libraries", "not_installed", more=(how_to_install(extra),), **lost)
    repairs = tuple(dict.fromkeys(one.repair for one in wrong))
    said = "; ".join(map(str, wrong))
    return tell("libraries", "not_whole", more=repairs, faults=said, **lost)


def _own(extra: Extra) -> set[str]:
    """Return the libraries of ``extra`` alone: others may be there for another one's sake."""
    names = {each: {one.partition(">=")[0] for one in EXTRAS[each]} for each in ALL}
    others = set[str]().union(*(names[each] for each in ALL if each != extra))
    return names[extra] - others or names[extra]


# What is said of a store.
_PARTS: Mapping[str, Part] = {"conversations": "database", "valkey": "valkey"}
# What the sentence of each state of a server names.
_NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "database": {
        "ok": ("version",),
        "unusable": (),
        "unreachable": (),
        "too_old": ("version", "least"),
        "read_only": (),
        "behind": (),
        "later": (),
        "foreign": (),
    },
    "valkey": {
        "ok": ("version",),
        "unreachable": ("reason",),
        "too_old": ("version", "least"),
        "replica": (),
        "evicting": ("policy",),
        "full": (),
        "read_only": ("reason",),
    },
}


# The one that every server has, for its operator and for tools.
SHARED_NAME = "postgres"


async def check_database(settings: Settings) -> list[Finding]:
    """Say where conversations are kept, and of a database on a server how it stands."""
    try:
        address = settings.database_url
    except InvalidInput:
        return [tell("database", "unusable")]
    if not address:
        return [_tell_file(settings.sessions_file)]
    if lacking := _without_libraries("database"):
        return lacking
    from citeseek.conversations import postgres  # noqa: PLC0415 - only for a database on a server

    standing = await asyncio.to_thread(postgres.look, address)
    values = {"version": standing.version, "least": str(postgres.LEAST_VERSION)}
    found = [_tell_standing("database", standing.state, values)]
    if standing.state == "ok" and (waiting := await asyncio.to_thread(_count_waiting, address)):
        found.append(tell("database", "no_worker", waiting=str(waiting)))
    if standing.name == SHARED_NAME:
        found.append(tell("database", "shared"))
    return found


def _tell_file(file: Path) -> Finding:
    if there := find_unwritable_file(file):
        return tell("database", "file_not_writable", path=file, there=shlex.quote(str(there)))
    return tell("database", "file", path=file)


def _count_waiting(address: str) -> int:
    """Return how many reports wait for a worker though there is none; 0 if the server is gone."""
    from citeseek.conversations import postgres, queue_schema  # noqa: PLC0415 - see above

    return postgres.ask(address, queue_schema.count_without_worker) or 0


async def check_valkey(settings: Settings) -> list[Finding]:
    """Say what processes share, and of a server how it stands."""
    try:
        url = settings.get(RedisSection.url).required()
    except InvalidInput:
        return [tell("valkey", "unusable")]
    if not url:
        return [tell("valkey", "none")]
    if lacking := _without_libraries("valkey"):
        return lacking
    from citeseek.shared_state.valkey import LEAST_VERSION, look  # noqa: PLC0415 - with the extra

    standing = await look(url)
    values = {
        "version": standing.version,
        "reason": standing.reason,
        "policy": standing.reason,
        "least": str(LEAST_VERSION),
    }
    return [_tell_standing("valkey", standing.state, values)]


def with_stores(findings: Iterable[Finding], stores: StoreState) -> list[Finding]:
    """Return ``findings`` with what a look at the ``stores`` says that is newer, worst first.

    A server that takes nothing is named where nothing else says so, and one that does is no longer
    unreachable.
    """
    found = list(findings)
    for name, is_up in stores.are_up.items():
        part = _PARTS[name]
        if is_up:
            found = [each for each in found if (each.part, each.code) != (part, "unreachable")]
        elif (fault := stores.faults.get(name)) and is_well(x for x in found if x.part == part):
            found.append(_tell_standing(part, fault.state, _values_of(fault)))
    return worst_first(found)


def _values_of(fault: StoreFault) -> dict[str, str]:
    from citeseek.shared_state.valkey import LEAST_VERSION  # noqa: PLC0415 - with the extra

    return {
        "version": fault.version,
        "reason": fault.reason,
        "policy": fault.reason,
        "least": str(LEAST_VERSION),
    }


def _without_libraries(part: Part) -> list[Finding]:
    """Return what to install for ``part``, nothing where it is installed."""
    # They need not be imported to be missed, and those of answers take seconds.
    if any(fault.state == "missing" for fault in faults("scale", imports=False)):
        return [tell(part, "no_libraries", more=(how_to_install("scale"),))]
    return []


def _tell_standing(part: Part, state: str, values: Mapping[str, str]) -> Finding:
    named: dict[str, Any] = {name: values[name] for name in _NAMED[part][state]}
    return tell(part, state, **named)
