"""Beginning and ending a trace: the first call that is recorded opens it, calls within join it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    aclosing,
    asynccontextmanager,
    contextmanager,
)
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from citeseek.trace.hooks import NOTHING, TRACK

if TYPE_CHECKING:
    from citeseek.trace.record import Trace
    from citeseek.trace.recorder import Track

T = TypeVar("T")

# What a call was asked; a function where it costs something to say.
Question: TypeAlias = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class About(msgspec.Struct, frozen=True):
    """What a trace says of the settings, and the secrets among them, which it leaves out."""

    settings: Mapping[str, Any] = {}
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"About({len(self.secrets)} secrets)"


class Destination:
    """Where the next call is recorded: to ``path`` if there is one, and to ``traces``.

    A second call goes to a file of its own, ``name-2.json``. With a ``source``, the call is run
    again as it was recorded there.
    """

    def __init__(self, path: Path | None = None, source: Trace | None = None) -> None:
        self.path = path
        self.source = source
        self.traces: list[Trace] = []

    def take(self, trace: Trace) -> None:
        """Keep ``trace``; raise InvalidInput when the file cannot be written."""
        from citeseek.trace.file import write  # noqa: PLC0415 - when something is recorded

        self.traces.append(trace)
        if self.path is not None:
            place = len(self.traces)
            name = self.path.name if place == 1 else f"{self.path.stem}-{place}{self.path.suffix}"
            write(trace, self.path.with_name(name))


DESTINATION: ContextVar[Destination | None] = ContextVar("citeseek-trace", default=None)


@contextmanager
def into(path: Path | None, source: Trace | None = None) -> Iterator[Destination]:
    """Record the calls within, to ``path`` if it is given.

    Raise InvalidInput at once when ``path`` cannot be written to, or is a file that is no trace.
    """
    from citeseek.trace.file import check  # noqa: PLC0415 - when something is recorded

    if path is not None:
        check(path)
    destination = Destination(path, source)
    token = DESTINATION.set(destination)
    try:
        yield destination
    finally:
        DESTINATION.reset(token)


class Recording:
    """A trace, or a part of one, from its beginning to its end."""

    def __init__(self, track: Track, keep: Callable[[], None]) -> None:
        self.track = track
        self._keep = keep

    def end(self, error: BaseException | None = None) -> None:
        """Note how it ended, and write the file where it is one of its own."""
        self.track.end(error)
        self._keep()


def opened(
    kind: str, asked: Question, about: Callable[[], About], folder: Path | None
) -> Recording | None:
    """Begin to record a call of ``kind``: as a part of one that is recorded, or as its own.

    None when nobody wants it recorded. ``folder`` is where every call's trace is kept, if anywhere.
    """
    outer, destination = TRACK.get(), DESTINATION.get()
    if outer is None and destination is None and folder is None:
        return None
    told = dict(asked() if callable(asked) else asked)
    if outer is not None:
        return Recording(outer.child(kind, _name(told), told), lambda: None)
    import secrets  # noqa: PLC0415 - when something is recorded

    from citeseek.trace.file import keep, trace_of  # noqa: PLC0415
    from citeseek.trace.playback import Past  # noqa: PLC0415
    from citeseek.trace.record import Part  # noqa: PLC0415
    from citeseek.trace.recorder import Tape, Track  # noqa: PLC0415
    from citeseek.trace.redaction import Secrecy  # noqa: PLC0415

    source = destination.source if destination else None
    known = about()
    tape = Tape(Secrecy(known.secrets), plays=source is not None)
    tape.secrecy.learn(_name(told))
    part = Part(kind=kind, name=_name(told), asked=told)
    track = Track(tape, part, Past(source.call) if source else None)
    trace = trace_of(part, known.settings, secrets.token_hex(8))

    def kept() -> None:
        finished = tape.secrecy.tree(msgspec.to_builtins(trace, enc_hook=repr))
        whole = msgspec.convert(finished, type(trace))
        if destination is not None:
            destination.take(whole)
        elif folder is not None:
            keep(whole, folder)

    return Recording(track, kept)


def recording(
    kind: str,
    asked: Question,
    about: Callable[[], About] = About,
    folder: Path | None = None,
) -> AbstractAsyncContextManager[None]:
    """Record what happens within as a call of ``kind`` that was asked ``asked``.

    Its result is given to :func:`citeseek.trace.result`. At a replay it ends in its turn among
    calls that ran at the same time.
    """
    run = opened(kind, asked, about, folder)
    return NOTHING if run is None else _within(run)


@asynccontextmanager
async def _within(run: Recording) -> AsyncIterator[None]:
    token = TRACK.set(run.track)
    try:
        yield
    except Exception as error:
        await run.track.turn()
        run.end(error)
        raise
    except BaseException as error:
        run.end(error)
        raise
    else:
        await run.track.turn()
        run.end()
    finally:
        TRACK.reset(token)


async def recorded(
    kind: str,
    asked: Question,
    events: AsyncGenerator[T],
    about: Callable[[], About] = About,
    folder: Path | None = None,
) -> AsyncGenerator[T]:
    """Yield ``events`` and record them as a call of ``kind``, whose result is the last of them.

    Only while the next event is made is anything written: between two, the caller is at work.
    """
    async with aclosing(events):
        run = opened(kind, asked, about, folder)
        if run is None:
            async for event in events:
                yield event
            return
        error: BaseException | None = None
        last: T | None = None
        try:
            while True:
                token = TRACK.set(run.track)
                try:
                    last = await anext(events)
                except StopAsyncIteration:
                    break
                finally:
                    TRACK.reset(token)
                yield last
            run.track.part.result = last
        except BaseException as reason:
            error = reason
            token = TRACK.set(run.track)
            try:
                await events.aclose()
            finally:
                TRACK.reset(token)
            raise
        finally:
            run.end(error)


def _name(asked: Mapping[str, Any]) -> str:
    """Return the text by which a call is known among others of its kind."""
    for name in ("text", "url", "message", "question", "query"):
        if isinstance(asked.get(name), str):
            return str(asked[name])
    return ""


__all__ = [
    "About",
    "Destination",
    "Recording",
    "into",
    "opened",
    "recorded",
    "recording",
]
