"""Looking names up: the one seam to the system's resolver, and names that are always local."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from citeseek.errors import NetworkError

# Returns the addresses of a name as text; NetworkError when it has none.
Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]

# Names that no public server knows (RFC 6761, 6762, 8375, and what networks use without one).
_LOCAL = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp")


async def system_addresses(host: str) -> list[str]:
    """Return the addresses of ``host`` as this machine's resolver gives them, in its order."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def tell(addresses: list[str]) -> None:
        if not answer.done():
            answer.set_result(addresses)

    def look() -> None:
        addresses = _looked_up(host)
        with suppress(RuntimeError):  # the loop was not waited for
            loop.call_soon_threadsafe(tell, addresses)

    # A thread of its own: a look-up cannot be stopped, and must hold up neither others nor the end
    # of the program.
    threading.Thread(target=look, name="citeseek-names", daemon=True).start()
    if not (addresses := await answer):
        raise unknown_name(host)
    return addresses


def _looked_up(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def unknown_name(host: str) -> NetworkError:
    """Return the error for a name without an address."""
    return NetworkError(
        f"The host {host} was not found (找不到主机).", detail_code="name_not_found"
    )


def is_local(host: str) -> bool:
    """Whether the name ``host`` can only lead into a network of somebody's own."""
    return "." not in host or host.endswith((*(f".{name}" for name in _LOCAL), ".home.arpa"))
