"""What differs between two traces, told in sentences, and whether they came to the same end."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any

import msgspec

from citeseek.replay.ranking import engine_changes, page_changes
from citeseek.text import shorten
from citeseek.trace.trace_file import encode, reject_damage
from citeseek.trace.trace_record import Failed, Part, Trace

# An id that is made anew for every fence.
_FENCE = re.compile(r'(id=\\*")[0-9a-f]{16}(?=\\*")')
_OF_THE_RUN = frozenset({"duration_ms", "latency_ms", "took_ms", "trace_id"})
MAX_LINES = 200
MAX_MEMBERS = 20
_LINE_CHARS = 240
_VALUE_CHARS = 80
# So much of a long line is shown before the place where it differs.
_BEFORE_CHARS = 60
_MISSING = object()


@reject_damage()
def differences(before: Trace, after: Trace) -> list[str]:
    """Return what changed from ``before`` to ``after``; nothing when the calls came out alike.

    Raise InvalidInput for a trace that is damaged.
    """
    if not are_alike(before, after):
        calls = (f"{call.kind} {call.name!r:.80}" for call in (before.call, after.call))
        return [f"asked: {' → '.join(calls)}"]
    changes = differing_members("asked", before.call.asked, after.call.asked)
    is_asked_otherwise = bool(changes)
    changes += differing_members("settings", before.settings, after.settings)
    for then, now in _pairs(before.call, after.call):
        changes += _searches(then, now) if then.kind == "search" else _models(then, now)
    changes += _failures(before.call, after.call)
    # What became of the pages of a search is told above, in better words.
    if before.call.kind == "report" and is_asked_otherwise:
        changes += _pages(before.call, after.call)
    elif before.call.kind != "search" or not changes:
        changes += differing_lines("result", ending(before.call), ending(after.call))
    return changes


def are_alike(before: Trace, after: Trace) -> bool:
    """Whether both are calls of one kind with one text or address, so that they can be compared."""
    then, now = before.call, after.call
    return (then.kind, then.name) == (now.kind, now.name)


def _pages(then: Part, now: Part) -> Iterator[str]:
    """Tell which pages were read for a report: with another question its text is another one."""
    before, after = ({page.name: page for page in part.inner("fetch")} for part in (then, now))
    yield f"pages: {len(before)} → {len(after)}"
    yield from (f"    – {url}" for url in before if url not in after)
    yield from (f"    + {url}" for url in after if url not in before)


def _searches(then: Part, now: Part) -> list[str]:
    changes = [*engine_changes(then, now), *map(str, page_changes(then, now))]
    changes += _drops(then, now)
    if not changes:
        items = [(part.result or {}).get("items") for part in (then, now)]
        changes = differing_lines("items", *items)
    return [f"search {then.name!r}:", *changes] if changes else []


def _drops(then: Part, now: Part) -> Iterator[str]:
    """Tell of results that an engine showed and that are not fit to show."""
    for engine_then, engine_now in _pair(then, now):
        before, after = engine_then.notes_of("dropped"), engine_now.notes_of("dropped")
        if len(before) != len(after):
            yield f"{engine_then.name}: results left out: {len(before)} → {len(after)}"
        for note in engine_now.notes_of("asked_otherwise"):
            yield f"{engine_now.name}: asks in another way than then: {note['now']}"


def _models(then: Part, now: Part) -> list[str]:
    return differing_lines(
        f"prompt of {now.asked.get('model', 'the model')}",
        _without_ids(then.asked.get("messages")),
        _without_ids(now.asked.get("messages")),
    )


def _without_ids(value: Any) -> Any:
    return _FENCE.sub(r"\1", encode(value).decode()).splitlines()


def _failures(then: Part, now: Part) -> list[str]:
    if then.failure == now.failure:
        return []
    return [f"failed: {_describe(then.failure)} → {_describe(now.failure)}"]


def _describe(failure: Failed | None) -> str:
    return f"{failure.code}: {failure.message}" if failure else "no"


def _pairs(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    """Yield the searches and the calls of models that are in both, one beside the other."""
    if before.kind == after.kind and before.kind in ("search", "model"):
        yield before, after
    for then, now in _pair(before, after):
        yield from _pairs(then, now)


def _pair(before: Part, after: Part) -> Iterator[tuple[Part, Part]]:
    left = list(after.parts)
    for then in before.parts:
        now = next((p for p in left if (p.kind, p.name) == (then.kind, then.name)), None)
        if now is not None:
            left.remove(now)
            yield then, now


@reject_damage()
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
            if then.kind == "search" and are_alike(before, after)
        ],
        "differences": differences(before, after),
    }


def is_same(one: Trace, other: Trace, *, is_one_run: bool = True) -> bool:
    """Whether both calls came to the same end, byte for byte.

    How long two runs took is not looked at; ``is_one_run`` says that one is the other's replay,
    which has its times too, but for those of a report's steps.
    """
    is_exact = is_one_run and one.call.kind != "report"
    ends = [call.result if is_exact else ending(call) for call in (one.call, other.call)]
    failures = [call.failure for call in (one.call, other.call)]
    return encode((ends[0], failures[0])) == encode((ends[1], failures[1]))


def ending(call: Part) -> Any:
    """Return the result of ``call`` without what is different in every run."""
    return _without_times(call.result)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if name not in _OF_THE_RUN}
        return {name: _without_times(inner) for name, inner in kept.items()}
    if isinstance(value, list):
        return [_without_times(inner) for inner in value]
    return value


def differing_lines(about: str, before: Any, after: Any) -> list[str]:
    """Return the lines that differ; of long ones the part where they do."""
    if encode(before) == encode(after):
        return []
    patch = difflib.unified_diff(
        encode(before).decode().splitlines(),
        encode(after).decode().splitlines(),
        lineterm="",
        n=1,
    )
    shown = list(islice(patch, 2, 2 + MAX_LINES))
    return [f"{about}:", *(f"    {line}" for line in _cut(shown))]


def differing_members(about: str, before: Any, after: Any) -> list[str]:
    """Return one line for each member that differs, by its path, with a value for each side."""
    differing = list(_differing("", before, after))
    changes = [
        f"{about}: {path}: {_value(one)} → {_value(other)}"
        for path, one, other in differing[:MAX_MEMBERS]
    ]
    more = len(differing) - MAX_MEMBERS
    return [*changes, f"{about}: {more} more"] if more > 0 else changes


def _cut(patch: list[str]) -> Iterator[str]:
    """Yield the lines, long ones from where they leave the one that they are most like."""
    removed: list[str] = []
    for sign, group in groupby(patch, key=lambda line: line[:1]):
        block = list(group)
        if sign == "-":
            removed = block
            continue
        others = block if sign == "+" else []
        yield from (_part(line, _start(line, others)) for line in removed)
        yield from (_part(line, _start(line, removed)) for line in block)
        removed = []
    yield from (_part(line, 0) for line in removed)


def _start(line: str, others: list[str]) -> int:
    if len(line) <= _LINE_CHARS or not others:
        return 0
    return max(0, max(_common(line[1:], other[1:]) for other in others) - _BEFORE_CHARS)


def _common(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _part(line: str, start: int) -> str:
    if len(line) <= _LINE_CHARS:
        return line
    part = line[1 + start : 1 + start + _LINE_CHARS]
    end = "…" if 1 + start + _LINE_CHARS < len(line) else ""
    return f"{line[0]}{'…' if start else ''}{part}{end}"


def _differing(path: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if {type(one), type(other)} <= {dict, object} and one is not other:
        one, other = ({} if side is _MISSING else side for side in (one, other))
        for name in sorted({*one, *other}):
            inner = f"{path}.{name}" if path else name
            yield from _differing(inner, one.get(name, _MISSING), other.get(name, _MISSING))
    elif (one is _MISSING) != (other is _MISSING) or encode(one) != encode(other):
        yield path, one, other


def _value(value: Any) -> str:
    if value is _MISSING:
        return "–"
    return shorten(" ".join(encode(value).decode().split()), _VALUE_CHARS)
