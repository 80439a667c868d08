"""A part of a recorded trace, from which a call that is run again gets what it got then."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import msgspec

from citeseek.trace.trace_record import (
    Given,
    Part,
    Received,
    RecordedExchange,
    SentRequest,
    error_of,
    load_unexpected,
    not_recorded,
)

# Parts that turn the end of their time into an error of their own.
_WITH_OWN_LIMIT = frozenset({"engine", "fetch"})
_SIDE_BY_SIDE = frozenset({"search", "fetch"})


class Playback:
    """What ``part`` holds, each thing given once and in order; ``outer`` is the part around it."""

    def __init__(self, part: Part, outer: Playback | None = None) -> None:
        self.part = part
        self._outer = outer
        self._taken: Counter[str] = Counter()
        self._left = list(part.exchanges)

    def child(self, kind: str, name: str) -> Playback:
        """Return the next part of this kind and name; an empty one when there is none."""
        alike = [part for part in self.part.parts if (part.kind, part.name) == (kind, name)]
        place = self._next(f"{kind} {name}")
        part = alike[place] if place < len(alike) else Part(kind=kind, name=name)
        return Playback(part, self)

    def next(self, name: str) -> Given | None:
        """Return what was given next under ``name``; None when it was not asked for so often."""
        values = self.part.given.get(name, [])
        place = self._next(name)
        return values[place] if place < len(values) else None

    async def answer(self, name: str, kind: Any) -> Any:
        """Return what was answered next under ``name``, or raise what was raised."""
        then = self.next(name)
        if then is None or then.was_cut_off:
            await self.cut_off(name)
        return come(then, kind)

    async def receive(self, request: SentRequest) -> tuple[Received, bool]:
        """Return the answer to ``request``, and whether that was asked in the same way then."""
        then = self._fitting(request)
        what = f"{request.method} {request.url}"
        if then is None or then.was_cut_off:
            await self.cut_off(what)
        assert then is not None  # noqa: S101 - a missing one does not come back
        if then.failure is not None:
            raise error_of(then.failure)
        if then.raised:
            raise load_unexpected(then.raised)
        if then.answer is None:
            raise not_recorded(what)
        return then.answer, _is_same(then.request, request)

    async def cut_off(self, what: str) -> None:
        """Do as the world did where it gave no answer: let time run out, or never come back."""
        playback: Playback | None = self
        while playback is not None:
            if playback.part.ran_out_of_time and playback.part.kind in _WITH_OWN_LIMIT:
                raise TimeoutError
            if playback.part.ran_out_of_time or playback.was_given_up:
                await asyncio.get_running_loop().create_future()
            playback = playback.outer
        raise not_recorded(what)

    def ended_before(self) -> list[Part]:
        """Return the parts beside this one that ended before it.

        Also those that ended before it began: where only so many run at a time, it begins when the
        first of them ends, and the others may be late today.
        """
        end = self.part.began_ms + self.part.took_ms
        around = self._outer.part.parts if self._outer else []
        return [
            part
            for part in around
            if part.kind in _SIDE_BY_SIDE and part.began_ms + part.took_ms < end
        ]

    @property
    def outer(self) -> Playback | None:
        """The part around this one."""
        return self._outer

    @property
    def was_given_up(self) -> bool:
        """Whether the part around this one did not wait for it."""
        return self._outer is not None and self.part.name in self._outer.part.gave_up

    def _fitting(self, request: SentRequest) -> RecordedExchange | None:
        """Return the exchange with the same request, else for an engine the next one.

        An engine that asks in another way since may still read the pages of then.
        """
        found = next((one for one in self._left if _is_same(one.request, request)), None)
        if found is None and self._left and self.part.kind == "engine":
            found = self._left[0]
        if found is not None:
            self._left.remove(found)
        return found

    def _next(self, name: str) -> int:
        place = self._taken[name]
        self._taken[name] += 1
        return place


def come(then: Given | None, kind: Any) -> Any:
    """Return the value of ``then`` as a ``kind``, or raise what it was."""
    assert then is not None  # noqa: S101 - looked at by the callers
    if then.failure is not None:
        raise error_of(then.failure)
    if then.raised:
        raise load_unexpected(then.raised)
    return msgspec.convert(then.value, kind)


def _is_same(one: SentRequest, other: SentRequest) -> bool:
    return (one.method, one.url, one.body) == (other.method, other.url, other.body)
