"""What a case expects, compared with what was observed.

The words of an expectation are the same for every op. ``any_of``: one of these objects holds whole.
``<name>_any``: one of these values holds. ``<name>_keeps`` and ``<name>_lacks``: texts that are, or
are not, in it. ``max_<name>``, ``<name>_max``, ``<name>_max_chars``: a limit of a number or of a
length; ``min`` likewise. Any other name is compared with what was observed under it, or looked at
by a check of the op's own. What nobody knows is a difference: no expectation is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Seen = Mapping[str, Any]
# Looks at what is expected; returns what is wrong, a sentence each.
Checks = Mapping[str, Callable[[Any], list[str]]]
_NO_CHECKS: Checks = {}
_SHOWN_CHARS = 300


def differences(expect: Mapping[str, Any], seen: Seen, checks: Checks = _NO_CHECKS) -> list[str]:
    """Return a sentence for each expectation that does not hold."""
    return [wrong for name in expect for wrong in _difference(name, expect[name], seen, checks)]


def unequal(name: str, expected: object, got: object) -> list[str]:
    """Return the difference, if any, between two values."""
    return [] if expected == got else [f"expected {name} {expected!r}, got {_short(got)}"]


def missing(name: str, wanted: list[Any], present: list[Any] | str) -> list[str]:
    """Return a difference for each of ``wanted`` that is not there."""
    got = _short(present)
    return [f"expected {name} {one!r}, got {got}" for one in wanted if one not in present]


def unwanted(name: str, barred: list[Any], present: list[Any] | str) -> list[str]:
    """Return a difference for each of ``barred`` that is there."""
    got = _short(present)
    return [f"expected no {name} {one!r}, got {got}" for one in barred if one in present]


def _difference(name: str, wanted: Any, seen: Seen, checks: Checks) -> list[str]:
    if name == "any_of":
        return _best(name, [differences(one, seen, checks) for one in wanted])
    if name in checks:
        return checks[name](wanted)
    if name in seen:
        return unequal(name, wanted, seen[name])
    if base := _stem(name, end="_any"):
        return _best(name, [_difference(base, one, seen, checks) for one in wanted])
    return _by_suffix(name, wanted, seen)


def _by_suffix(name: str, wanted: Any, seen: Seen) -> list[str]:
    if (base := _stem(name, end="_keeps")) in seen:
        return missing(base, _listed(wanted), seen[base])
    if (base := _stem(name, end="_lacks")) in seen:
        return unwanted(base, _listed(wanted), seen[base])
    for word, is_beyond in (("max", float.__gt__), ("min", float.__lt__)):
        for start, end in ((f"{word}_", ""), ("", f"_{word}"), ("", f"_{word}_chars")):
            if (base := _stem(name, start, end)) in seen:
                size = _size(seen[base])
                return (
                    [f"expected {name} {wanted}, got {size}"]
                    if is_beyond(size, float(wanted))
                    else []
                )
    return [f"the checker does not know {name!r}"]


def _stem(name: str, start: str = "", end: str = "") -> str:
    """Return ``name`` without its ``start`` and ``end``, "" when it has not both."""
    fits = name.startswith(start) and name.endswith(end)
    return name.removeprefix(start).removesuffix(end) if fits else ""


def _best(name: str, attempts: list[list[str]]) -> list[str]:
    """Return the differences of the best attempt, none where one holds."""
    best = min(attempts, key=len)
    return [f"{name}: {wrong}" for wrong in best]


def _listed(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _size(value: Any) -> float:
    return float(value if isinstance(value, int | float) else len(value))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
