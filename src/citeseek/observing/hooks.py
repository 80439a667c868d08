"""What the rest of the program says to whoever watches. Where nobody does, it costs a look."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    aclosing,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from typing import TypeVar

import msgspec

from citeseek.observing.operation import Kind, Operation, Watcher

T = TypeVar("T")

# What is entered where nobody watches.
NOTHING = nullcontext()


class Watch(msgspec.Struct, frozen=True):
    """Who watches, and the operation that is under way."""

    watchers: tuple[Watcher, ...]
    operation: Operation | None = None


WATCH: ContextVar[Watch | None] = ContextVar("citeseek-watch", default=None)


def is_watched() -> bool:
    """Whether anybody watches."""
    return WATCH.get() is not None


def current() -> Operation | None:
    """Return the operation that is under way, None where nobody watches."""
    watch = WATCH.get()
    return None if watch is None else watch.operation


@contextmanager
def watching(*watchers: Watcher) -> Iterator[None]:
    """Let ``watchers`` watch what is done within, beside those who watch already."""
    token = WATCH.set(_joined(watchers))
    try:
        yield
    finally:
        WATCH.reset(token)


def operation(kind: Kind, name: str = "") -> AbstractContextManager[Operation | None]:
    """Tell of what is done within as one operation; give it, or None where nobody watches."""
    watch = WATCH.get()
    return NOTHING if watch is None else _within(watch, kind, name)


def leaf(kind: Kind, name: str = "") -> AbstractContextManager[Operation | None]:
    """Do as :func:`operation` does, within a generator too; no other operation belongs to it."""
    watch = WATCH.get()
    return NOTHING if watch is None else _alone(watch, kind, name)


def around(
    kind: Kind,
    name: str,
    inner: AbstractAsyncContextManager[None],
    watchers: tuple[Watcher, ...] = (),
) -> AbstractAsyncContextManager[None]:
    """Return ``inner`` as one operation, watched by ``watchers`` as well; itself for nobody."""
    if not watchers and WATCH.get() is None:
        return inner
    return _around(kind, name, inner, watchers)


async def followed(
    kind: Kind | None, events: AsyncGenerator[T], watchers: tuple[Watcher, ...] = ()
) -> AsyncGenerator[T]:
    """Yield ``events``, watched by ``watchers`` as well; with a ``kind``, as one operation of it.

    Only while the next event is made is anybody told: between two, the caller is at work.
    """
    async with aclosing(events):
        watch = _joined(watchers)
        if not watch.watchers:
            async for event in events:
                yield event
            return
        with _alone(watch, kind) if kind else NOTHING as begun:
            inner = Watch(watch.watchers, begun or watch.operation)
            while True:
                token = WATCH.set(inner)
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    break
                finally:
                    WATCH.reset(token)
                yield event


def _joined(watchers: tuple[Watcher, ...]) -> Watch:
    """Return who watches now, each once, and the operation that is under way."""
    watch = WATCH.get() or Watch(())
    new = tuple(one for one in watchers if one not in watch.watchers)
    return Watch(watch.watchers + new, watch.operation) if new else watch


@contextmanager
def _within(watch: Watch, kind: Kind, name: str) -> Iterator[Operation]:
    with _alone(watch, kind, name) as begun:
        token = WATCH.set(Watch(watch.watchers, begun))
        try:
            yield begun
        finally:
            WATCH.reset(token)


@contextmanager
def _alone(watch: Watch, kind: Kind, name: str = "") -> Iterator[Operation]:
    begun = Operation(kind=kind, name=name, outer=watch.operation)
    began_at = time.perf_counter()
    for watcher in watch.watchers:
        watcher.began(begun)
    try:
        yield begun
    except BaseException as error:
        begun.failed(error)
        raise
    finally:
        begun.seconds = time.perf_counter() - began_at
        for watcher in watch.watchers:
            watcher.ended(begun)


@asynccontextmanager
async def _around(
    kind: Kind,
    name: str,
    inner: AbstractAsyncContextManager[None],
    watchers: tuple[Watcher, ...],
) -> AsyncIterator[None]:
    with _within(_joined(watchers), kind, name):
        async with inner:
            yield
