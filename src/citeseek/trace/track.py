"""One part of a trace while it is written, or run again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from citeseek.errors import CiteseekError
from citeseek.models import Page, Request
from citeseek.observing.operation import Operation
from citeseek.trace.playback import Playback, come
from citeseek.trace.redaction import Redactor
from citeseek.trace.trace_record import Given, Part, SentRequest, dump_failure

if TYPE_CHECKING:
    from citeseek.trace.recorder import Recording

T = TypeVar("T")

# A part that is no longer run is not waited for.
TURN_SECONDS = 5.0
_LOOK_SECONDS = 0.001


class Track:
    """Writes ``part``; with a ``playback``, what comes from outside comes from there."""

    def __init__(self, recording: Recording, part: Part, playback: Playback | None = None) -> None:
        self.recording = recording
        self.part = part
        self._playback = playback
        part.began_ms = recording.now_ms()

    def child(self, operation: Operation) -> Track:
        """Begin the part of ``operation`` within this one; of equal ones the order counts."""
        part = part_of(operation)
        self.part.parts.append(part)
        self.recording.redactor.learn(part.name)
        name = self.recording.redactor.text(part.name)
        playback = self._playback.child(part.kind, name) if self._playback else None
        track = Track(self.recording, part, playback)
        if playback:
            operation.in_turn = track.turn
        return track

    @property
    def then(self) -> Part | None:
        """What is recorded of this part; None where nothing is run again."""
        return self._playback.part if self._playback else None

    async def turn(self) -> None:
        """Wait for what ended before this at the time, though not for ever.

        Calls side by side come back in an order on which the numbers of sources depend.
        """
        ahead = set(map(id, self._playback.ended_before())) if self._playback else set()
        until = time.monotonic() + TURN_SECONDS
        # Looked for, since they may run in other threads.
        while ahead - self.recording.ended and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_SECONDS)
        # What did not come is not run any more; nobody waits for it a second time.
        self.recording.ended |= ahead

    def end(self, operation: Operation) -> None:
        """Note how it ended."""
        part, error = self.part, operation.error
        if self._playback:
            self.recording.ended.add(id(self._playback.part))
        part.took_ms = round(self.recording.now_ms() - part.began_ms, 3)
        part.ran_out_of_time = operation.ran_out_of_time
        part.result = operation.result
        if isinstance(error, CiteseekError):
            part.failure = dump_failure(error)
        elif error is not None:
            part.was_stopped = True

    def draw(self, name: str, value: T, kind: Any) -> T:
        """Return ``value``, or the one of then."""
        then = self._playback.next(name) if self._playback else None
        if then is not None:
            value = msgspec.convert(then.value, kind)
        self._give(name, Given(value=_plain(value)))
        return value

    def make(self, name: str, work: Callable[[], T]) -> T:
        """Return what ``work`` makes; of the past only its failure comes again."""
        then = self._playback.next(name) if self._playback else None
        try:
            if then is not None:
                come(then, Any)
            value = work()
        except CiteseekError as error:
            self._give(name, Given(failure=dump_failure(error)))
            raise
        self._give(name, Given())
        return value

    async def ask(self, name: str, work: Callable[[], Awaitable[T]], kind: Any) -> T:
        """Return what ``work`` gives when it is waited for; at a replay nobody is asked again."""
        try:
            value: T = await (self._playback.answer(name, kind) if self._playback else work())
        except BaseException as error:
            self._give(name, _failing(error))
            raise
        self._give(name, Given(value=_plain(value)))
        return value

    async def wait(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do ``work``, which is done again; only whether it was cut off is remembered."""
        then = self._playback.next(name) if self._playback else None
        try:
            if self._playback and then and then.was_cut_off:
                await self._playback.cut_off(name)
            value = await work()
        except BaseException as error:
            self._give(name, Given(was_cut_off=not isinstance(error, Exception)))
            raise
        self._give(name, Given())
        return value

    async def share(
        self,
        run: Callable[[Callable[[], Awaitable[T]]], Awaitable[T]],
        work: Callable[[], Awaitable[T]],
        kind: Any,
    ) -> T:
        """Run ``work`` through ``run``; an answer that an equal call had begun is written down."""
        then = self._playback.next("shared") if self._playback else None
        if then is not None:
            self._give("shared", then)
            value: T = come(then, kind)
            return self._one_of(value)
        if self._playback:
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

    def measure(self, name: str, value: T) -> T:
        """Return ``value``, or what was measured then; only the last one is kept."""
        if self._playback:
            value = self._playback.part.measured.get(name, value)
        self.part.measured[name] = value
        return value

    async def receive(self, request: Request) -> Page:
        """Return the answer that ``request`` got then, at a replay."""
        asked = describe_request(request, self.recording.redactor)
        assert self._playback is not None  # noqa: S101 - asked for at a replay alone
        answer, is_same = await self._playback.receive(asked)
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


def part_of(operation: Operation) -> Part:
    """Return the part that ``operation`` begins; it shares the notes."""
    fields = operation.asked() if callable(operation.asked) else operation.asked
    asked = dict(fields or {})
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


def describe_request(request: Request, redactor: Redactor) -> SentRequest:
    """Return what a trace says of ``request``."""
    body = request.body
    return SentRequest(
        method=request.method,
        url=redactor.text(request.address),
        headers=redactor.redact_sent(request.headers),
        body=None if body is None else redactor.text(body.decode(errors="replace")),
    )


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=repr)


def _failing(error: BaseException) -> Given:
    if isinstance(error, CiteseekError):
        return Given(failure=dump_failure(error))
    if isinstance(error, Exception):
        return Given(raised=type(error).__name__)
    return Given(was_cut_off=True)
