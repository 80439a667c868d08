"""Work that nobody need wait for: it goes on when the search that began it has been given up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_CANCELLED_AGAIN_SECONDS = 0.2


class Chores:
    """Background tasks, held until they are done. A failure is for whoever waits for the task."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin ``work``."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    async def finish(self) -> None:
        """Wait until all are done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Looked at, so that asyncio does not report it when nobody waits.
            task.exception()


async def outcome(task: asyncio.Task[T]) -> T:
    """Wait for ``task`` and return its result; to stop waiting does not stop the task."""
    await asyncio.wait({task})
    return task.result()


async def cancel(*tasks: asyncio.Task[Any]) -> None:
    """Return when ``tasks`` have ended, cancelled as often as it takes.

    A library may take a cancellation for its own, of a connection that it closes for example.
    """
    under_way = {task for task in tasks if not task.done()}
    while under_way:
        for task in under_way:
            task.cancel()
        _, under_way = await asyncio.wait(under_way, timeout=_CANCELLED_AGAIN_SECONDS)


async def finish(work: Coroutine[Any, Any, None]) -> None:
    """Finish ``work`` also when the caller is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
