"""Threads that never end, each with an event loop, for what must not end with its caller's.

:func:`call` is the door for callers that are not asynchronous. ``KEEPER`` holds what belongs to one
loop or one thread for good, and runs no code of others, so nothing can hold it up. No portal keeps
a program from ending. A forked child has none of its parent's threads and starts its own; what the
parent had running there, a browser for one, is not the child's to use.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# How long an interrupted caller waits for its work to put things back.
ENDING_SECONDS = 2.0


class Portal:
    """Runs coroutines for other threads, each to its end. The first one starts the thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what ``work`` returns, or raise what it raises.

        A loop that runs in the caller's thread stands still meanwhile. When the wait is
        interrupted, ``work`` is cancelled.
        """
        ended = threading.Event()
        future = asyncio.run_coroutine_threadsafe(_telling(work, ended), self._running())
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                ended.wait(ENDING_SECONDS)
            raise

    async def reach(self, work: Coroutine[Any, Any, T]) -> T:
        """Do as :meth:`call` does for a coroutine of another loop, which does not stand still."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running()))

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Have ``work`` done and do not wait for it; nobody hears of its failure."""
        asyncio.run_coroutine_threadsafe(work, self._running())

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(loop,), name=self._name, daemon=True).start()
                self._loop = loop
            return self._loop


KEEPER = Portal("citeseek-keeper")
_idle: list[Portal] = []


def call(work: Coroutine[Any, Any, T]) -> T:
    """Do as :meth:`Portal.call` does, in a portal that does nothing else at the time.

    It may be called from anywhere, by what runs in a portal as well: an engine that is asked there
    may itself search, or hold its loop up, at nobody else's cost. There are never more portals than
    there were calls at one time.
    """
    try:
        portal = _idle.pop()
    except IndexError:
        portal = Portal("citeseek-door")
    try:
        return portal.call(work)
    finally:
        _idle.append(portal)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns: in a loop of this thread, which ends, or in a portal.

    It is done in a portal where a loop runs in this thread, which stands still meanwhile.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return call(work)


def for_good(work: Callable[[], T]) -> T:
    """Return what ``work`` returns, run in a thread that lasts as long as the program."""
    if threading.current_thread() is threading.main_thread():
        return work()

    async def there() -> T:
        return work()

    return KEEPER.call(there())


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


async def _telling(work: Coroutine[Any, Any, T], ended: threading.Event) -> T:
    try:
        return await work
    finally:
        ended.set()
