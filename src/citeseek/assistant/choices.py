"""What a person chooses for one conversation, over the settings."""

from __future__ import annotations

from citeseek.assistant.session import Choices
from citeseek.faces import AUTO, CHAT
from citeseek.planning import SearchFields, check_seconds
from citeseek.query import language, whole_number
from citeseek.registry import Registry, folded


def check(choices: Choices, registry: Registry) -> None:
    """Raise InvalidInput for a choice that cannot be made, naming it and what may stand there."""
    if choices.results is not None:
        whole_number("results", choices.results, CHAT.counts.low, CHAT.counts.high)
    if choices.seconds is not None:
        check_seconds(choices.seconds)
    language(choices.language)
    for name in choices.engines:
        if folded(name) != AUTO:
            registry.get(name)


def search_fields(choices: Choices, default_language: str) -> SearchFields:
    """Return what the choices mean for a search of the chat app."""
    asked: SearchFields = {"face": CHAT, "language": choices.language or default_language}
    if choices.results is not None:
        asked["count"] = choices.results
    if choices.seconds is not None:
        asked["seconds"] = choices.seconds
    if choices.engines:
        asked["engines"] = choices.engines
    return asked
