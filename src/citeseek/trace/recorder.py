"""The watcher that writes traces: a part for each operation, an exchange for each request."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import msgspec

from citeseek.errors import CiteseekError
from citeseek.models import Page
from citeseek.observing.operation import Operation
from citeseek.trace.playback import Playback
from citeseek.trace.redaction import Redactor
from citeseek.trace.trace_file import trace_of
from citeseek.trace.trace_record import (
    About,
    Body,
    Part,
    Received,
    RecordedExchange,
    Trace,
    dump_failure,
)
from citeseek.trace.track import Track, describe_request, part_of


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
            self._keep(track.recording.finish())

    def _whole(self, operation: Operation, about: About) -> Track:
        recording = Recording(self, part_of(operation), about, plays=self._source is not None)
        playback = Playback(self._source.call) if self._source else None
        return Track(recording, recording.trace.call, playback)


class Recording:
    """A trace while ``recorder`` writes it: the clock of its beginning, and what is a secret.

    One that ``plays`` runs a recorded call again: nothing is sent, and nobody waits.
    """

    def __init__(self, recorder: Recorder, call: Part, about: About, *, plays: bool) -> None:
        self.recorder = recorder
        self.trace = trace_of(call, about.settings, secrets.token_hex(8))
        self.redactor = Redactor(about.secrets)
        self.redactor.learn(call.name)
        self.plays = plays
        self.shared: list[Any] = []
        # The recorded parts that were run again, by their ids.
        self.ended: set[int] = set()
        self._began = time.perf_counter()

    def now_ms(self) -> float:
        """Return the milliseconds since the beginning."""
        return round((time.perf_counter() - self._began) * 1000, 3)

    def finish(self) -> Trace:
        """Return the trace without secrets."""
        tree = self.redactor.tree(msgspec.to_builtins(self.trace, enc_hook=repr))
        return msgspec.convert(tree, Trace)


class Sending:
    """Writes the request of ``operation`` into the part of ``track``."""

    def __init__(self, track: Track, operation: Operation) -> None:
        self.recording = track.recording
        asked = describe_request(operation.asked, self.recording.redactor)
        began_ms = self.recording.now_ms()
        self._exchange = RecordedExchange(via=operation.name, request=asked, began_ms=began_ms)
        track.part.exchanges.append(self._exchange)

    def end(self, operation: Operation) -> None:
        """Note what came of it."""
        exchange, error = self._exchange, operation.error
        exchange.took_ms = round(self.recording.now_ms() - exchange.began_ms, 3)
        if error is None:
            exchange.answer = _dump_response(operation.result, self.recording.redactor)
        elif isinstance(error, CiteseekError):
            exchange.failure = dump_failure(error)
        elif isinstance(error, Exception):
            exchange.raised = type(error).__name__
        else:
            exchange.was_cut_off = True


def _outer(operation: Operation) -> Track | None:
    return operation.outer.track if operation.outer else None


def _dump_response(page: Page, redactor: Redactor) -> Received:
    return Received(
        url=redactor.text(page.url),
        status=page.status,
        headers=redactor.redact_received(page.headers),
        body=Body.of(redactor.data(page.body)),
        is_cut=page.truncated,
    )
