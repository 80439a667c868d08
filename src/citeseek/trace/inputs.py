"""What comes from outside, written to the track of the operation under way, or taken from it.

The objects that give it call these (``recorded_*.py`` in the rooms): it is written down while a
call is recorded, and given back as it was then when the call is run again. Where nothing is
recorded, each costs a look.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from citeseek.observing.hooks import WATCH

if TYPE_CHECKING:
    from citeseek.trace.track import Track

T = TypeVar("T")

# All that came in time is there at once; what did not is waited for so long.
RUNNING_OUT_SECONDS = 2.0


def current() -> Track | None:
    """Return the track of the operation under way, None when it is not recorded."""
    watch = WATCH.get()
    return None if watch is None or watch.operation is None else watch.operation.track


def drawn(name: str, value: T, kind: Any = Any) -> T:
    """Return a ``value`` of chance, clock or memory; ``kind`` is its type, to read it back."""
    track = current()
    return value if track is None else track.drawn(name, value, kind)


def called(name: str, work: Callable[[], T], kind: Any = Any) -> T:
    """Return what ``work`` returns or raises by a state that other calls made."""
    track = current()
    return work() if track is None else track.called(name, work, kind)


def made(name: str, work: Callable[[], T]) -> T:
    """Return what ``work`` makes, also at a replay, unless it failed then."""
    track = current()
    return work() if track is None else track.made(name, work)


async def answered(name: str, work: Callable[[], Awaitable[T]], kind: Any = Any) -> T:
    """Return what somebody outside answers, who is not asked again at a replay."""
    track = current()
    return await (work() if track is None else track.answered(name, work, kind))


async def waited(name: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do ``work`` that takes time, and may be cut off by a deadline."""
    track = current()
    return await (work() if track is None else track.waited(name, work))


async def slept(name: str, sleep: Callable[[], Awaitable[None]]) -> None:
    """Wait, though not at a replay."""
    track = current()
    if track is None or not track.recording.plays:
        await waited(name, sleep)
    else:
        await track.waited(name, _at_once)


async def shared(
    run: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
    work: Callable[[], Awaitable[T]],
    kind: Any = Any,
) -> T:
    """Run ``work`` through ``run``, where an equal call may already be under way."""
    track = current()
    return await (run(work) if track is None else track.shared(run, work, kind))


def measured(name: str, value: T) -> T:
    """Return a measured ``value``; of several measurements the last one counts."""
    track = current()
    return value if track is None else track.measured(name, value)


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
