"""What the rest of the program says to the trace. Where nothing is recorded, it costs a look.

What comes from outside goes through one of these: written down while a call is recorded, given
back as it was then when the call is run again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from citeseek.trace.recorder import Track

T = TypeVar("T")

# All that came in time is there at once; what did not is waited for so long.
RUNNING_OUT_SECONDS = 2.0

# What is entered where nothing is recorded.
NOTHING = nullcontext()

TRACK: ContextVar[Track | None] = ContextVar("citeseek-track", default=None)


def current() -> Track | None:
    """Return the track that is written now, None when nothing is recorded."""
    return TRACK.get()


def drawn(name: str, value: T, kind: Any = Any) -> T:
    """Return a ``value`` of chance, clock or memory; ``kind`` is its type, to read it back."""
    track = TRACK.get()
    return value if track is None else track.drawn(name, value, kind)


def called(name: str, work: Callable[[], T], kind: Any = Any) -> T:
    """Return what ``work`` returns or raises by a state that other calls made."""
    track = TRACK.get()
    return work() if track is None else track.called(name, work, kind)


async def answered(name: str, work: Callable[[], Awaitable[T]], kind: Any = Any) -> T:
    """Return what somebody outside answers, who is not asked again at a replay."""
    track = TRACK.get()
    return await (work() if track is None else track.answered(name, work, kind))


async def waited(name: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do ``work`` that takes time, and may be cut off by a deadline."""
    track = TRACK.get()
    return await (work() if track is None else track.waited(name, work))


async def slept(name: str, sleep: Callable[[], Awaitable[None]]) -> None:
    """Wait, though not at a replay."""
    track = TRACK.get()
    if track is None or not track.tape.plays:
        await waited(name, sleep)
    else:
        await track.waited(name, _at_once)


async def shared(
    run: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
    work: Callable[[], Awaitable[T]],
    kind: Any = Any,
) -> T:
    """Run ``work`` through ``run``, where an equal call may already be under way."""
    track = TRACK.get()
    return await (run(work) if track is None else track.shared(run, work, kind))


def measured(name: str, value: T) -> T:
    """Return a measured ``value``; of several measurements the last one counts."""
    track = TRACK.get()
    return value if track is None else track.measured(name, value)


def note(what: str, **fields: Any) -> None:
    """Write down a decision."""
    if (track := TRACK.get()) is not None:
        track.part.notes.append({"what": what, **fields})


def ran_out_of_time() -> None:
    """Write down that the deadline of this part passed."""
    if (track := TRACK.get()) is not None:
        track.part.ran_out_of_time = True


def deadline(seconds: float | None) -> float | None:
    """Return the limit of a part that may take ``seconds``.

    At a replay there is none, unless the time ran out then: it does so again, and sooner.
    """
    track = TRACK.get()
    if track is None or track.then is None:
        return seconds
    return RUNNING_OUT_SECONDS if track.then.ran_out_of_time else None


def gave_up(name: str) -> None:
    """Write down that the part ``name`` of this one was not waited for."""
    if (track := TRACK.get()) is not None:
        track.part.gave_up.append(name)


def result(value: Any) -> None:
    """Write down what came of this part."""
    if (track := TRACK.get()) is not None:
        track.part.result = value


def part(
    kind: str, name: str, asked: Callable[[], dict[str, Any]] = dict
) -> AbstractContextManager[None]:
    """Write what happens within as a part of its own, which was asked what ``asked`` returns."""
    outer = TRACK.get()
    return NOTHING if outer is None else _within(outer.child(kind, name, asked()))


@contextmanager
def _within(track: Track) -> Iterator[None]:
    token = TRACK.set(track)
    try:
        yield
    except BaseException as error:
        track.end(error)
        raise
    else:
        track.end()
    finally:
        TRACK.reset(token)


async def _at_once() -> None:
    pass
