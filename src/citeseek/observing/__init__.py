"""Watching what the program does while it does it: receipts, metrics, spans, request ids.

Every search, engine, page, answer, call of a model and request is an operation; whoever watches is
told when one begins and when it has ended. See docs/observability.md.
"""

from citeseek.observing.hooks import (
    around,
    current,
    followed,
    is_watched,
    leaf,
    operation,
    watching,
)
from citeseek.observing.operation import Kind, Operation, Watcher

__all__ = [
    "Kind",
    "Operation",
    "Watcher",
    "around",
    "current",
    "followed",
    "is_watched",
    "leaf",
    "operation",
    "watching",
]
