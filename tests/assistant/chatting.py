"""A chat between a loopback engine and a scripted model, as the events that a surface would get."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.loopback.models import Asked, ModelServer

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done, Event, Notice, Token
from citeseek.conversations.store import Store
from citeseek.settings import Settings

FOUND = Reply(200, {"Content-Type": replies.JSON}, page("searxng/search.json"))
E = TypeVar("E")

Answer = Reply | Callable[[Request], Reply]


def result(number: int, **other: Any) -> dict[str, Any]:
    """Return a result as SearXNG gives it."""
    return {
        "url": f"https://site{number}.example/page",
        "title": f"Title {number}",
        "content": f"Summary {number}.",
        "engine": "stub",
        **other,
    }


def found(*results: object) -> Reply:
    """Answer as SearXNG with ``results``."""
    return replies.as_json({"query": "q", "results": list(results)})


class Chatting:
    """One conversation. ``say`` answers a message and returns what happened."""

    def __init__(
        self,
        assistant: Assistant,
        engine: LoopbackServer,
        model: ModelServer,
        load: Callable[[], Settings],
    ) -> None:
        self.assistant = assistant
        self.load = load
        self.engine = engine
        self.model = model
        self.id: str | None = None

    async def say(self, message: str, *, search: bool | None = None) -> list[Event]:
        if self.id is None:
            self.id = (await self.assistant.open()).id
            search = True if search is None else search
        stream = self.assistant.stream(message, session_id=self.id, search=search)
        return [event async for event in stream]

    @property
    def asked(self) -> Asked:
        """What the model was asked last."""
        return self.model.requests[-1]


@asynccontextmanager
async def chatting(
    *answers: Answer,
    at: str | None = None,
    config: Mapping[str, Any] | None = None,
    store: Store | None = None,
    **env: str,
) -> AsyncIterator[Chatting]:
    """Give a chat whose engine gives ``answers``, or is the address ``at``."""
    with LoopbackServer() as engine, ModelServer() as model:
        engine.on("/search", *(answers or (FOUND,)))
        where = {"SEARXNG_BASE_URL": at or engine.base_url}
        loaded = settings(config, env={**model.env, **where, **env})
        async with Assistant(lambda: loaded, store=store) as assistant:
            yield Chatting(assistant, engine, model, lambda: loaded)


def all_of(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def done(events: list[Event]) -> Done:
    """Return the last event and see that it is the only end."""
    (end,) = all_of(events, Done)
    assert events[-1] is end
    return end


def shown(events: list[Event]) -> str:
    return "".join(token.text for token in all_of(events, Token))


def notice(events: list[Event]) -> Notice:
    """Return the one notice."""
    (found_notice,) = all_of(events, Notice)
    return found_notice


def numbered(prompt: str) -> dict[int, str]:
    """Return the addresses in a prompt by their numbers."""
    row = r"^(\d+)\. .*\n   (?:来源|Source): .*\n   (?:网址|Address): (\S+)$"
    pairs = re.findall(row, prompt, re.MULTILINE)
    return {int(number): url for number, url in pairs}


def summaries(prompt: str) -> list[str]:
    return re.findall(r"^   (?:摘要|Summary): (.*)$", prompt, re.MULTILINE)


def without_ids(text: str) -> str:
    """Return ``text`` with the ids of its fences, which are new each time, made equal."""
    return re.sub(r'id="[0-9a-f]{16}"', 'id="…"', text)


def tasks() -> int:
    return len(asyncio.all_tasks())
