"""Listening: the socket, and uvicorn on it until a signal ends it."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
import uvicorn
from sse_starlette.sse import AppStatus
from starlette.types import ASGIApp

from citeseek.errors import InvalidInput, reason_of
from citeseek.observing.log_lines import for_people
from citeseek.surfaces.server.acceptor import Acceptor
from citeseek.surfaces.server.connections import ConnectionLimits, Connections
from citeseek.surfaces.server.limited_protocol import LimitedProtocol
from citeseek.surfaces.server.log_limit import OnceAMinute

_BACKLOG = 512
# What nobody counts as under way may take so long, such as a search.
_GRACE_SECONDS = 5
# A request that was sent before the end comes within it.
_REQUEST_SECONDS = 1.0
# What ended last is told to its readers within it.
_FAREWELL_SECONDS = 0.2
_LOOK_SECONDS = 0.05
_REASONS = {
    errno.EADDRINUSE: (
        "port_taken",
        "Port {port} of {host} is in use.",
        (
            "End the program that uses it, or take another port: --port 0 finds a free one "
            '(with make: ARGS="--port 0").'
        ),
    ),
    errno.EACCES: (
        "port_forbidden",
        "Port {port} may not be used without the rights of an administrator.",
        "Take one from 1024 on, such as --port 8000.",
    ),
    errno.EADDRNOTAVAIL: (
        "host_elsewhere",
        "{host} is not an address of this machine.",
        "Use 127.0.0.1 for this machine alone, 0.0.0.0 for all its networks.",
    ),
}

_UNKNOWN_REASON = (
    "no_listening",
    "It is not possible to listen on port {port} of {host}: {reason}.",
    "",
)

log = logging.getLogger(__name__)


async def _nothing_under_way() -> None:
    """Return at once."""


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
        raise InvalidInput(
            f"There is no machine called {host}.", values={"case": "no_machine", "host": host}
        ) from None
    except OSError as error:
        case, said, hint = _REASONS.get(error.errno or 0, _UNKNOWN_REASON)
        values = {"host": host, "port": str(port), **reason_of(error)}
        raise InvalidInput(
            said.format(**values), hint=hint, values={"case": case, **values}
        ) from None


def address_of(listening: socket.socket) -> str:
    """Return the address to open on this machine, such as ``http://127.0.0.1:8000``."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing listens
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: ASGIApp,
    listening: socket.socket,
    *,
    limits: ConnectionLimits,
    ready: Callable[[], None],
    drain: Callable[[], Awaitable[None]] = _nothing_under_way,
    grace_seconds: float = 0.0,
) -> None:
    """Serve ``app`` until SIGINT or SIGTERM, then end as these end a program.

    ``limits`` are those of its connections. ``ready`` is called when requests are answered. After
    SIGTERM what is under way may take ``grace_seconds``, with its readers; ``drain`` returns when
    nothing is. Another signal ends that.
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
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    # It writes a line for each request that it cannot read.
    logging.getLogger("uvicorn.error").addFilter(OnceAMinute())
    server = _Server(config, Connections(_within_files(limits)), ready)
    server.let_finish(drain, grace_seconds)
    server.run([listening])


def _within_files(limits: ConnectionLimits) -> ConnectionLimits:
    """Return ``limits`` with half of the files that the process may open left for other things."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return limits
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or limits.most <= soft // 2:
        return limits
    log.warning(
        "At most %d connections are opened at the same time: this process may open %d files "
        "(ulimit -n).",
        soft // 2,
        soft,
        extra=for_people(lambda say: say("log.few_files", most=soft // 2, files=soft)),
    )
    return msgspec.structs.replace(limits, most=max(soft // 2, 1))


class _Server(uvicorn.Server):
    """A uvicorn whose connections are limited, and that tells when it is ready."""

    def __init__(
        self, config: uvicorn.Config, connections: Connections, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._limited = connections
        self._acceptors: list[Acceptor] = []
        self._ready = ready
        self._drain: Callable[[], Awaitable[None]] = _nothing_under_way
        self._grace_seconds = 0.0
        # Streams would end with the signal; those of what is under way are to end with that.
        AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]

    def let_finish(self, drain: Callable[[], Awaitable[None]], seconds: float) -> None:
        """Wait for ``drain`` before the end, at most ``seconds``, unless it is to be at once."""
        self._drain, self._grace_seconds = drain, seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start without a server of asyncio's, then accept connections, and tell."""
        await super().startup([])
        protocol = partial(
            LimitedProtocol, self._limited, self.config, self.server_state, self.lifespan.state
        )
        self._acceptors = [Acceptor(each, self._limited, protocol) for each in sockets or []]
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, let finish what is under way, and end as uvicorn does."""
        for acceptor in self._acceptors:
            await acceptor.close()
        for listening in sockets or []:
            # Who comes now is refused, and not left waiting for nobody.
            listening.close()
        if not self._is_hurried:
            await self._finish()
        AppStatus.should_exit = True
        await super().shutdown()

    @property
    def _is_hurried(self) -> bool:
        """Whether a person ends it (Ctrl-C), or somebody said so twice."""
        return signal.SIGINT in self._captured_signals or len(self._captured_signals) > 1

    async def _finish(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + _REQUEST_SECONDS
        while self._limited.awaited and loop.time() < until and not self._is_hurried:  # noqa: ASYNC110 - a signal sets no event
            await asyncio.sleep(_LOOK_SECONDS)
        for connection in list(self.server_state.connections):
            # Those that have a request close behind its answer.
            connection.shutdown()
        draining = asyncio.ensure_future(self._drain())
        if (await asyncio.wait([draining], timeout=_LOOK_SECONDS))[0]:
            return
        until = loop.time() + self._grace_seconds
        while not draining.done() and loop.time() < until and not self._is_hurried:
            await asyncio.wait([draining], timeout=_LOOK_SECONDS)
        draining.cancel()
        await asyncio.wait([draining])
        await asyncio.sleep(_FAREWELL_SECONDS)
