"""How far one gets towards a server below HTTP: its name, its port, its TLS."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import suppress
from typing import Literal, TypeAlias

from citeseek.health.finding import Phrase

# Why there is no connection: no such name, nothing listens, no answer, no way there.
Obstacle: TypeAlias = Literal["name_not_found", "refused", "timeout", "no_route"]
OBSTACLES: dict[Obstacle, Phrase] = {
    "name_not_found": Phrase("no_such_host"),
    "refused": Phrase("connection_refused"),
    "timeout": Phrase("no_answer"),
    "no_route": Phrase("no_way_there"),
}


async def addresses(host: str, *, seconds: float) -> list[str]:
    """Return the addresses of ``host``; none when it has none, or the lookup takes longer."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def look_up() -> None:
        ips: list[str] = []
        with suppress(OSError, UnicodeError):
            rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            ips = [str(row[4][0]) for row in rows]
        # The loop may be over when a slow resolver answers.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_tell, found, list(dict.fromkeys(ips)))

    # Not the loop's own threads: a program's end waits for those, and a resolver may take minutes.
    threading.Thread(target=look_up, name="citeseek-name", daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            return await found
    except TimeoutError:
        return []


async def obstacle(host: str, port: int, *, seconds: float) -> Obstacle | None:
    """Return what keeps a TCP connection from being made, None when nothing does."""
    until = asyncio.get_running_loop().time() + seconds
    ips = await addresses(host, seconds=seconds)
    if not ips:
        return "name_not_found"
    met: set[Obstacle] = set()
    for ip in ips:
        left = until - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(left):
                _, writer = await asyncio.open_connection(ip, port)
        except TimeoutError:
            met.add("timeout")
        except ConnectionRefusedError:
            met.add("refused")
        except OSError:
            met.add("no_route")
        else:
            await _close(writer)
            return None
    order: tuple[Obstacle, ...] = ("refused", "timeout", "no_route")
    return next(obstacle for obstacle in order if obstacle in met)


async def tls(host: str, port: int, *, seconds: float) -> Literal["trusted", "untrusted", "none"]:
    """Return whether the port speaks TLS, with a certificate that this system trusts or not."""
    if await _speaks(host, port, ssl.create_default_context(), seconds):
        return "trusted"
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    return "untrusted" if await _speaks(host, port, unchecked, seconds) else "none"


async def _speaks(host: str, port: int, context: ssl.SSLContext, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
    except (OSError, EOFError):
        return False
    await _close(writer)
    return True


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, EOFError, TimeoutError):
        async with asyncio.timeout(1):
            await writer.wait_closed()


def _tell(found: asyncio.Future[list[str]], ips: list[str]) -> None:
    if not found.done():
        found.set_result(ips)
