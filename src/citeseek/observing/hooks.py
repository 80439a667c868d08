"""How operations are begun and found. Where nobody watches, each costs one look at a variable."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    aclosing,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from typing import Any, TypeVar

import msgspec

from citeseek.errors import BudgetSpent, CiteseekError
from citeseek.observing.account import Account, is_holder
from citeseek.observing.egress_budget import Limit
from citeseek.observing.operation import Kind, Operation, Watcher, host_of

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


def note(what: str, **fields: Any) -> None:
    """Add a decision to the operation that is under way."""
    if operation := current():
        operation.note(what, **fields)


def accounts() -> tuple[Account, ...]:
    """Return the accounts of the budgets within which something is done now.

    What is done for an answer is within its own account, and not within that of the call of a face
    that asked for it: the one knows the whole conversation, the other a request.
    """
    watch = WATCH.get()
    if watch is None:
        return ()
    holders = (watcher.account for watcher in watch.watchers if is_holder(watcher))
    held = tuple(account for account in holders if account is not None)
    if any(account.whose == "answer" for account in held):
        return tuple(account for account in held if account.whose != "call")
    return held


def admit(operation: Operation) -> None:
    """Let a request or a call of a model go out; raise BudgetSpent or ModelFailed."""
    for account in accounts():
        account.admit(operation)


def grant(operation: Operation, most: int) -> int:
    """Return how many bytes may come for ``operation``, ``most`` where no budget says less."""
    for account in accounts():
        most = account.grant(operation, most)
    return most


def bytes_spent() -> CiteseekError:
    """Return the error for an answer of which no more may come, by the tightest budget."""
    held = [account for account in accounts() if account.bytes_left is not None]
    return min(held, key=lambda account: account.bytes_left or 0).refuse("bytes")


def counts_tokens() -> bool:
    """Whether a budget has to know how many tokens a call of a model takes."""
    return any(account.counts_tokens for account in accounts())


def check_page(url: str) -> None:
    """Raise BudgetSpent where a budget has no pages of the host of ``url``; nothing is sent."""
    try:
        for account in accounts():
            account.check_page(url)
    except BudgetSpent:
        if operation := current():
            refused: tuple[str, Limit] = (host_of(url), "hosts")
            operation.refused[refused] = operation.refused.get(refused, 0) + 1
        raise


def find(urls: Iterable[str]) -> None:
    """Say that a search found ``urls``."""
    if held := accounts():
        found = tuple(urls)
        for account in held:
            account.find(found)


def name_pages(urls: Iterable[str]) -> None:
    """Say that a person, or the program of one, asks for the pages at ``urls`` themselves."""
    if held := accounts():
        named = tuple(urls)
        for account in held:
            account.name(named)


def follow_redirect(url: str, ahead: str) -> None:
    """Say that ``url`` led to ``ahead``."""
    for account in accounts():
        account.follow(url, ahead)


def ran_out_of_time() -> None:
    """Say of the operation that is under way that its deadline passed."""
    if operation := current():
        operation.ran_out_of_time = True


@contextmanager
def watching(*watchers: Watcher) -> Iterator[None]:
    """Let ``watchers`` watch what is done within, beside those who watch already."""
    with _set(_join(watchers)):
        yield


def operation(
    kind: Kind, name: str = "", *, title: str = "", asked: Any = None
) -> AbstractContextManager[Operation | None]:
    """Tell of what is done within as one operation; give it, or None where nobody watches."""
    watch = WATCH.get()
    if watch is None:
        return NOTHING
    return _within(
        watch, Operation(kind=kind, name=name, title=title, asked=asked, outer=watch.operation)
    )


def leaf(
    kind: Kind, name: str = "", *, asked: Any = None
) -> AbstractContextManager[Operation | None]:
    """Do as :func:`operation` does, within a generator too; no other operation belongs to it."""
    watch = WATCH.get()
    if watch is None:
        return NOTHING
    return _alone(watch, Operation(kind=kind, name=name, asked=asked, outer=watch.operation))


def call(
    kind: Kind,
    name: str = "",
    *,
    asked: Any = None,
    about: Callable[[], Any] | None = None,
    watchers: tuple[Watcher, ...] = (),
) -> AbstractAsyncContextManager[Operation | None]:
    """Do as :func:`operation` does for a call of a client, watched by its ``watchers`` as well."""
    if not watchers and WATCH.get() is None:
        return NOTHING
    watch = _join(watchers)
    begun = Operation(kind=kind, name=name, asked=asked, about=about, outer=watch.operation)
    return _in_turn(watch, begun)


async def follow(
    kind: Kind | None,
    events: AsyncGenerator[T],
    watchers: tuple[Watcher, ...] = (),
    *,
    asked: Any = None,
    about: Callable[[], Any] | None = None,
) -> AsyncGenerator[T]:
    """Yield ``events``, watched by ``watchers`` as well; with a ``kind``, as one operation of it.

    The last event is its result. Only while the next event is made is anybody told: between two,
    the caller is at work.
    """
    async with aclosing(events):
        watch = _join(watchers)
        if not watch.watchers:
            async for event in events:
                yield event
            return
        outer, last = watch.operation, None
        begun = Operation(kind=kind, asked=asked, about=about, outer=outer) if kind else None
        with _alone(watch, begun) if begun else NOTHING:
            inner = Watch(watch.watchers, begun or outer)
            try:
                while True:
                    with _set(inner):
                        try:
                            last = await anext(events)
                        except StopAsyncIteration:
                            break
                    yield last
            except BaseException:
                with _set(inner):
                    await events.aclose()
                raise
            if begun:
                begun.result = last


@contextmanager
def _set(watch: Watch) -> Iterator[None]:
    token = WATCH.set(watch)
    try:
        yield
    finally:
        WATCH.reset(token)


def _join(watchers: tuple[Watcher, ...]) -> Watch:
    """Return who watches now, each once, and the operation that is under way."""
    watch = WATCH.get() or Watch(())
    new = tuple(one for one in watchers if one not in watch.watchers)
    return Watch(watch.watchers + new, watch.operation) if new else watch


@contextmanager
def _within(watch: Watch, begun: Operation) -> Iterator[Operation]:
    with _alone(watch, begun), _set(Watch(watch.watchers, begun)):
        yield begun


@contextmanager
def _alone(watch: Watch, begun: Operation) -> Iterator[Operation]:
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
        # The outermost last: a trace that cannot be written is an error, of which all others know.
        for watcher in reversed(watch.watchers):
            watcher.ended(begun)


@asynccontextmanager
async def _in_turn(watch: Watch, begun: Operation) -> AsyncIterator[Operation]:
    with _within(watch, begun):
        try:
            yield begun
        except Exception:
            await begun.in_turn()
            raise
        await begun.in_turn()
