"""One worker, seen from the program: started, asked, and killed when it takes too much."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Literal, Self, TypeAlias

import msgspec

from citeseek.errors import WebParseError
from citeseek.sandbox.messages import HEADER, Start, Task, TaskResult, encode
from citeseek.settings import Settings
from citeseek.settings.process_settings import inherited_variables

# -I: neither the environment nor the folder that one happens to be in decides what is imported.
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1])['path'];"
    "from citeseek.sandbox.worker_main import serve; serve(sys.argv[1])"
)
# How a process ends whose processor time is used up, where there is a clock for that.
_OUT_OF_TIME = -signal.SIGPROF if hasattr(signal, "SIGPROF") else None
# Its own limits end a worker sooner; a machine under load gives it its time late.
_WALL_SECONDS = 20
_WALL_FACTOR = 1 if _OUT_OF_TIME is None else 10
_ENDING_SECONDS = 0.2
# Most pages go into a pipe of this size at once; into a usual one in pieces of 64 KB, each of which
# wakes both ends.
_PIPE_BYTES = 1 << 20

Limit: TypeAlias = Literal["time", "memory", "output", "process"]


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """Allowance of one task, and of the processes that do the tasks.

    ``seconds`` of processor time and ``memory_mb`` of address space are one task's; a longer result
    than ``output_bytes`` is none. Of ``workers`` there is one more while a task takes long. A
    worker makes room for a new one after so many ``tasks``, or with ``kept_mb`` of memory.
    """

    workers: int = min(2, os.cpu_count() or 1)
    seconds: float = 10.0
    memory_mb: int = 768
    output_bytes: int = 48_000_000
    tasks: int = 500
    kept_mb: int = 256

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what ``settings`` say."""
        return cls(
            workers=settings.sandbox.workers or cls().workers,
            seconds=settings.sandbox.seconds,
            memory_mb=settings.sandbox.memory_mb,
        )


class Exceeded(Exception):
    """Work that was ended, by the ``limit`` that it did not keep; it may have ended its process."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit = limit


class Worker:
    """A process that does tasks one after the other."""

    def __init__(self, process: asyncio.subprocess.Process, allowance: Allowance) -> None:
        assert process.stdin  # noqa: S101 - it was asked for
        assert process.stdout  # noqa: S101 - it was asked for
        self._process = process
        self._tasks = process.stdin
        self._replies = process.stdout
        self._allowance = allowance
        self._is_ready = False
        self._is_over = False
        self._done = 0
        self._kept_mb = 0

    @classmethod
    async def start(cls, allowance: Allowance, modules: Iterable[str]) -> Self:
        """Start a worker that imports ``modules`` before its first task.

        Raise WebParseError (``no_worker``) when this system lets no process be started.
        """
        start = Start(
            path=tuple(folder or os.getcwd() for folder in sys.path),  # noqa: PTH109 - text
            parent=os.getpid(),
            memory_mb=allowance.memory_mb,
            output_bytes=allowance.output_bytes,
            modules=tuple(modules),
        )
        command = (sys.executable, "-I", "-c", _COMMAND, msgspec.json.encode(start).decode())
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=inherited_variables(),
            )
        except (OSError, ValueError) as error:
            raise no_worker(type(error).__name__) from error
        worker = cls(process, allowance)
        _widen(worker._tasks.get_extra_info("pipe"))
        return worker

    @property
    def is_fit(self) -> bool:
        """Whether it can do another task."""
        return (
            not self._is_over
            and not self._replies.at_eof()
            and self._done < self._allowance.tasks
            and self._kept_mb <= self._allowance.kept_mb
        )

    async def ask(self, task: Task) -> TaskResult:
        """Return what came of ``task``. When that is ended or given up, the process is too.

        Raise Exceeded for work that took too much, WebParseError (``no_worker``).
        """
        try:
            async with asyncio.timeout(_WALL_SECONDS + task.seconds * _WALL_FACTOR):
                return await self._ask(task)
        except (asyncio.IncompleteReadError, ConnectionError):
            ended_by = await self.end()
            if not self._is_ready:
                raise no_worker(f"it ended with {ended_by}") from None
            raise Exceeded("time" if ended_by == _OUT_OF_TIME else "process") from None
        except TimeoutError:
            self.kill()
            raise Exceeded("time") from None
        except BaseException:
            self.kill()
            raise

    async def _ask(self, task: Task) -> TaskResult:
        frame = encode(task)
        self._tasks.write(HEADER.pack(len(frame)) + frame)
        await self._tasks.drain()
        if not self._is_ready:
            await self._replies.readexactly(HEADER.size)
            self._is_ready = True
        (size,) = HEADER.unpack(await self._replies.readexactly(HEADER.size))
        # That it keeps its own limit is not believed; a reply is a little longer than its value.
        if size > self._allowance.output_bytes + 10_000:
            raise Exceeded("output")
        try:
            reply = msgspec.msgpack.decode(await self._replies.readexactly(size), type=TaskResult)
        except msgspec.DecodeError:
            raise Exceeded("process") from None
        if reply.exceeded:
            raise Exceeded(reply.exceeded)
        self._is_over = task.is_long
        self._done += 1
        self._kept_mb = reply.kept_mb
        return reply

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._is_over = True
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> int:
        """Return how the process ended, which is killed unless it ends by itself."""
        self._is_over = True
        self._tasks.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_SECONDS):
                return await self._process.wait()
        self.kill()
        return await self._process.wait()


def _widen(pipe: Any) -> None:
    """Make room in ``pipe`` for a whole page, where the system lets us."""
    if sys.platform == "linux" and pipe is not None:
        import fcntl  # noqa: PLC0415 - Windows has none

        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def no_worker(reason: str) -> WebParseError:
    """Return the error for a process that could not be started."""
    return WebParseError(
        f"No process could be started to read it in ({reason}).",
        hint="Look for a limit of processes or memory, or for a Python that is not whole.",
        detail_code="no_worker",
        values={"case": "no_worker", "reason": str(reason)},
    )
