"""The watcher that writes traces: a part for each operation, an exchange for each request."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from citeseek.errors import CiteseekError
from citeseek.models import Page, Request
from citeseek.observing.operation import Operation
from citeseek.trace.failures import failed
from citeseek.trace.file import trace_of
from citeseek.trace.playback import Past, come
from citeseek.trace.record import Asked, Body, Exchange, Given, Part, Received, Trace
from citeseek.trace.recording import About
from citeseek.trace.redaction import Secrecy

T = TypeVar("T")

# A part that is no longer run is not waited for.
TURN_SECONDS = 5.0
_LOOK_SECONDS = 0.001


class Recorder:
    """Writes every call within it as a trace, which it gives to ``keep``.

    With a ``source``, the call is run again as it was recorded there. What another one records
    already is left to that.
    """

    def __init__(self, keep: Callable[[Trace], object], source: Trace | None = None) -> None:
        self._keep = keep
        self._source = source

    def began(self, operation: Operation) -> None:
        """Begin a part, an exchange, or a trace."""
        outer = _outer(operation)
        if operation.track is not None:
            return
        if outer is None:
            if operation.about is not None:
                operation.track = self._whole(operation, operation.about())
        elif operation.kind == "request":
            operation.track = Sending(outer, operation)
        else:
            operation.track = outer.child(operation)

    def ended(self, operation: Operation) -> None:
        """End it, and give a whole trace away; raise what ``keep`` raises."""
        track: Track | Sending | None = operation.track
        if track is None or track.recording.recorder is not self:
            return
        track.end(operation)
        if _outer(operation) is None:
            self._keep(track.recording.finished())

    def _whole(self, operation: Operation, about: About) -> Track:
        recording = Recording(self, _part(operation), about, plays=self._source is not None)
        past = Past(self._source.call) if self._source else None
        return Track(recording, recording.trace.call, past)


class Recording:
    """A trace while ``recorder`` writes it: the clock of its beginning, and what is a secret.

    One that ``plays`` runs a recorded call again: nothing is sent, and nobody waits.
    """

    def __init__(self, recorder: Recorder, call: Part, about: About, *, plays: bool) -> None:
        self.recorder = recorder
        self.trace = trace_of(call, about.settings, secrets.token_hex(8))
        self.secrecy = Secrecy(about.secrets)
        self.secrecy.learn(call.name)
        self.plays = plays
        self.shared: list[Any] = []
        # The recorded parts that were run again, by their ids.
        self.ended: set[int] = set()
        self._began = time.perf_counter()

    def now_ms(self) -> float:
        """Return the milliseconds since the beginning."""
        return round((time.perf_counter() - self._began) * 1000, 3)

    def finished(self) -> Trace:
        """Return the trace without secrets."""
        tree = self.secrecy.tree(msgspec.to_builtins(self.trace, enc_hook=repr))
        return msgspec.convert(tree, Trace)


class Track:
    """Writes ``part``; with a ``past``, what comes from outside comes from there."""

    def __init__(self, recording: Recording, part: Part, past: Past | None = None) -> None:
        self.recording = recording
        self.part = part
        self._past = past
        part.began_ms = recording.now_ms()

    def child(self, operation: Operation) -> Track:
        """Begin the part of ``operation`` within this one; of equal ones the order counts."""
        part = _part(operation)
        self.part.parts.append(part)
        self.recording.secrecy.learn(part.name)
        name = self.recording.secrecy.text(part.name)
        past = self._past.child(part.kind, name) if self._past else None
        track = Track(self.recording, part, past)
        if past:
            operation.in_turn = track.turn
        return track

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
        while ahead - self.recording.ended and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_SECONDS)
        # What did not come is not run any more; nobody waits for it a second time.
        self.recording.ended |= ahead

    def end(self, operation: Operation) -> None:
        """Note how it ended."""
        part, error = self.part, operation.error
        if self._past:
            self.recording.ended.add(id(self._past.part))
        part.took_ms = round(self.recording.now_ms() - part.began_ms, 3)
        part.ran_out_of_time = operation.ran_out_of_time
        part.result = operation.result
        if isinstance(error, CiteseekError):
            part.failure = failed(error)
        elif error is not None:
            part.was_stopped = True

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

    async def received(self, request: Request) -> Page:
        """Return the answer that ``request`` got then, at a replay."""
        asked = _asked(request, self.recording.secrecy)
        assert self._past is not None  # noqa: S101 - asked for at a replay alone
        answer, is_same = await self._past.received(asked)
        if not is_same:
            self.part.notes.append({"what": "asked_otherwise", "now": asked.url})
        return answer.page

    def _give(self, name: str, given: Given) -> None:
        self.part.given.setdefault(name, []).append(given)

    def _one_of(self, value: T) -> T:
        """Return the equal object that another call got: to share is to get the same one."""
        for seen in self.recording.shared:
            if seen == value:
                same: T = seen
                return same
        self.recording.shared.append(value)
        return value


class Sending:
    """Writes the request of ``operation`` into the part of ``track``."""

    def __init__(self, track: Track, operation: Operation) -> None:
        self.recording = track.recording
        self.part = track.part
        asked = _asked(operation.asked, self.recording.secrecy)
        began_ms = self.recording.now_ms()
        self._exchange = Exchange(via=operation.name, request=asked, began_ms=began_ms)
        self.part.exchanges.append(self._exchange)

    def end(self, operation: Operation) -> None:
        """Note what came of it."""
        exchange, error = self._exchange, operation.error
        exchange.took_ms = round(self.recording.now_ms() - exchange.began_ms, 3)
        if error is None:
            exchange.answer = _received(operation.result, self.recording.secrecy)
        elif isinstance(error, CiteseekError):
            exchange.failure = failed(error)
        elif isinstance(error, Exception):
            exchange.raised = type(error).__name__
        else:
            exchange.was_cut_off = True


def _outer(operation: Operation) -> Track | None:
    return operation.outer.track if operation.outer else None


def _part(operation: Operation) -> Part:
    """Return the part of ``operation``, which shares its notes."""
    told = operation.asked() if callable(operation.asked) else operation.asked
    asked = dict(told or {})
    return Part(
        kind=operation.kind,
        name=operation.title or _name(asked),
        asked=asked,
        notes=operation.notes,
        gave_up=operation.gave_up,
    )


def _name(asked: Mapping[str, Any]) -> str:
    """Return the text by which a call is known among others of its kind."""
    for name in ("text", "url", "message", "question", "query"):
        if isinstance(asked.get(name), str):
            return str(asked[name])
    return ""


def _asked(request: Request, secrecy: Secrecy) -> Asked:
    body = request.body
    return Asked(
        method=request.method,
        url=secrecy.text(request.address),
        headers=secrecy.sent(request.headers),
        body=None if body is None else secrecy.text(body.decode(errors="replace")),
    )


def _received(page: Page, secrecy: Secrecy) -> Received:
    return Received(
        url=secrecy.text(page.url),
        status=page.status,
        headers=secrecy.received(page.headers),
        body=Body.of(secrecy.data(page.body)),
        is_cut=page.truncated,
    )


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=repr)


def _failing(error: BaseException) -> Given:
    if isinstance(error, CiteseekError):
        return Given(failure=failed(error))
    if isinstance(error, Exception):
        return Given(raised=type(error).__name__)
    return Given(was_cut_off=True)
