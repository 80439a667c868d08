"""Traces: what a call asked the world, what it got, and what it made of it, in one file.

See docs/traces.md for the format, and :mod:`citeseek.replay` for what can be done with it.
"""

from citeseek.trace.hooks import (
    answered,
    called,
    current,
    deadline,
    drawn,
    gave_up,
    measured,
    note,
    part,
    ran_out_of_time,
    result,
    shared,
    slept,
    waited,
)
from citeseek.trace.recording import About, into, recorded, recording

__all__ = [
    "About",
    "answered",
    "called",
    "current",
    "deadline",
    "drawn",
    "gave_up",
    "into",
    "measured",
    "note",
    "part",
    "ran_out_of_time",
    "recorded",
    "recording",
    "result",
    "shared",
    "slept",
    "waited",
]
