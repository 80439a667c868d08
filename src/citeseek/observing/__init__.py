"""Watching what the program does while it does it: receipts, metrics, spans, traces, request ids.

Every search, engine, page, answer, call of a model and request is an operation, one within the
other; whoever watches is told when one begins and when it has ended. See docs/observability.md.
A watcher may hold to a budget: what goes out is admitted by its account first.
"""

from citeseek.observing.hooks import (
    accounts,
    admit,
    bytes_spent,
    call,
    check_page,
    counts_tokens,
    current,
    find,
    follow,
    follow_redirect,
    grant,
    is_watched,
    leaf,
    name_pages,
    note,
    operation,
    ran_out_of_time,
    watching,
)
from citeseek.observing.operation import Kind, Operation, Watcher

__all__ = [
    "Kind",
    "Operation",
    "Watcher",
    "accounts",
    "admit",
    "bytes_spent",
    "call",
    "check_page",
    "counts_tokens",
    "current",
    "find",
    "follow",
    "follow_redirect",
    "grant",
    "is_watched",
    "leaf",
    "name_pages",
    "note",
    "operation",
    "ran_out_of_time",
    "watching",
]
