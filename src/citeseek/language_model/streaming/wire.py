"""The answer of an OpenAI-compatible server on its way to the client library.

Libraries break at what servers really send: events without data, calls without an index or an id.
The bytes are put right before they get there.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any

import httpx2
from pydantic_core import from_json

from citeseek.language_model.streaming.deltas import Deltas, Joined, Json
from citeseek.language_model.streaming.server_events import EventReader, EventTooLong

_DONE = b"[DONE]"
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
# As OpenAI's library has them.
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
# A character of a text may take twelve bytes in JSON; the rest of an event is small.
_BYTES_OF_A_CHAR = 12
_BESIDE_THE_TEXT = 64 * 1024
# So many pieces may come at once; of a stream that is faster, what came in the meantime is one.
_AT_ONCE = 128
_SECONDS_BETWEEN = 0.004
# Who waits for less than this for a piece is sent more than a person reads.
_SECONDS_OF_WAITING = 0.01
# Read at once, it is some hundreds of events: a hundredth of a second.
_MOST_WAITING = 32 * 1024
# More streams than a few share so many pieces a second, each of which takes a millisecond or two.
_FEW_STREAMS = 8
_PIECES_A_SECOND = 500


def client(max_chars: int, proxy: str | None = None) -> httpx2.AsyncClient:
    """Return an HTTP client for OpenAI's library; an event holds at most ``max_chars`` of text.

    Without a ``proxy`` it goes directly, whatever the environment says: that was read before.
    """
    from openai import DefaultAsyncHttpxClient  # noqa: PLC0415 - most of a second

    async def put_right(response: httpx2.Response) -> None:
        # Whatever type it says it has: refusals have a status, and who wants no stream gets none.
        asked = response.request.content
        if response.is_success and asked and from_json(asked).get("stream"):
            received = httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=response.stream,
                request=response.request,
            )
            response.stream = _Repaired(received, max_chars)
            # It comes out of the other response decoded.
            response.headers.pop("content-encoding", None)

    transport = partial(httpx2.AsyncHTTPTransport, limits=_LIMITS)
    return DefaultAsyncHttpxClient(event_hooks={"response": [put_right]}, **_way(proxy, transport))


def blocking_client(proxy: str | None) -> httpx2.Client:
    """Return the client that OpenAI's library wants beside it, which nobody uses here."""
    from openai import DefaultHttpxClient  # noqa: PLC0415 - most of a second

    return DefaultHttpxClient(**_way(proxy, httpx2.HTTPTransport))


def _way(proxy: str | None, transport: Callable[..., Any]) -> dict[str, Any]:
    if proxy:
        return {"proxy": proxy, "verify": _tls()}
    return {"transport": transport(verify=_tls())}


@cache
def _tls() -> ssl.SSLContext:
    """Return what certificates are checked with, once: to read it holds up all other answers."""
    return httpx2.create_ssl_context()


class Completion:
    """One streamed answer: bytes as they came in, bytes as the library understands them out."""

    def __init__(self, max_chars: int) -> None:
        self.is_over = False
        self._reader = EventReader(_BYTES_OF_A_CHAR * max_chars + _BESIDE_THE_TEXT)
        self._deltas = Deltas()
        self._is_completion = False
        self._head: Json = {}

    def feed(self, received: bytes) -> bytes:
        """Take what came; ``is_over`` is true once the answer has ended."""
        try:
            return self._translate(self._reader.feed(received))
        except EventTooLong as error:
            self.is_over = True
            return self._cut(error.data)

    def finish(self) -> bytes:
        """Return what is to be sent when nothing comes any more."""
        rest = self._translate(self._reader.finish())
        if self.is_over or not self._is_completion:
            return rest
        # It neither said why it ended nor that it did.
        return rest + self._end(self._deltas.finish_reason or "connection")

    def _translate(self, events: Iterator[bytes]) -> bytes:
        sent: list[bytes] = []
        chunks = Joined()
        for data in events:
            if chunks.go_on(data):
                continue
            if data.strip() == _DONE:
                sent += [*map(_event, chunks.take()), self._end(self._deltas.finish_reason)]
                self.is_over = True
                break
            chunk = _read(data)
            if isinstance(chunk, dict):
                chunk = self._deltas.put_right(chunk)
                self._is_completion |= "choices" in chunk
                self._head = {**chunk, "choices": []} if "choices" in chunk else self._head
                chunks.add(chunk)
            elif data.lstrip().startswith(b"{"):
                # A piece of the answer that is broken: the library says so.
                sent += [*map(_event, chunks.take()), b"data: %b\n\n" % data]
        return b"".join([*sent, *map(_event, chunks.take())])

    def _cut(self, data: bytes) -> bytes:
        """Return the beginning of an event that has no end, as far as it can be read."""
        try:
            chunk = from_json(data, allow_partial="trailing-strings")
        except ValueError:
            chunk = None
        if not isinstance(chunk, dict):
            return self._end("connection")
        return _event(self._deltas.put_right(chunk)) + self._end("max_chars")

    def _end(self, reason: str) -> bytes:
        if not self._is_completion and reason != "max_chars":
            return b"data: [DONE]\n\n"
        choice = {"index": 0, "delta": {}, "finish_reason": reason or "stop"}
        last = {**self._head, "usage": None, "choices": [choice]}
        return _event(last) + b"data: [DONE]\n\n"


class _Repaired(httpx2.AsyncByteStream):
    def __init__(self, received: httpx2.Response, max_chars: int) -> None:
        self._received = received
        self._completion = Completion(max_chars)
        self._gathered = _gather(received.aiter_bytes())

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for came in _as_events(self._gathered):
            if sent := self._completion.feed(came):
                yield sent
            if self._completion.is_over:
                return
        yield self._completion.finish()

    async def aclose(self) -> None:
        await self._gathered.aclose()
        await self._received.aclose()


async def _as_events(source: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield what ``source`` gives; JSON, from a server that does not stream, as one event."""
    begun = b""
    is_json = False
    async for came in source:
        if not begun.strip():
            begun += came
            is_json = begun.lstrip()[:1] == b"{"
            if is_json:
                yield b"data: "
        # In JSON a line end between words means what a space does.
        yield came.translate(_ONE_LINE) if is_json else came
    if is_json:
        yield b"\n\ndata: [DONE]\n\n"


class _UnderWay:
    """The streams of this process, which leave time for all else that it does."""

    def __init__(self) -> None:
        self._count = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count one of them meanwhile."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    @property
    def seconds_between(self) -> float:
        """How long each waits until it reads on; meanwhile the kernel gathers what comes."""
        return max(0, self._count - _FEW_STREAMS) / _PIECES_A_SECOND


_UNDER_WAY = _UnderWay()


async def _gather(source: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Yield what ``source`` gives, at once or, when that is much, gathered for a moment.

    Each piece costs the libraries that follow more than a slow model's text is worth; a fast one,
    or many slow ones, would leave no time for anybody else.
    """
    waiting = bytearray()
    there, taken = asyncio.Event(), asyncio.Event()

    async def receive() -> None:
        try:
            with _UNDER_WAY.one_more():
                async for piece in source:
                    waiting.extend(piece)
                    there.set()
                    # What is there already is read without a wait, unless many streams are.
                    await asyncio.sleep(_UNDER_WAY.seconds_between)
                    if len(waiting) > _MOST_WAITING:
                        taken.clear()
                        await taken.wait()
        finally:
            there.set()

    receiving = asyncio.create_task(receive())
    in_a_row = 0
    try:
        while not receiving.done() or waiting:
            began = time.monotonic()
            await there.wait()
            there.clear()
            in_a_row = in_a_row + 1 if time.monotonic() - began < _SECONDS_OF_WAITING else 0
            if in_a_row > _AT_ONCE:
                await asyncio.wait([receiving], timeout=_SECONDS_BETWEEN)
            gathered = bytes(waiting[:_MOST_WAITING])
            del waiting[:_MOST_WAITING]
            if waiting or receiving.done():
                there.set()
            if len(waiting) <= _MOST_WAITING:
                taken.set()
            if gathered:
                yield gathered
        await receiving
    finally:
        receiving.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([receiving])


def _read(data: bytes) -> Any:
    """Return the JSON of an event, None for what is none."""
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _event(chunk: Json) -> bytes:
    return b"data: %b\n\n" % json.dumps(chunk).encode()
