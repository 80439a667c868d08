"""The loopback engine: a server in a process of its own that answers after a fixed latency.

It shares the machine with the client that is measured, so it does the least that HTTP allows: it
looks for the end of each request and writes bytes that were made before the first connection. The
pages are those of :mod:`benchmarks.pages`, each engine's below a path of its own.

    python -m benchmarks.server --latency-ms 100      prints the port it listens on
"""

from __future__ import annotations

import argparse
import asyncio
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks import pages

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADERS_END = b"\r\n\r\n"
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
BACKLOG = 1024
# A whole answer fits, so that the kernel takes it in one call.
SEND_BUFFER = 512 * 1024
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


def _response(content_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


HTML, JSON = "text/html; charset=UTF-8", "application/json"
RESPONSES = {
    b"/html/": _response(HTML, pages.duckduckgo()),
    b"/search": _response(JSON, pages.searxng()),
    b"/google/search": _response(HTML, pages.google()),
    b"/mojeek/search": _response(HTML, pages.mojeek()),
    b"/brave/search": _response(HTML, pages.brave()),
    b"/startpage/sp/search": _response(HTML, pages.startpage()),
    b"/yandex/search/": _response(HTML, pages.yandex()),
}


class EngineProtocol(asyncio.Protocol):
    """One keep-alive connection, with one request at a time on it."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Make room for a whole answer."""
        self.transport = transport
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def data_received(self, data: bytes) -> None:
        """Collect a request; when it is complete, have it answered after the latency."""
        self.received += data
        head_size = self.received.find(HEADERS_END)
        if head_size < 0:
            return
        length = CONTENT_LENGTH.search(self.received, 0, head_size)
        body_size = int(length[1]) if length else 0
        if len(self.received) < head_size + len(HEADERS_END) + body_size:
            return
        target = self.received.split(b" ", 2)[1]
        self.received = b""
        response = RESPONSES.get(target.partition(b"?")[0], NOT_FOUND)
        if self.latency:
            asyncio.get_running_loop().call_later(self.latency, self._send, response)
        else:
            self._send(response)

    def _send(self, response: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(response)


async def serve(latency: float) -> None:
    """Listen on a free loopback port, print it, and answer until the process is ended."""
    server = await asyncio.get_running_loop().create_server(
        lambda: EngineProtocol(latency), "127.0.0.1", 0, backlog=BACKLOG
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def engine(latency_ms: float) -> Iterator[str]:
    """Run the server in a child process; give its address."""
    command = [sys.executable, "-m", "benchmarks.server", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description="The loopback engine of the benchmarks.")
    parser.add_argument("--latency-ms", type=float, default=100.0)
    asyncio.run(serve(parser.parse_args().latency_ms / 1000))


if __name__ == "__main__":
    main()
