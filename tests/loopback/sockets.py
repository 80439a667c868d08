"""Addresses where no server answers, for the faults that come before HTTP."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILLERS = 8


@contextlib.contextmanager
def refused_port() -> Iterator[int]:
    """Give a port of 127.0.0.1 that refuses connections; it stays taken, so nobody else gets it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def black_hole() -> Iterator[int]:
    """Give a port of 127.0.0.1 where a connection is never made and never refused.

    The queue of the listening socket is full, so the kernel leaves every further SYN unanswered.
    """
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(_FILLERS):
            filler = stack.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]
