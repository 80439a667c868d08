"""Somebody who only wants to know how the server is, while others attack it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.serving.command import Process

# Some milliseconds where nothing else runs; the machine of a test may be busy.
SOON_SECONDS = 6.0


@contextmanager
def bystander(server: Process) -> Iterator[list[float]]:
    """Ask for the health of ``server`` again and again; give the seconds that each answer took."""
    over = threading.Event()
    took: list[float] = []

    def ask() -> None:
        while not over.is_set():
            began = time.monotonic()
            assert server.call("GET", "/api/v1/health?max_age=60").status == 200
            took.append(time.monotonic() - began)
            over.wait(0.02)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield took
        finally:
            over.set()
            asking.result()


def bound(quiet: list[float]) -> float:
    """Return what p99 may be under an attack: ten times that without, or two seconds.

    Where nothing else runs it is under a tenth of one: see docs/security.md. What is attacked takes
    many seconds where it is not limited.
    """
    return max(2.0, 10 * p99(quiet))


def p99(took: list[float]) -> float:
    return sorted(took)[len(took) * 99 // 100]
