"""Many answers that are written at once leave time for all else that the process does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from citeseek.language_model.streaming import wire


class Socket:
    """Gives what is there, all of it at once, as a socket does; nothing more is its end."""

    def __init__(self) -> None:
        self._there = bytearray()
        self._news = asyncio.Event()
        self._is_over = False

    def put(self, data: bytes) -> None:
        self._there.extend(data)
        self._news.set()

    def end(self) -> None:
        self._is_over = True
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await self._news.wait()
            self._news.clear()
            if self._there:
                data = bytes(self._there)
                self._there.clear()
                yield data
            if self._is_over and not self._there:
                return


@pytest.mark.parametrize(
    ("others", "pieces"), [(0, [b"a", b"b", b"c", b"d"]), (58, [b"a", b"bcd"])]
)
async def test_of_many_streams_each_is_read_less_often(others: int, pieces: list[bytes]) -> None:
    socket = Socket()
    gathered = wire._gather(aiter(socket))
    with ExitStack() as streams:
        for _ in range(others):
            streams.enter_context(wire._UNDER_WAY.one_more())
        socket.put(b"a")
        found = [await anext(gathered)]
        for data in (b"b", b"c", b"d"):
            # Its reader, if it may, has read on by then.
            for _ in range(10):
                await asyncio.sleep(0)
            socket.put(data)
            if not others:
                found.append(await anext(gathered))
        socket.end()
        found += [data async for data in gathered]
    assert found == pieces


async def test_a_stream_that_was_given_up_is_counted_no_more() -> None:
    before = wire._UNDER_WAY.seconds_between
    socket = Socket()
    with ExitStack() as streams:
        for _ in range(9):
            streams.enter_context(wire._UNDER_WAY.one_more())
        waits = wire._UNDER_WAY.seconds_between
        gathered = wire._gather(aiter(socket))
        socket.put(b"a")
        assert await anext(gathered) == b"a"
        assert wire._UNDER_WAY.seconds_between > waits
        await gathered.aclose()
        assert wire._UNDER_WAY.seconds_between == waits
    assert wire._UNDER_WAY.seconds_between == before
