"""A real server on loopback for an application, and a client that sees every byte of it."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

import uvicorn


@contextmanager
def running(app: Any, *, port: int = 0, **options: Any) -> Iterator[str]:
    """Serve ``app`` until the block ends, by default on a free port; give its address."""
    ready = threading.Event()
    config = uvicorn.Config(
        app, port=port, log_level="warning", timeout_graceful_shutdown=2, **options
    )
    server = _Server(config, ready)
    thread = threading.Thread(target=server.run, name="uvicorn")
    thread.start()
    try:
        assert ready.wait(20), "the server did not start"
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the server did not stop"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self._ready.set()


class Answered:
    """What came back, whole."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """Sends requests to one server as a program would."""

    def __init__(self, base_url: str, **headers: str) -> None:
        self.base_url = base_url
        self._headers = headers

    def __call__(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        """Send one request; a body that is not bytes is sent as JSON."""
        with self.opened(method, path, body, headers) as response:
            return Answered(response.status, response.headers, response.read())

    @contextmanager
    def opened(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        """Send one request and give the answer while it still comes."""
        sent = {**self._headers, **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        where = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        try:
            connection.request(method, path, body, sent)
            yield connection.getresponse()
        finally:
            connection.close()

    @contextmanager
    def left(
        self, method: str, path: str, body: object, headers: Mapping[str, str] | None = None
    ) -> Iterator[None]:
        """Send a request with a JSON body, and go away at the end of the block."""
        where = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        sent = {"Content-Type": "application/json", **self._headers, **(headers or {})}
        try:
            connection.request(method, path, json.dumps(body).encode(), sent)
            yield
        finally:
            connection.close()


class Sent:
    """One server-sent event."""

    def __init__(self, lines: list[str]) -> None:
        fields = dict(line.split(": ", 1) for line in lines if ": " in line and line[0] != ":")
        self.kind = fields.get("event", "message")
        self.id = fields.get("id", "")
        self.data = json.loads(fields["data"]) if "data" in fields else None


def events(response: http.client.HTTPResponse) -> Iterator[Sent]:
    """Yield the events of a stream until it ends; pings are left out."""
    lines: list[str] = []
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if line:
            lines.append(line)
            continue
        if any(not each.startswith(":") for each in lines):
            yield Sent(lines)
        lines = []
