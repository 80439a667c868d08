"""What a person chooses for one conversation, over the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from msgspec import structs

from citeseek.client import Client
from citeseek.conversations.conversation_record import Choices
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO, CHAT
from citeseek.language_model.model import MODEL_FORMS
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.query import language, whole_number
from citeseek.searching.engine_choice import engine_name, groups
from citeseek.searching.engine_registry import Registry, fold_name
from citeseek.searching.planning import SearchFields, check_seconds
from citeseek.settings import Settings
from citeseek.settings.face_settings import ChatSection
from citeseek.settings.web_settings import EngineSection

MAX_MODEL = 200  # characters
# Nothing on the own machine takes longer to take a connection.
_LISTENING_SECONDS = 0.5


def check(choices: Choices, registry: Registry) -> None:
    """Raise InvalidInput for a choice that cannot be made, naming it and what may stand there."""
    if choices.results is not None:
        whole_number("results", choices.results, CHAT.counts.low, CHAT.counts.high)
    if choices.seconds is not None:
        check_seconds(choices.seconds)
    language(choices.language)
    _check_model(choices.model)
    for name in choices.engines:
        if fold_name(name) != AUTO:
            registry.get(name)


async def with_engine(
    choices: Choices, client: Client, *, is_there: Callable[[str], Awaitable[bool]] | None = None
) -> Choices:
    """Return ``choices`` with ``auto`` where nobody named an engine and no SearXNG is there.

    One that somebody wrote down is never replaced, whether it answers or not. ``is_there`` says
    whether a server is at an address, by default whether it takes a connection.
    """
    settings = client.settings
    is_named = choices.engines or settings.was_given(ChatSection.engine)
    if is_named or settings.sources.was_given(EngineSection.base_url, SEARXNG.id):
        return choices
    url = settings.engine(SEARXNG).base_url.value or SEARXNG.base_url
    if await (is_there or listens)(url):
        return choices
    return structs.replace(choices, engines=(AUTO,))


def first_labels(choices: Choices, client: Client) -> tuple[str, ...]:
    """Return the names of the engines that ``choices`` ask first, which stand for ``auto``."""
    first = groups(choices.engines, (), client.registry, client.settings)[0]
    return tuple(client.registry.label(name) for name, _ in first)


def engine_labels(choices: Choices, client: Client) -> tuple[str, ...]:
    """Return the names of the engines of ``choices``, of that which the settings name without."""
    names = choices.engines or (
        engine_name(client.settings.face(CHAT), client.registry, client.settings).value,
    )
    return tuple(map(client.registry.label, names))


async def listens(url: str) -> bool:
    """Return whether something takes connections at ``url``."""
    parts = urlsplit(url)
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LISTENING_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.close()
        return True
    return False


def _check_model(name: str | None) -> None:
    if name is None:
        return
    provider, colon, model = name.partition(":")
    is_name = name.isascii() and name.isprintable() and " " not in name
    if not is_name or len(name) > MAX_MODEL or not provider or (colon and not model):
        raise InvalidInput(
            f"{name!r:.60} is no name of a model.",
            hint=MODEL_FORMS,
            values={"case": "no_model_name", "name": f"{name!r:.60}"},
        )


def search_fields(choices: Choices, default_language: str) -> SearchFields:
    """Return what the choices mean for a search of the chat app."""
    asked: SearchFields = {"face": CHAT, "language": choices.language or default_language}
    if choices.results is not None:
        asked["count"] = choices.results
    if choices.seconds is not None:
        asked["seconds"] = choices.seconds
    if choices.engines:
        asked["engines"] = choices.engines
    if choices.freshness is not None:
        asked["freshness"] = choices.freshness
    if choices.category is not None:
        asked["category"] = choices.category
    return asked


def usual_switch(settings: Settings, model: str) -> bool:
    """Return the search switch of a new conversation, as the settings say.

    Where they say nothing it is off, but for the built-in ``model``, which only quotes results.
    """
    if settings.was_given(ChatSection.search):
        return bool(settings.chat.search)
    return model == EXTRACTIVE
