"""Where primp delivers its answers: to an event loop that may have ended meanwhile.

A thread of primp sees that nobody has cancelled a call, makes its answer, and hands it to the loop.
A deadline that passes in between, as ours and primp's own often do together, lets the program
cancel the call and close the loop first. asyncio then refuses the answer, and primp prints that as
a traceback into whatever the program writes.
"""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop, Future, _set_running_loop
from collections.abc import Callable
from contextvars import Context
from typing import Any, TypeVar

T = TypeVar("T")


class Delivery:
    """What primp knows of a loop; an answer that comes after the loop's end is dropped."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop

    def create_future(self) -> Future[Any]:
        """Return a future of the loop."""
        return self._loop.create_future()

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *arguments: Any, context: Context | None = None
    ) -> None:
        """Call ``callback`` in the loop, or never when that has ended."""
        try:
            self._loop.call_soon_threadsafe(callback, *arguments, context=context)
        except RuntimeError:
            if not self._loop.is_closed():
                raise


def asked(call: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Return what ``call`` of primp returns: a coroutine, whose answer takes the way above.

    primp takes the loop that is running when it is called, so that is the moment to show another.
    """
    loop = asyncio.get_running_loop()
    _set_running_loop(Delivery(loop))  # type: ignore[arg-type]
    try:
        return call(*arguments, **options)
    finally:
        _set_running_loop(loop)
