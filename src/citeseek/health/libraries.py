"""The optional libraries: which extras are whole, and what is lost without the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, get_args

from citeseek.extras import EXTRAS, Extra, Fault, faults, how_to_install
from citeseek.health.finding import Finding, Phrase
from citeseek.health.texts import tell

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
