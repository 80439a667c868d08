"""What differs between two traces, told in sentences."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from citeseek.replay.damage import reading
from citeseek.replay.ending import ending
from citeseek.replay.ranking import engine_changes, page_changes
from citeseek.trace.file import encoded
from citeseek.trace.record import Failed, Part, Trace

MAX_LINES = 200
# An id that is made anew for every fence.
_FENCE = re.compile(r'(id=\\*")[0-9a-f]{16}(?=\\*")')


@reading()
def differences(before: Trace, after: Trace) -> list[str]:
    """Return what changed from ``before`` to ``after``; nothing when the calls came out alike.

    Raise InvalidInput for a trace that is damaged.
    """
    told: list[str] = []
    if (before.call.kind, before.call.name) != (after.call.kind, after.call.name):
        told.append(
            f"asked: {before.call.kind} {before.call.name!r} → {after.call.kind} "
            f"{after.call.name!r}"
        )
    told += _lines("asked", before.call.asked, after.call.asked)
    told += _lines("settings", before.settings, after.settings)
    for then, now in _pairs(before.call, after.call):
        told += _searches(then, now) if then.kind == "search" else _models(then, now)
    told += _failures(before.call, after.call)
    # What became of the pages of a search is told above, in better words.
    if before.call.kind != "search" or not told:
        told += _lines("result", ending(before.call), ending(after.call))
    return told


def _searches(then: Part, now: Part) -> list[str]:
    told = [*engine_changes(then, now), *map(str, page_changes(then, now))]
    told += _drops(then, now)
    if not told:
        items = [(part.result or {}).get("items") for part in (then, now)]
        told = _lines("items", *items)
    return [f"search {then.name!r}:", *told] if told else []


def _drops(then: Part, now: Part) -> Iterator[str]:
    """Tell of results that an engine showed and that are not fit to show."""
    for engine_then, engine_now in _named(then, now):
        before, after = engine_then.noted("dropped"), engine_now.noted("dropped")
        if len(before) != len(after):
            yield f"{engine_then.name}: results left out: {len(before)} → {len(after)}"
        for note in engine_now.noted("asked_otherwise"):
            yield f"{engine_now.name}: asks in another way than then: {note['now']}"


def _models(then: Part, now: Part) -> list[str]:
    return _lines(
        f"prompt of {now.asked.get('model', 'the model')}",
        _without_ids(then.asked.get("messages")),
        _without_ids(now.asked.get("messages")),
    )


def _without_ids(value: Any) -> Any:
    return _FENCE.sub(r"\1", encoded(value).decode()).splitlines()


def _failures(then: Part, now: Part) -> list[str]:
    if then.failure == now.failure:
        return []
    return [f"failed: {_told(then.failure)} → {_told(now.failure)}"]


def _told(failure: Failed | None) -> str:
    return f"{failure.code}: {failure.message}" if failure else "no"


def _pairs(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    """Yield the searches and the calls of models that are in both, one beside the other."""
    if before.kind == after.kind and before.kind in ("search", "model"):
        yield before, after
    for then, now in _named(before, after):
        yield from _pairs(then, now)


def _named(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    left = list(after.parts)
    for then in before.parts:
        now = next((p for p in left if (p.kind, p.name) == (then.kind, then.name)), None)
        if now is not None:
            left.remove(now)
            yield then, now


def _lines(about: str, before: Any, after: Any) -> list[str]:
    """Return the lines of two values that differ, as a patch shows them."""
    if encoded(before) == encoded(after):
        return []
    patch = difflib.unified_diff(
        encoded(before).decode().splitlines(),
        encoded(after).decode().splitlines(),
        lineterm="",
        n=1,
    )
    shown = list(islice(patch, 2, 2 + MAX_LINES))
    return [f"{about}:", *(f"    {line}" for line in shown)]


@reading()
def as_json(before: Trace, after: Trace) -> dict[str, Any]:
    """Return the same for programs: the searches with their pages, and all of it in sentences."""
    return {
        "same": not differences(before, after),
        "searches": [
            {
                "query": then.name,
                "engines": engine_changes(then, now),
                "pages": msgspec.to_builtins(page_changes(then, now)),
            }
            for then, now in _pairs(before.call, after.call)
            if then.kind == "search"
        ],
        "differences": differences(before, after),
    }
