"""Traces: what a call asked the world, what it got, and what it made of it, in one file.

See docs/traces.md for the format, and :mod:`citeseek.replay` for what can be done with it.
"""

from citeseek.trace.inputs import (
    answered,
    called,
    current,
    deadline,
    drawn,
    made,
    measured,
    shared,
    slept,
    waited,
)
from citeseek.trace.recording import About, into, keeping

__all__ = [
    "About",
    "answered",
    "called",
    "current",
    "deadline",
    "drawn",
    "into",
    "keeping",
    "made",
    "measured",
    "shared",
    "slept",
    "waited",
]
