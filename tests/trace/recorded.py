"""Calls that are recorded, and run again where nothing can be sent."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from citeseek import Client, Settings, trace
from citeseek.engine import AnyEngine
from citeseek.errors import CiteseekError
from citeseek.replay import differences, is_same, replay
from citeseek.trace.trace_record import Trace


async def recorded(
    settings: Settings,
    call: Callable[[Client], Awaitable[Any]],
    *,
    engines: tuple[AnyEngine, ...] = (),
    before: Callable[[Client], Awaitable[Any]] | None = None,
) -> Trace:
    """Return the trace of ``call``, whether or not it fails; ``before`` is not recorded."""
    async with Client(settings, engines=engines) as client:
        if before:
            with suppress(CiteseekError):
                await before(client)
        with trace.into(None) as destination, suppress(CiteseekError):
            await call(client)
    (found,) = destination.traces
    return found


@contextmanager
def no_network() -> Iterator[None]:
    """Let every connection and every look-up of a name fail the test."""

    def fail(*_: object, **__: object) -> None:
        pytest.fail("something was sent")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("citeseek.http._open", fail)
        patch.setattr("citeseek.http._import_pinned", fail)
        patch.setattr(socket, "getaddrinfo", fail)
        patch.setattr(socket.socket, "connect", fail)
        yield


async def replayed(found: Trace) -> Trace:
    """Return the trace of the same call without the network, which must come out the same."""
    with no_network():
        again = await replay(found)
    if told := differences(found, again):
        pytest.fail("\n".join(told))
    assert is_same(found, again)
    return again
