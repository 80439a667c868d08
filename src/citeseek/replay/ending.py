"""What is compared of two calls: what they came to."""

from __future__ import annotations

from typing import Any

from citeseek.trace.file import encoded
from citeseek.trace.record import Part, Trace

_OF_THE_RUN = frozenset({"duration_ms", "trace_id"})


def is_same(one: Trace, other: Trace) -> bool:
    """Whether both calls came to the same end, byte for byte.

    Of a report, the times of its steps and the number of the run are not looked at.
    """
    return encoded((ending(one.call), one.call.failure)) == encoded(
        (ending(other.call), other.call.failure)
    )


def ending(call: Part) -> Any:
    """Return the result of ``call``, of a report without what is different in every run."""
    return _without_times(call.result) if call.kind == "report" else call.result


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if name not in _OF_THE_RUN}
        return {name: _without_times(inner) for name, inner in kept.items()}
    if isinstance(value, list):
        return [_without_times(inner) for inner in value]
    return value
