"""The Valkey (or Redis) server that the processes of a deployment share.

Nobody waits for one that is gone: after a failure one call a second finds out whether it is there
again, and all others are told :class:`Gone` at once, for which each has something of its own.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import aclosing
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from citeseek.errors import InvalidInput
from citeseek.extras import needing
from citeseek.urls import without_secrets

# With the way there: a machine under load takes its time over both.
ANSWER_SECONDS = 2.0
# So long after a failure nobody asks, then one at a time.
PAUSE_SECONDS = 1.0
# A process says so often that it is there, and is counted for so long.
PRESENCE_SECONDS = 5
ABSENCE_SECONDS = 15
LEAST_VERSION = 7
# What is written to see whether it is taken is gone again after it.
LOOK_KEPT_MS = 1_000
REFUSAL_LOG_SECONDS = 60.0
_SCANNED_AT_ONCE = 1_000
# Nothing is thrown away when the memory is full.
_KEEPS_ALL = "noeviction"
# All keys begin with it.
PREFIX = "citeseek:"
# This process among those that are counted, however many of its clients and guards ask.
PROCESS = os.urandom(8).hex()

State: TypeAlias = Literal[
    "ok", "unreachable", "too_old", "replica", "evicting", "full", "read_only"
]
_REFUSALS: dict[State, tuple[str, str]] = {
    "unreachable": (
        "it is not reached ({reason})",
        "Start it, or set another CITESEEK_REDIS_URL.",
    ),
    "too_old": (
        "its version is {version}",
        f"Use Valkey, or Redis {LEAST_VERSION} or newer.",
    ),
    "replica": ("it is a replica", "Set CITESEEK_REDIS_URL to the primary."),
    "evicting": (
        "it throws away what is kept when its memory is full (maxmemory-policy {policy})",
        "Set `maxmemory-policy noeviction` there.",
    ),
    "read_only": (
        "it does not take what is to be kept ({reason})",
        "Look at its log and its disk, and at what its user may do (ACL).",
    ),
}

log = logging.getLogger(__name__)


class ServerStanding(NamedTuple):
    """Whether a server can be shared; ``reason`` is what is wrong, or its policy.

    One that is ``full`` takes nothing until something has run out or there is more memory.
    """

    state: State
    version: str = ""
    reason: str = ""


class Gone(Exception):
    """The server cannot be reached, does not answer, or does not take what is to be kept."""


class WriteRefused(Gone):
    """The server answers, and does not take what is to be kept: its disk or its rules forbid it."""


class MemoryFull(WriteRefused):
    """The server answers, and has no memory left for what is to be kept."""


class _Presence:
    """How many processes were at a server when one said that it is there, and when that was."""

    def __init__(self) -> None:
        self.processes = 1
        self.counted_at = -math.inf


# What one client of a server learns, all others of the same process know.
_presences: dict[tuple[str, str], _Presence] = defaultdict(_Presence)


class Valkey:
    """One server at ``url``, for event loops in any threads."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.address = without_secrets(url)
        self.is_gone = False
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        self._asked_again_at = -math.inf
        self._refused_at = -math.inf
        self.process = PROCESS

    @property
    def processes(self) -> int:
        """How many processes share the server, as far as this one has counted them."""
        return self._presence.processes

    @property
    def _presence(self) -> _Presence:
        return _presences[self._url, self.process]

    async def run(self, script: str, key: str, *arguments: bytes | str | float) -> Any:
        """Return what the Lua ``script`` of that name returns for ``key``; raise Gone."""
        return await self._do(lambda client: _script(client, script)([PREFIX + key], arguments))

    async def call(self, command: str, key: str, *arguments: bytes | str | float) -> Any:
        """Return what ``command`` returns for ``key``; raise Gone."""
        return await self._do(
            lambda client: client.execute_command(command, PREFIX + key, *arguments)
        )

    async def wait_for(self, stream: str, milliseconds: int) -> dict[bytes, bytes] | None:
        """Return the first entry of ``stream``, waited for so long; None without one."""
        entries = await self.read_stream(stream, "0", milliseconds, 1)
        return entries[0][1] if entries else None

    async def read_stream(
        self, stream: str, after: str, milliseconds: int, most: int
    ) -> list[tuple[str, dict[bytes, bytes]]]:
        """Return up to ``most`` entries behind ``after``, waited for so long; raise Gone.

        That is less than the server has for an answer (``ANSWER_SECONDS``); 0 does not wait.
        """
        key = PREFIX + stream
        read = await self._do(lambda client: client.xread({key: after}, most, milliseconds or None))
        found = read.values() if isinstance(read, dict) else [got for _, got in read or ()]
        return [(id_.decode(), fields) for entries in found for id_, fields in entries]

    async def delete_keys(self, pattern: str, is_wanted: Callable[[str], bool]) -> None:
        """Delete the keys that match ``pattern`` and are wanted so; raise Gone.

        All keys are looked at, some at a time.
        """
        cursor = b"0"
        while True:
            cursor, keys = await self._do(
                lambda client, at=cursor: client.execute_command(
                    "SCAN", at, "MATCH", PREFIX + pattern, "COUNT", str(_SCANNED_AT_ONCE)
                )
            )
            gone = [key for key in keys if is_wanted(key.decode().removeprefix(PREFIX))]
            if gone:
                await self._do(lambda client, gone=gone: client.delete(*gone))
            if int(cursor) == 0:
                return

    async def newest(self, stream: str) -> tuple[str, dict[bytes, bytes]] | None:
        """Return the last entry of ``stream``, None where it has none; raise Gone."""
        found = await self.call("XREVRANGE", stream, "+", "-", "COUNT", "1")
        if not found:
            return None
        id_, fields = found[0]
        return id_.decode(), fields

    async def take_turn(self, what: str, who: str, per_minute: int) -> int:
        """Take one of ``per_minute`` turns of ``who``; return 0, or the seconds until there is one.

        Raise Gone. Nobody can read there who it was.
        """
        hidden = blake2b(who.encode(), digest_size=16).hexdigest()
        wait = await self.run("take_turn", f"{what}:{hidden}", per_minute)
        return math.ceil(int(wait) / 1_000)

    async def count_processes(self, *, seconds: float = PRESENCE_SECONDS) -> None:
        """Say that this process is there, and count those that are.

        Nothing is done where that is not yet ``seconds`` ago.
        """
        presence = self._presence
        if time.monotonic() < presence.counted_at + seconds:
            return
        presence.counted_at = time.monotonic()
        presence.processes = await self.run("presence", "processes", self.process, ABSENCE_SECONDS)

    async def look(self) -> ServerStanding:
        """Return how the server stands for what is to be kept there, which is tried."""
        try:
            about = await self._do(lambda client: client.info())
        except Gone as error:
            return ServerStanding("unreachable", reason=str(error))
        version = str(about.get("valkey_version") or about.get("redis_version", "0"))
        compatible = str(about.get("redis_version", "0"))
        policy = str(about.get("maxmemory_policy", _KEEPS_ALL))
        state: State = "ok"
        if int(compatible.partition(".")[0]) < LEAST_VERSION:
            state = "too_old"
        elif about.get("role") != "master":
            state = "replica"
        elif policy != _KEEPS_ALL:
            state = "evicting"
        if state != "ok":
            return ServerStanding(state, version, policy)
        try:
            await self.call("SET", "look", "", "PX", LOOK_KEPT_MS)
        except MemoryFull as error:
            return ServerStanding("full", version, str(error))
        except WriteRefused as error:
            return ServerStanding("read_only", version, str(error))
        except Gone as error:
            return ServerStanding("unreachable", version, str(error))
        return ServerStanding("ok", version, policy)

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def _do(self, work: Any) -> Any:
        if self.is_gone:
            if time.monotonic() < self._asked_again_at:
                raise Gone("it did not answer a moment ago")
            self._asked_again_at = time.monotonic() + PAUSE_SECONDS + ANSWER_SECONDS
        # The first time that is an import, which is nothing that the server takes long over.
        client = self._client()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await work(client)
        except TimeoutError:
            self._lose("it does not answer")
            raise Gone("it does not answer") from None
        except _failures() as error:
            reason = str(error) or type(error).__name__
            if refused := _refusal_of(error):
                self._find()
                self._note_refusal(reason)
                raise refused(reason) from None
            self._lose(reason)
            raise Gone(reason) from None
        self._find()
        return answer

    def _find(self) -> None:
        if self.is_gone:
            self.is_gone = False
            log.warning("the server at %s is there again", self.address)

    def _note_refusal(self, reason: str) -> None:
        """Log it once a minute: whoever asks is told each time, and nobody waits."""
        if time.monotonic() > self._refused_at + REFUSAL_LOG_SECONDS:
            self._refused_at = time.monotonic()
            log.error("the server at %s does not take what is to be kept: %s", self.address, reason)

    def _lose(self, reason: str) -> None:
        self._asked_again_at = time.monotonic() + PAUSE_SECONDS
        if not self.is_gone:
            self.is_gone = True
            log.error("the server at %s is gone: %s", self.address, reason)

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = _open(self._url)
        return client


async def look(url: str) -> ServerStanding:
    """Return how the server at ``url`` stands; raise InvalidInput for no address of one."""
    async with aclosing(Valkey(url)) as valkey:
        return await valkey.look()


async def check(url: str) -> None:
    """Raise InvalidInput, with what mends it, where nothing can be shared at ``url``."""
    standing = await look(url)
    # One that is full has room again when something has run out: that is no reason not to start.
    if standing.state in ("ok", "full"):
        return
    wrong, mend = _REFUSALS[standing.state]
    values = {"version": standing.version, "policy": standing.reason, "reason": standing.reason}
    raise InvalidInput(
        f"The server that processes are to share cannot be used: {wrong.format_map(values)}.",
        hint=mend,
        values={"case": f"valkey_{standing.state}", **values},
    )


def _open(url: str) -> Any:
    with needing("scale"):
        from redis.asyncio import Redis  # noqa: PLC0415 - with the extra alone
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415

    try:
        # :meth:`Valkey._do` says how long is waited; the library would do so with a task for each
        # command, and would take a cancellation for the end of that.
        return Redis.from_url(
            url,
            socket_connect_timeout=None,
            socket_timeout=None,
            # A connection that the server closed meanwhile is opened once more.
            retry=Retry(NoBackoff(), 1),
        )
    except (ValueError, TypeError, OSError):
        # What is behind the "?", which the library reads for itself.
        raise InvalidInput(
            "CITESEEK_REDIS_URL has parameters that are not understood.",
            hint="It looks like redis://127.0.0.1:6379/0.",
            values={"case": "valkey_parameters"},
        ) from None


def _refusal_of(error: Exception) -> type[WriteRefused] | None:
    """Return what a server says that answers all the same, None where it cannot be used."""
    from redis import exceptions  # noqa: PLC0415 - with the extra alone

    if isinstance(error, exceptions.OutOfMemoryError):
        return MemoryFull
    return WriteRefused if isinstance(error, exceptions.ResponseError) else None


@cache
def _failures() -> tuple[type[Exception], ...]:
    from redis import exceptions  # noqa: PLC0415 - with the extra alone

    return exceptions.RedisError, OSError


def _script(client: Any, name: str) -> Any:
    scripts: dict[str, Any] = client.__dict__.setdefault("citeseek_scripts", {})
    if name not in scripts:
        scripts[name] = client.register_script(_source(name))
    return scripts[name]


@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(f"{name}.lua").read_text()
