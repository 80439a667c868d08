"""Work for a client that waits: it ends when the client goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

T = TypeVar("T")

# A number of its own in logs; nobody is there to read the answer.
GONE = 499


class ClientGone(Exception):
    """The client has closed the connection, and its work was stopped."""


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` gives; raise ClientGone when nobody waits for it any more.

    It becomes an answer with the status ``GONE``. The body of ``request`` must have been read.
    """
    task = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()
        await asyncio.wait((task, leaving))
        if not task.cancelled():
            # Somebody has looked at it, so that it is not reported as lost.
            task.exception()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
