"""What is compared of two calls: what they came to."""

from __future__ import annotations

from typing import Any

from citeseek.trace.file import encoded
from citeseek.trace.record import Part, Trace

_OF_THE_RUN = frozenset({"duration_ms", "latency_ms", "took_ms", "trace_id"})


def is_same(one: Trace, other: Trace, *, is_one_run: bool = True) -> bool:
    """Whether both calls came to the same end, byte for byte.

    How long two runs took is not looked at; ``is_one_run`` says that one is the other's replay,
    which has its times too, but for those of a report's steps.
    """
    is_exact = is_one_run and one.call.kind != "report"
    ends = [call.result if is_exact else ending(call) for call in (one.call, other.call)]
    failures = [call.failure for call in (one.call, other.call)]
    return encoded((ends[0], failures[0])) == encoded((ends[1], failures[1]))


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
