"""Listening: the socket, and uvicorn on it until a signal ends it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from citeseek.errors import InvalidInput

# Requests that are no event streams, and connections that browsers keep for the next one.
_OTHER_CONNECTIONS = 256
_BACKLOG = 512
# Streams end at once with a signal; what still computes an answer may finish it.
_GRACE_SECONDS = 5
_REASONS = {
    errno.EADDRINUSE: (
        "Port {port} of {host} is in use.",
        (
            "End the program that uses it, or take another port: --port 0 finds a free one "
            '(with make: ARGS="--port 0").'
        ),
    ),
    errno.EACCES: (
        "Port {port} may not be used without the rights of an administrator.",
        "Take one from 1024 on, such as --port 8000.",
    ),
    errno.EADDRNOTAVAIL: (
        "{host} is not an address of this machine.",
        "Use 127.0.0.1 for this machine alone, 0.0.0.0 for all its networks.",
    ),
}


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; connections wait on it until somebody serves them.

    Port 0 is a free one. Raise InvalidInput when that cannot be.
    """
    try:
        # Whatever else the file of hosts may say of localhost.
        address = "127.0.0.1" if host == "localhost" else host
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, place = found[0]
        both = place[0] == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(place, family=family, backlog=_BACKLOG, dualstack_ipv6=both)
    except socket.gaierror:
        raise InvalidInput(f"There is no machine called {host}.") from None
    except OSError as error:
        unknown = (f"It is not possible to listen on port {port} of {host}: {error.strerror}.", "")
        said, hint = _REASONS.get(error.errno or 0, unknown)
        raise InvalidInput(said.format(host=host, port=port), hint=hint) from None


def address_of(listening: socket.socket) -> str:
    """Return the address to open on this machine, such as ``http://127.0.0.1:8000``."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing listens
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: ASGIApp,
    listening: socket.socket,
    *,
    max_streams: int,
    ready: Callable[[], None],
) -> None:
    """Serve ``app`` until SIGINT or SIGTERM, then end as these end a program.

    ``ready`` is called when requests are answered.
    """
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        # Our own lines say more, and nothing of what was looked for.
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=max_streams + _OTHER_CONNECTIONS,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    _Server(config, ready).run([listening])


class _Server(uvicorn.Server):
    """A uvicorn that tells when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        self._ready()
