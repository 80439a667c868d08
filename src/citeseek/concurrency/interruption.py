"""Work of a program that Ctrl-C ends soon, whatever it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# How long work that was interrupted may take to put things back.
ENDING_SECONDS = 0.5


def run_interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns, run in an event loop of its own as ``asyncio.run`` does.

    Ctrl-C cancels it and raises KeyboardInterrupt after at most ``ENDING_SECONDS``: what is not
    over by then, and what threads still do, is left as it is, so the program has to end.
    """
    runner = asyncio.Runner()
    try:
        result = runner.run(_end_soon(work))
    except KeyboardInterrupt:
        # To close the loop would wait for its threads, and for tasks that nobody can cancel.
        raise
    except BaseException:
        runner.close()
        raise
    runner.close()
    return result


async def _end_soon(work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns; when this is cancelled, do not wait long for it."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=ENDING_SECONDS)
        if not task.done():
            raise
    return task.result()
