"""One part of a trace while it is written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from citeseek.errors import CiteseekError
from citeseek.models import Page, Request
from citeseek.trace.failures import failed
from citeseek.trace.playback import Past, come
from citeseek.trace.record import Asked, Body, Exchange, Given, Part, Received
from citeseek.trace.redaction import Secrecy

T = TypeVar("T")

# A part that is no longer run is not waited for.
TURN_SECONDS = 5.0
_LOOK_SECONDS = 0.001


class Tape:
    """What all tracks of one trace share: the clock of its beginning, and what is a secret.

    A tape that ``plays`` runs a recorded call again: nothing is sent, and nobody waits.
    """

    def __init__(self, secrecy: Secrecy, *, plays: bool = False) -> None:
        self.secrecy = secrecy
        self.plays = plays
        self.shared: list[Any] = []
        # The recorded parts that were run again, by their ids.
        self.ended: set[int] = set()
        self._began = time.perf_counter()

    def now_ms(self) -> float:
        """Return the milliseconds since the beginning."""
        return round((time.perf_counter() - self._began) * 1000, 3)


class Track:
    """Writes ``part``; with a ``past``, what comes from outside comes from there."""

    def __init__(self, tape: Tape, part: Part, past: Past | None = None) -> None:
        self.tape = tape
        self.part = part
        self._past = past
        part.began_ms = tape.now_ms()

    def child(self, kind: str, name: str, asked: dict[str, Any]) -> Track:
        """Begin a part within this one; of equal ones the order counts."""
        self.tape.secrecy.learn(name)
        part = Part(kind=kind, name=name, asked=asked)
        self.part.parts.append(part)
        past = self._past.child(kind, self.tape.secrecy.text(name)) if self._past else None
        return Track(self.tape, part, past)

    @property
    def then(self) -> Part | None:
        """What is recorded of this part; None where nothing is run again."""
        return self._past.part if self._past else None

    async def turn(self) -> None:
        """Wait for what ended before this at the time, though not for ever.

        Calls side by side come back in an order on which the numbers of sources depend.
        """
        ahead = set(map(id, self._past.ended_before())) if self._past else set()
        until = time.monotonic() + TURN_SECONDS
        # Looked for, since they may run in other threads.
        while ahead - self.tape.ended and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_SECONDS)
        # What did not come is not run any more; nobody waits for it a second time.
        self.tape.ended |= ahead

    def end(self, error: BaseException | None = None) -> None:
        """Note how it ended."""
        if self._past:
            self.tape.ended.add(id(self._past.part))
        self.part.took_ms = round(self.tape.now_ms() - self.part.began_ms, 3)
        if isinstance(error, CiteseekError):
            self.part.failure = failed(error)
        elif error is not None:
            self.part.was_stopped = True

    def drawn(self, name: str, value: T, kind: Any) -> T:
        """Return ``value``, or the one of then."""
        then = self._past.next(name) if self._past else None
        if then is not None:
            value = msgspec.convert(then.value, kind)
        self._give(name, Given(value=_plain(value)))
        return value

    def called(self, name: str, work: Callable[[], T], kind: Any) -> T:
        """Return what ``work`` returns or returned then; errors likewise."""
        then = self._past.next(name) if self._past else None
        try:
            value = work() if then is None else come(then, kind)
        except CiteseekError as error:
            self._give(name, Given(failure=failed(error)))
            raise
        self._give(name, Given(value=_plain(value)))
        return value

    async def answered(self, name: str, work: Callable[[], Awaitable[T]], kind: Any) -> T:
        """Do as :meth:`called` does for what is waited for; of the past, nobody is asked again."""
        try:
            value: T = await (self._past.answer(name, kind) if self._past else work())
        except BaseException as error:
            self._give(name, _failing(error))
            raise
        self._give(name, Given(value=_plain(value)))
        return value

    async def waited(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do ``work``, which is done again; only whether it was cut off is remembered."""
        then = self._past.next(name) if self._past else None
        try:
            if self._past and then and then.was_cut_off:
                await self._past.cut_off(name)
            value = await work()
        except BaseException as error:
            self._give(name, Given(was_cut_off=not isinstance(error, Exception)))
            raise
        self._give(name, Given())
        return value

    async def shared(
        self,
        run: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
        work: Callable[[], Awaitable[T]],
        kind: Any,
    ) -> T:
        """Run ``work`` through ``run``; an answer that an equal call had begun is written down."""
        then = self._past.next("shared") if self._past else None
        if then is not None:
            self._give("shared", then)
            value: T = come(then, kind)
            return self._one_of(value)
        if self._past:
            return self._one_of(await work())
        is_ours = False

        async def ours() -> T:
            nonlocal is_ours
            is_ours = True
            return await work()

        try:
            value = await run(ours)
        except BaseException as error:
            if not is_ours:
                self._give("shared", _failing(error))
            raise
        if not is_ours:
            self._give("shared", Given(value=_plain(value)))
        return value

    def measured(self, name: str, value: T) -> T:
        """Return ``value``, or what was measured then; only the last one is kept."""
        if self._past:
            value = self._past.part.measured.get(name, value)
        self.part.measured[name] = value
        return value

    async def exchange(
        self,
        via: str,
        request: Request,
        send: Callable[[], Awaitable[Page]],
    ) -> Page:
        """Return the answer to ``request``, sent now or recorded then, and write it down."""
        asked = self._asked(request)
        exchange = Exchange(via=via, request=asked, began_ms=self.tape.now_ms())
        self.part.exchanges.append(exchange)
        try:
            if self._past:
                exchange.answer, is_same = await self._past.received(asked)
                if not is_same:
                    self.part.notes.append({"what": "asked_otherwise", "now": asked.url})
                return exchange.answer.page
            page = await send()
            exchange.answer = self._received(page)
        except CiteseekError as error:
            exchange.failure = failed(error)
            raise
        except Exception as error:
            exchange.raised = type(error).__name__
            raise
        except BaseException:
            exchange.was_cut_off = True
            raise
        finally:
            exchange.took_ms = round(self.tape.now_ms() - exchange.began_ms, 3)
        return page

    def _asked(self, request: Request) -> Asked:
        secrecy, body = self.tape.secrecy, request.body
        return Asked(
            method=request.method,
            url=secrecy.text(request.address),
            headers=secrecy.sent(request.headers),
            body=None if body is None else secrecy.text(body.decode(errors="replace")),
        )

    def _received(self, page: Page) -> Received:
        secrecy = self.tape.secrecy
        return Received(
            url=secrecy.text(page.url),
            status=page.status,
            headers=secrecy.received(page.headers),
            body=Body.of(secrecy.data(page.body)),
            is_cut=page.truncated,
        )

    def _give(self, name: str, given: Given) -> None:
        self.part.given.setdefault(name, []).append(given)

    def _one_of(self, value: T) -> T:
        """Return the equal object that another call got: to share is to get the same one."""
        for seen in self.tape.shared:
            if seen == value:
                same: T = seen
                return same
        self.tape.shared.append(value)
        return value


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=repr)


def _failing(error: BaseException) -> Given:
    if isinstance(error, CiteseekError):
        return Given(failure=failed(error))
    if isinstance(error, Exception):
        return Given(raised=type(error).__name__)
    return Given(was_cut_off=True)
