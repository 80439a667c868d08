"""Traces: what a call asked the world, what it got, and what it made of it, in one file.

See docs/traces.md for the format, and :mod:`citeseek.replay` for what can be done with it.

:func:`into` and :func:`keeping` say where calls are recorded. The other functions are called by the
objects that give what comes from outside (``recorded_*.py`` in the rooms): it is written to the
track of the operation under way while a call is recorded, and given back as it was then when the
call is run again. Where nothing is recorded, each costs a look.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from citeseek.observing import watching
from citeseek.observing.hooks import WATCH

if TYPE_CHECKING:
    from citeseek.trace.recorder import Recorder
    from citeseek.trace.trace_record import Trace
    from citeseek.trace.track import Track

__all__ = [
    "ask",
    "current",
    "deadline",
    "draw",
    "into",
    "keeping",
    "make",
    "measure",
    "random_id",
    "share",
    "sleep",
    "wait",
]

T = TypeVar("T")

# All that came in time is there at once; what did not is waited for so long.
RUNNING_OUT_SECONDS = 2.0


class Destination:
    """Where calls are recorded: to ``path`` if there is one, and to ``traces``.

    A second call goes to a file of its own, ``name-2.json``.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.traces: list[Trace] = []

    def take(self, trace: Trace) -> None:
        """Keep ``trace``; raise InvalidInput when the file cannot be written."""
        from citeseek.trace.trace_file import write  # noqa: PLC0415 - when something is recorded

        self.traces.append(trace)
        if self.path is not None:
            place = len(self.traces)
            name = self.path.name if place == 1 else f"{self.path.stem}-{place}{self.path.suffix}"
            write(trace, self.path.with_name(name))


@contextmanager
def into(path: Path | None, source: Trace | None = None) -> Iterator[Destination]:
    """Record the calls within, to ``path`` if it is given.

    Raise InvalidInput at once when ``path`` cannot be written to, or is a file that is no trace.
    """
    from citeseek.trace.recorder import Recorder  # noqa: PLC0415
    from citeseek.trace.trace_file import check  # noqa: PLC0415 - when something is recorded

    if path is not None:
        check(path)
    destination = Destination(path)
    with watching(Recorder(destination.take, source)):
        yield destination


def keeping(folder: Path) -> Recorder:
    """Return the watcher that keeps a file of every call, in the place of its person."""
    from citeseek.trace.recorder import Recorder  # noqa: PLC0415
    from citeseek.trace.trace_file import folder_within, keep  # noqa: PLC0415 - likewise

    def keep_within(trace: Trace) -> None:
        if own := folder_within(folder):
            keep(trace, own)

    return Recorder(keep_within)


def current() -> Track | None:
    """Return the track of the operation under way, None when it is not recorded."""
    watch = WATCH.get()
    return None if watch is None or watch.operation is None else watch.operation.track


def draw(name: str, value: T, kind: Any = Any) -> T:
    """Return a ``value`` of chance, clock or memory; ``kind`` is its type, to read it back."""
    track = current()
    return value if track is None else track.draw(name, value, kind)


def random_id(name: str) -> str:
    """Return a new id, 64 random bits in hexadecimal digits."""
    return draw(name, os.urandom(8).hex(), str)


def make(name: str, work: Callable[[], T]) -> T:
    """Return what ``work`` makes, also at a replay, unless it failed then."""
    track = current()
    return work() if track is None else track.make(name, work)


async def ask(name: str, work: Callable[[], Awaitable[T]], kind: Any = Any) -> T:
    """Return what somebody outside answers, who is not asked again at a replay."""
    track = current()
    return await (work() if track is None else track.ask(name, work, kind))


async def wait(name: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do ``work`` that takes time, and may be cut off by a deadline."""
    track = current()
    return await (work() if track is None else track.wait(name, work))


async def sleep(name: str, pause: Callable[[], Awaitable[None]]) -> None:
    """Wait, though not at a replay."""
    track = current()
    if track is None or not track.recording.plays:
        await wait(name, pause)
    else:
        await track.wait(name, _at_once)


async def share(
    run: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
    work: Callable[[], Awaitable[T]],
    kind: Any = Any,
) -> T:
    """Run ``work`` through ``run``, where an equal call may already be under way."""
    track = current()
    return await (run(work) if track is None else track.share(run, work, kind))


def measure(name: str, value: T) -> T:
    """Return a measured ``value``; of several measurements the last one counts."""
    track = current()
    return value if track is None else track.measure(name, value)


def deadline(seconds: float | None) -> float | None:
    """Return the limit of a part that may take ``seconds``.

    At a replay there is none, unless the time ran out then: it does so again, and sooner.
    """
    track = current()
    if track is None or track.then is None:
        return seconds
    return RUNNING_OUT_SECONDS if track.then.ran_out_of_time else None


async def _at_once() -> None:
    pass
