"""A worker: reads a task, does it within its limits, answers, and reads the next one.

It runs in a process of its own, started by :mod:`citeseek.sandbox.worker_process`. It prints
nothing, and ends when its input does.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import ModuleType
from typing import IO, Any, get_type_hints

import msgspec

from citeseek.errors import CiteseekError
from citeseek.sandbox.messages import HEADER, Start, Task, TaskResult, encode
from citeseek.trace.trace_record import dump_failure

# What takes long goes behind everything else.
NICENESS = 10
_PR_SET_PDEATHSIG = 1


def serve(argument: str) -> None:
    """Do the tasks of standard input until it ends; ``argument`` is a Start as JSON."""
    start = msgspec.json.decode(argument, type=Start)
    tasks, replies = _channel()
    # Ctrl-C at a terminal reaches every process there; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    _end_with_parent(start.parent)
    _limit(start.memory_mb)
    for name in start.modules:
        _module(name)
    # What is there now stays; it need not be looked through again.
    gc.freeze()
    _write(replies, b"")
    while frame := _read(tasks):
        _write(replies, _reply(frame, start.output_bytes))


def _channel() -> tuple[IO[bytes], IO[bytes]]:
    """Take standard input and output for the messages; whatever else prints, prints to nobody."""
    tasks, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nobody = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nobody, standard)
    os.close(nobody)
    return tasks, replies


def _read(tasks: IO[bytes]) -> bytes:
    """Return the next frame, nothing at the end of the input."""
    header = tasks.read(HEADER.size)
    if len(header) < HEADER.size:
        return b""
    (size,) = HEADER.unpack(header)
    frame = tasks.read(size)
    return frame if len(frame) == size else b""


def _write(replies: IO[bytes], frame: bytes) -> None:
    replies.write(HEADER.pack(len(frame)) + frame)
    replies.flush()


def _end_with_parent(parent: int) -> None:
    """Be killed by the kernel when ``parent`` is gone, where it does that.

    Elsewhere the end of the input ends a worker that waits, and its own limits one that works.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - for Linux alone

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit()


def _limit(memory_mb: int) -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows has none

    # Systems that know no such limit refuse it; the other limits hold there.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _reply(frame: bytes, output_bytes: int) -> bytes:
    try:
        value = encode(_do(msgspec.msgpack.decode(frame, type=Task)))
        # What may not leave is not copied either.
        if len(value) > output_bytes:
            return encode(TaskResult(exceeded="output", kept_mb=_memory_mb()))
        reply = TaskResult(value=msgspec.Raw(value), kept_mb=_memory_mb())
    except CiteseekError as error:
        reply = TaskResult(failure=dump_failure(error), kept_mb=_memory_mb())
    except (MemoryError, RecursionError):
        reply = TaskResult(exceeded="memory", kept_mb=_memory_mb())
    except Exception as error:  # noqa: BLE001 - its text may hold the page
        reply = TaskResult(raised=type(error).__name__, kept_mb=_memory_mb())
    return encode(reply)


def _do(task: Task) -> Any:
    function, hints = _function(task.function)
    arguments = {
        name: msgspec.msgpack.decode(value, type=hints[name])
        for name, value in task.arguments.items()
    }
    if task.is_long and sys.platform != "win32":
        os.nice(NICENESS)
    with _limit_time(task.seconds):
        return function(**arguments)


@cache
def _function(name: str) -> tuple[Any, dict[str, Any]]:
    module, _, attribute = name.partition(":")
    function = getattr(_module(module), attribute)
    return function, get_type_hints(function)


def _module(name: str) -> ModuleType:
    """Return a module, and import what it names as the ``LIBRARIES`` that it uses later.

    That takes longer than most pages, and is not to count as their time.
    """
    module = importlib.import_module(name)
    for library in getattr(module, "LIBRARIES", ()):
        # One that is broken may raise anything; whoever uses it tells what is wrong with it.
        with suppress(Exception):
            importlib.import_module(library)
    return module


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """End this process when what is done within takes longer.

    The clock is the kernel's: an expression in C that holds the interpreter's lock is ended as
    well. Windows has none; there the program ends this process.
    """
    if sys.platform == "win32":
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _memory_mb() -> int:
    """Return the memory that this process keeps, where the system tells: 0 elsewhere."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - ten times as fast
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20
