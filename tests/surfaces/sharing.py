"""One running server for a module of tests; each of them asks in an environment of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.conftest import settings
from tests.loopback.models import ModelServer
from tests.serving.running import running

from citeseek import Settings
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app


@dataclass(frozen=True)
class Told:
    """What came back, whole."""

    status: int
    json: Any


class Shared:
    """Begins with the first question; the server reads its settings anew for each one."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._base_url = ""
        self._model: ModelServer | None = None
        self._settings = settings()

    @property
    def model(self) -> ModelServer:
        """The model of the chat, which says what it is told to say."""
        if self._model is None:
            self._model = self._open.enter_context(ModelServer())
        return self._model

    async def ask(self, env: Mapping[str, str], path: str, body: object = None) -> Told:
        """Ask for ``path``, with a JSON ``body`` if there is one; whoever is cancelled hangs up."""
        self._settings = settings(env={**self.model.env, **env})
        where = urlsplit(self._started())
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: {where.netloc}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            "Connection: close\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        try:
            writer.write(head.encode() + content)
            answer, _, told = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
            await writer.wait_closed()
        return Told(int(answer.split()[1]), json.loads(told))

    def close(self) -> None:
        """End the server; the next question begins another one."""
        self._open.close()
        self._base_url, self._model = "", None

    def _started(self) -> str:
        if not self._base_url:
            app = create_app(self._now, store=MemoryStore(), looks=False)
            self._base_url = self._open.enter_context(running(app))
        return self._base_url

    def _now(self) -> Settings:
        return self._settings


SHARED = Shared()
