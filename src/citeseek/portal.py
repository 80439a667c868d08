"""The door for callers that are not asynchronous: an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Portal:
    """Runs coroutines for other threads, each to its end.

    It may be called from anywhere, a running event loop included: that loop stands still meanwhile.
    The thread starts with the first call and never keeps a program from ending.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what ``work`` returns, or raise what it raises.

        An interruption of the waiting thread cancels ``work``.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                started = threading.Event()
                self._thread = threading.Thread(
                    target=self._serve, args=(started,), name="citeseek-portal", daemon=True
                )
                self._thread.start()
                started.wait()
            assert self._loop is not None  # noqa: S101 - set by the thread before it tells
            return self._loop

    def _serve(self, started: threading.Event) -> None:
        with asyncio.Runner() as runner:
            loop = self._loop = runner.get_loop()
            started.set()
            loop.run_forever()
