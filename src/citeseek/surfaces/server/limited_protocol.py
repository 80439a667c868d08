"""HTTP on one connection, as uvicorn speaks it, whose waiting is counted."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from citeseek.surfaces.server.connections import Connections

# Linger for no second.
_AT_ONCE = struct.pack("ii", 1, 0)


class LimitedProtocol(H11Protocol):
    """Tells ``connections`` whether the connection has a request, or waits for one.

    uvicorn itself closes a connection on which nothing comes after an answer; it does not end one
    on which a request comes slowly, none ever came, or nobody takes the answer.
    """

    def __init__(
        self,
        connections: Connections,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._limited = connections
        self._opened: asyncio.Transport | None = None

    @property
    def unsent(self) -> int:
        """The bytes that the client has yet to take."""
        return self._opened.get_write_buffer_size() if self._opened else 0

    def abort(self) -> None:
        """Close the connection at once, whatever is still to be sent."""
        if self._opened is None:
            return
        if self.unsent:
            # Else the system would go on offering what nobody takes, for minutes.
            self._opened.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE
            )
        self._opened.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; whatever the system does not take at once stops the answer until it has."""
        self._opened = transport
        transport.set_write_buffer_limits(0)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._limited.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; a request has begun with it, unless one is being answered."""
        super().data_received(data)
        if self._is_answering:
            if self.cycle.more_body:
                self._limited.body_awaited(self)
            else:
                self._limited.busy(self)
        elif not self.transport.is_closing():
            self._limited.head_awaited(self)

    def on_response_complete(self) -> None:
        """Go on with the next request."""
        super().on_response_complete()
        if not self._is_answering:
            self._limited.idle(self)

    def pause_writing(self) -> None:
        """Write nothing more: what is unsent can only become less."""
        super().pause_writing()
        self._limited.stalled(self)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._limited.flowing(self)

    @property
    def _is_answering(self) -> bool:
        # uvicorn has None here before the first request, and does not say so.
        return bool(self.cycle) and not self.cycle.response_complete
