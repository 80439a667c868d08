"""A fact that one thread tells another: waited for, never slept for."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

PATIENCE = 60.0


class Signal:
    """Becomes set once, with a bool, and stays set.

    Plain code calls ``signal.wait()``, a coroutine says ``await signal``; both give the bool and
    raise :class:`TimeoutError` after ``PATIENCE`` seconds, so a test that waits for what never
    comes fails instead of hanging.
    """

    def __init__(self) -> None:
        self._future: Future[bool] = Future()

    def set(self, value: bool = True) -> None:  # noqa: FBT001, FBT002  a signal reads as set()
        """Set it; setting it again changes nothing."""
        if not self._future.done():
            self._future.set_result(value)

    def is_set(self) -> bool:
        """Tell whether it is set, without waiting."""
        return self._future.done()

    def wait(self, timeout: float = PATIENCE) -> bool:
        """Block until it is set, at most ``timeout`` seconds."""
        return self._future.result(timeout)

    def __await__(self) -> Generator[Any, None, bool]:
        # The shield keeps a cancelled waiter from cancelling the fact for everyone else.
        waiting = asyncio.shield(asyncio.wrap_future(self._future))
        return asyncio.wait_for(waiting, PATIENCE).__await__()
