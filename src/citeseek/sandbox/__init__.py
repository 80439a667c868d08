"""Work on bytes of others, in processes that are ended when it takes too much.

:class:`Sandbox` runs a function in such a process; :class:`Allowance` says how much it may take.
There are a few workers, of which one is for what takes long. Everybody has a short time first. What
needs more is begun again with the whole time, one such task after the other, so that pages which
take long hold up one another and nobody else.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import structs

from citeseek.concurrency.portal import KEEPER
from citeseek.errors import WebParseError
from citeseek.sandbox.messages import Task, TaskResult, encode
from citeseek.sandbox.worker_process import Allowance, Exceeded, Limit, Worker
from citeseek.trace.trace_record import error_of, load_unexpected

__all__ = ["Allowance", "Sandbox"]
T = TypeVar("T")

# Most pages take a tenth of it.
SHORT_SECONDS = 0.5


class Sandbox:
    """Runs functions on bytes of others, within ``allowance``.

    Event loops in different threads may share one, and sandboxes of one allowance share their
    workers, which end with the last of them that is closed. None is started before it is needed.
    """

    def __init__(self, allowance: Allowance | None = None) -> None:
        self._allowance = allowance or Allowance()
        self._pool: _Pool | None = None

    async def run(self, function: Callable[..., T], **arguments: Any) -> T:
        """Return what ``function`` returns, or raise the error of ours that it raises.

        It must be one of a module, whose annotations say what its arguments and its result are.
        Whoever stops waiting ends it. Raise WebParseError: ``too_complex`` for work that took more
        than it may, ``no_worker`` when no process can be started.
        """
        task = Task(
            function=f"{function.__module__}:{function.__qualname__}",
            arguments={name: msgspec.Raw(encode(value)) for name, value in arguments.items()},
            seconds=self._allowance.seconds,
        )
        reply = await KEEPER.reach(self._enter_pool().run(task))
        if reply.failure:
            raise error_of(reply.failure)
        if reply.raised:
            raise load_unexpected(reply.raised)
        value: T = msgspec.msgpack.decode(reply.value, type=_result_of(function))
        return value

    def warm(self, function: Callable[..., Any]) -> None:
        """Begin to start a worker for ``function`` if none is free.

        It costs no time, and saves some where work comes a little later. What takes long to import
        and is imported by the function alone, its module names in ``LIBRARIES``.
        """
        KEEPER.begin(self._enter_pool().warm(function.__module__))

    def hold(self) -> None:
        """Keep the workers, once others have started some, until this sandbox is closed."""
        self._enter_pool()

    async def close(self) -> None:
        """End the workers, unless another sandbox uses them too; work under way fails."""
        pool, self._pool = self._pool, None
        if pool is not None and pool.is_ours and _leave(pool):
            await KEEPER.reach(pool.close())

    def _enter_pool(self) -> _Pool:
        pool = self._pool
        if pool is None or not pool.is_ours:
            pool = self._pool = _enter(self._allowance)
        return pool


@cache
def _result_of(function: Callable[..., T]) -> type[T]:
    """Return the type that the annotations of ``function`` name."""
    kind: type[T] = get_type_hints(function)["return"]
    return kind


class _Pool:
    """Workers of one allowance. Everything but ``users`` is the keeper's."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.users = 0
        self._owner = os.getpid()
        self._modules: set[str] = set()
        self._all: set[Worker] = set()
        self._idle: list[Worker] = []
        self._short = asyncio.Semaphore(allowance.workers)
        self._long = asyncio.Semaphore(1)

    @property
    def is_ours(self) -> bool:
        """Whether the workers belong to this process, and not to the one that it was forked of."""
        return self._owner == os.getpid()

    async def run(self, task: Task) -> TaskResult:
        """Return what came of ``task``."""
        try:
            try:
                async with self._short:
                    seconds = min(task.seconds, SHORT_SECONDS)
                    return await self._do(structs.replace(task, seconds=seconds))
            except Exceeded as exceeded:
                if exceeded.limit != "time" or task.seconds <= SHORT_SECONDS:
                    raise
            async with self._long:
                return await self._do(structs.replace(task, is_long=True))
        except Exceeded as exceeded:
            raise _too_complex(exceeded.limit, task.seconds) from None

    async def warm(self, module: str) -> None:
        """Have an idle worker, unless all are at work; new ones import ``module`` at once."""
        self._modules.add(module)
        if not self._idle and len(self._all) < self.allowance.workers:
            self._idle.append(await self._start())

    async def close(self) -> None:
        """End all workers."""
        self._idle.clear()
        await asyncio.gather(*(self._end(worker) for worker in self._all))

    async def _do(self, task: Task) -> TaskResult:
        worker = self._idle.pop() if self._idle else await self._start()
        try:
            reply = await worker.ask(task)
        finally:
            if worker.is_fit:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return reply

    async def _start(self) -> Worker:
        worker = await Worker.start(self.allowance, sorted(self._modules))
        self._all.add(worker)
        return worker

    async def _end(self, worker: Worker) -> None:
        await worker.end()
        self._all.discard(worker)


_pools: dict[Allowance, _Pool] = {}
_lock = threading.Lock()


def _enter(allowance: Allowance) -> _Pool:
    with _lock:
        pool = _pools.get(allowance)
        if pool is None or not pool.is_ours:
            pool = _pools[allowance] = _Pool(allowance)
        pool.users += 1
        return pool


def _leave(pool: _Pool) -> bool:
    """Take one user away; return whether it was the last."""
    with _lock:
        pool.users -= 1
        if not pool.users and _pools.get(pool.allowance) is pool:
            del _pools[pool.allowance]
        return not pool.users


def _too_complex(limit: Limit, seconds: float) -> WebParseError:
    what = {
        "time": f"would take more than {seconds:g} s of processor time",
        "memory": "would take more memory than it may",
        "output": "would give more text than it may",
        "process": "ends the process that reads it",
    }[limit]
    return WebParseError(
        f"It is too complex to be read: it {what}.",
        detail_code="too_complex",
        values={"case": limit, "seconds": f"{seconds:g}"},
    )
