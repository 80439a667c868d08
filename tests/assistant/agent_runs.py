"""Agent mode for tests: a model and an engine on loopback, and what is heard of an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.loopback.models import ModelServer

from citeseek import Settings
from citeseek.assistant.events import Done, Event, Notice

E = TypeVar("E")


@dataclass
class Bench:
    """``engine`` plays SearXNG: three results for a query, or what ``replies`` hold for it."""

    engine: LoopbackServer
    model: ModelServer
    config: dict[str, Any] = field(default_factory=dict)
    agents: dict[str, Any] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)

    def load(self) -> Settings:
        """Return the settings as they are now."""
        env = {**self.model.env, "SEARXNG_BASE_URL": self.engine.base_url, **self.env}
        return settings(self.config, agents=self.agents, env=env)

    def find(self, request: Request) -> Reply:
        """Be the engine."""
        query = request.param("q") or ""
        return self.replies.get(query) or results(query, 3)

    @property
    def queries(self) -> list[str | None]:
        """What the engine was asked, in order."""
        return [request.param("q") for request in self.engine.requests]

    def told(self, place: int) -> list[str]:
        """Return the texts of the tools in request number ``place`` to the model."""
        messages = self.model.requests[place].messages
        return [str(m["content"]) for m in messages if m["role"] == "tool"]


@contextmanager
def bench() -> Iterator[Bench]:
    """Give a bench whose servers run."""
    with LoopbackServer() as engine, ModelServer() as model:
        made = Bench(engine, model)
        engine.on("/search", made.find)
        yield made


def results(query: str, count: int) -> Reply:
    """Answer as SearXNG does, with results from pages of their own for each query."""
    return replies.as_json({"results": [result(query, n) for n in range(1, count + 1)]})


def result(query: str, number: int) -> dict[str, str]:
    """Return one result."""
    url = address(query, number)
    return {"url": url, "title": f"{query} {number}", "content": f"Leaf {number} of {query}."}


def address(query: str, number: int) -> str:
    """Return the address of a result."""
    return f"https://{query.replace(' ', '-')}.example/{number}"


@dataclass
class Heard:
    """The events of one answer."""

    events: list[Event]

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def done(self) -> Done:
        """The last event, which is the only one of its kind."""
        (done,) = self.of(Done)
        assert done is self.events[-1]
        return done

    @property
    def text(self) -> str:
        """The answer with its references."""
        return self.done.text

    @property
    def notices(self) -> list[str]:
        """The codes of the notices."""
        return [notice.code for notice in self.of(Notice)]


async def heard(events: AsyncGenerator[Event]) -> Heard:
    """Listen to the end."""
    return Heard([event async for event in events])
