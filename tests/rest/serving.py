"""The API on a real server, with a loopback engine and a scripted model behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.assistant.chatting import FOUND, Answer
from tests.conftest import settings
from tests.loopback import LoopbackServer
from tests.loopback.models import ModelServer
from tests.serving.running import Answered, Caller, Sent, events, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

PREFIX = "/api/v1"


class Served:
    """A running API. Paths are those behind ``/api/v1``."""

    def __init__(self, base_url: str, engine: LoopbackServer, model: ModelServer) -> None:
        self.http = Caller(base_url)
        self.engine = engine
        self.model = model

    def call(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        return self.http(method, PREFIX + path, body, headers)

    def begin(self, **how: Any) -> str:
        """Begin a conversation and return its path."""
        return f"/sessions/{self.call('POST', '/sessions', how).json()['id']}"

    def ask(self, session: str, text: str) -> list[Sent]:
        """Ask and return all events of the answer."""
        asked = {"Accept": "text/event-stream"}
        path = f"{PREFIX}{session}/messages"
        with self.http.opened("POST", path, {"text": text}, asked) as response:
            assert response.status == 200, response.read()
            return list(events(response))


@contextmanager
def served(*answers: Answer, **env: str) -> Iterator[Served]:
    """Serve the API over an engine that gives ``answers``."""
    with LoopbackServer() as engine, ModelServer() as model:
        engine.on("/search", *(answers or (FOUND,)))
        loaded = settings(env={**model.env, "SEARXNG_BASE_URL": engine.base_url, **env})
        with running(create_app(lambda: loaded, store=MemoryStore(), looks=False)) as base_url:
            yield Served(base_url, engine, model)
