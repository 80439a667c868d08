"""Single flight: equal questions asked at the same time share one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from citeseek import observing
from citeseek.errors import BudgetSpent

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Lets equal questions asked at the same time share one answer."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, asyncio.Future[T]] = {}

    async def run(self, key: Hashable, search: Callable[[], Awaitable[T]]) -> T:
        """Return the result of ``search``, or that of an equal search already under way.

        The first caller searches; the others wait for it and share its answer or its error. When it
        is cancelled, or its budget is spent, the next of them searches. ``key`` must hold the time
        limit, so that nobody shares the timeout of a more impatient caller.
        """
        # A future belongs to its loop.
        key = (asyncio.get_running_loop(), key)
        while (flight := self._flights.get(key)) is not None:
            if operation := observing.current():
                operation.is_shared = True
            try:
                return await asyncio.shield(flight)
            except BudgetSpent:
                # Theirs is spent, which says nothing of ours.
                if operation:
                    operation.is_shared = False
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        try:
            response = await search()
        except asyncio.CancelledError:
            flight.cancel()
            raise
        except Exception as error:
            flight.set_exception(error)
            flight.exception()  # seen: no warning when nobody else was waiting
            raise
        else:
            flight.set_result(response)
            return response
        finally:
            del self._flights[key]
