"""Answers that all processes at one Valkey keep together, and equal searches that share one."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager, suppress

import msgspec

from citeseek import observing
from citeseek.errors import SearchFailed
from citeseek.models import SearchResponse
from citeseek.searching.cache import PROCESS_ENTRIES, MemoryCache
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.trace.trace_record import Failed, dump_failure, error_of

# An owner that says nothing for so long is gone, and who waits becomes one.
OWNED_MS = 3_000
RENEWAL_SECONDS = 1.0
# Who waits looks so often whether there is an owner; less than the server has for an answer.
LOOK_MS = 500
OUTCOME_MS = 5_000

log = logging.getLogger(__name__)


class _Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a search: a response or a failure."""

    response: SearchResponse | None = None
    failure: Failed | None = None


class SharedCache:
    """Keeps answers for ``ttl`` seconds for every process at ``valkey``.

    Keys hold the engines, what tells their addresses and accounts apart, and the whole query.
    Without the server each process keeps its own.
    """

    def __init__(self, valkey: Valkey, *, ttl: float) -> None:
        self._valkey = valkey
        self._ttl = ttl
        self._own = MemoryCache(PROCESS_ENTRIES, ttl=ttl)

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return the answer under ``key`` that is younger than ``ttl``."""
        try:
            stored = await self._valkey.call("GET", self._name(key))
        except Gone:
            return await self._own.get(key)
        if stored is None:
            return None
        try:
            return msgspec.json.decode(stored, type=SearchResponse)
        except msgspec.DecodeError:
            # Of another version.
            return None

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Store ``response``."""
        milliseconds = round(self._ttl * 1_000)
        try:
            await self._valkey.call(
                "SET", self._name(key), msgspec.json.encode(response), "PX", milliseconds
            )
        except Gone:
            await self._own.put(key, response)

    async def once(
        self, key: Hashable, how: Hashable, search: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        """Return what ``search`` gives, or what another process is already about to get.

        Where that one ends without a word, one of those who wait searches.
        """
        name, owner = f"flight:{_digest((key, how))}", os.urandom(8).hex()
        try:
            while not await self._valkey.run("begin", name, owner, OWNED_MS):
                if outcome := await self._wait(name):
                    _note_sharing()
                    if outcome.response is None:
                        raise error_of(outcome.failure or Failed(type="Timeout", message=""))
                    return outcome.response
        except Gone:
            return await search()
        async with self._owned(name, owner):
            # Another may have searched since this one saw that nothing was kept.
            if (response := await self.get(key)) is not None:
                _note_sharing()
                await self._end(name, owner, _Outcome(response=response))
                return response
            try:
                response = await search()
            except SearchFailed as error:
                await self._end(name, owner, _Outcome(failure=dump_failure(error)))
                raise
            await self._end(name, owner, _Outcome(response=response))
            return response

    def close(self) -> None:
        """Forget what is kept in this process."""
        self._own.close()

    def _name(self, key: Hashable) -> str:
        return f"answer:{_digest((key, self._ttl))}"

    async def _wait(self, name: str) -> _Outcome | None:
        """Return what came of the work of another; None when it is to be looked who works at it."""
        read = await self._valkey.wait_for(f"{name}:outcome", LOOK_MS)
        return msgspec.json.decode(read[b"outcome"], type=_Outcome) if read else None

    @asynccontextmanager
    async def _owned(self, name: str, owner: str) -> AsyncIterator[None]:
        """Say that this process is still at it, and in the end that it no longer is."""

        async def go_on() -> None:
            while True:
                await asyncio.sleep(RENEWAL_SECONDS)
                with suppress(Gone):
                    await self._valkey.run("go_on", name, owner, OWNED_MS)

        renewing = asyncio.create_task(go_on())
        try:
            yield
        finally:
            renewing.cancel()
            await self._end(name, owner, None)

    async def _end(self, name: str, owner: str, outcome: _Outcome | None) -> None:
        told = msgspec.json.encode(outcome) if outcome else b""
        # Without a word, who waits finds out by itself.
        with suppress(Gone):
            await self._valkey.run("end", name, owner, told, OUTCOME_MS)


def _note_sharing() -> None:
    if operation := observing.current():
        operation.is_shared = True


def _digest(key: Hashable) -> str:
    """Return a key as a short text, in braces so that what belongs to it is on one server."""
    return f"{{{hashlib.blake2b(repr(key).encode(), digest_size=16).hexdigest()}}}"
