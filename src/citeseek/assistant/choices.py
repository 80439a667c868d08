"""What a person chooses for one conversation, over the settings."""

from __future__ import annotations

from citeseek.assistant.model import MODEL_FORMS
from citeseek.assistant.session import Choices
from citeseek.errors import InvalidInput
from citeseek.faces import AUTO, CHAT
from citeseek.planning import SearchFields, check_seconds
from citeseek.query import language, whole_number
from citeseek.registry import Registry, folded

MAX_MODEL = 200  # characters


def check(choices: Choices, registry: Registry) -> None:
    """Raise InvalidInput for a choice that cannot be made, naming it and what may stand there."""
    if choices.results is not None:
        whole_number("results", choices.results, CHAT.counts.low, CHAT.counts.high)
    if choices.seconds is not None:
        check_seconds(choices.seconds)
    language(choices.language)
    _check_model(choices.model)
    for name in choices.engines:
        if folded(name) != AUTO:
            registry.get(name)


def _check_model(name: str | None) -> None:
    if name is None:
        return
    provider, colon, model = name.partition(":")
    is_name = name.isascii() and name.isprintable() and " " not in name
    if not is_name or len(name) > MAX_MODEL or not provider or (colon and not model):
        raise InvalidInput(
            f"{name!r:.60} is no name of a model.",
            hint=MODEL_FORMS,
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
    return asked
