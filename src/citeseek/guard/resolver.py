"""Looking names up: the one seam to the system's resolver, and names that are always local."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from citeseek.errors import NetworkError

# Returns the addresses of a name as text; NetworkError when it has none.
Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]

# Look-ups at the same time; a resolver that hangs keeps no more threads than these.
MAX_THREADS = 32

# Names that no public server knows (RFC 6761, 6762, 8375, and what networks use without one).
_LOCAL = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp")


class _Lookups:
    """Runs look-ups in at most ``MAX_THREADS`` threads, which end when nothing waits.

    A look-up cannot be stopped, and must not hold up the end of the program: they are no threads
    of a pool.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._threads = 0
        self._lock = threading.Lock()

    def begin(self, look: Callable[[], None]) -> None:
        """Run ``look`` now, or when one of the threads is free."""
        with self._lock:
            self._waiting.append(look)
            if self._threads == MAX_THREADS:
                return
            self._threads += 1
        threading.Thread(target=self._work, name="citeseek-names", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                look = self._waiting.popleft()
            look()


_LOOKUPS = _Lookups()


async def system_addresses(host: str) -> list[str]:
    """Return the addresses of ``host`` as this machine's resolver gives them, in its order."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def tell(addresses: list[str]) -> None:
        if not answer.done():
            answer.set_result(addresses)

    def look() -> None:
        if answer.cancelled():
            return
        addresses = _look_up(host)
        with suppress(RuntimeError):  # the loop was not waited for
            loop.call_soon_threadsafe(tell, addresses)

    _LOOKUPS.begin(look)
    if not (addresses := await answer):
        raise unknown_name(host)
    return addresses


def _look_up(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def unknown_name(host: str) -> NetworkError:
    """Return the error for a name without an address."""
    return NetworkError(
        f"The host {host} was not found.",
        detail_code="name_not_found",
        values={"case": "host", "host": host},
    )


def is_local(host: str) -> bool:
    """Whether the name ``host`` can only lead into a network of somebody's own."""
    return "." not in host or host.endswith((*(f".{name}" for name in _LOCAL), ".home.arpa"))
