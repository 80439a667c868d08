"""Turns of a scripted model as HTTP: one JSON document, or a stream of events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .messages import Reply
from .signals import Signal
from .turns import Fault, Turn

if TYPE_CHECKING:
    from .wire import Wire

_WHOLE = {"Content-Type": "application/json", "Connection": "close"}
_STREAM = {"Content-Type": "text/event-stream", "Connection": "close"}


def whole(turn: Turn) -> Reply:
    """Answer with the whole of ``turn`` at once; signals and faults in it come first."""

    async def script(wire: Wire) -> None:
        await _wait(part for part in turn.parts if isinstance(part, (Signal, Fault)))
        body = json.dumps(turn.whole(), ensure_ascii=False).encode()
        kept = len(body) // 2 if Fault.CUT in turn.parts else None
        await wire.send(Reply(200, _WHOLE, body).head() + body[:kept])

    return Reply(script=script)


def streamed(turn: Turn) -> Reply:
    """Answer with ``turn`` as server-sent events, one HTTP chunk for each."""

    async def script(wire: Wire) -> None:
        await wire.send(Reply(200, _STREAM, chunked=True).head())
        for event in turn.events():
            if event is Fault.CUT:
                return
            if isinstance(event, dict):
                data = f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
                await wire.send(b"%x\r\n%b\r\n" % (len(data), data))
            else:
                await _wait([event])
        done = b"data: [DONE]\n\n"
        await wire.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(done), done))

    return Reply(script=script)


async def _wait(events: Iterable[Signal | Fault]) -> None:
    for event in events:
        if event is Fault.HANG:
            await asyncio.Event().wait()
        elif isinstance(event, Signal):
            await event
