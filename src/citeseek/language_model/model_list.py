"""The models that the server of the settings has, and what they cost where that is known."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from citeseek.language_model.model import Model, load_model
from citeseek.language_model.model_failures import translate_failure
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.observing.receipt import Prices
from citeseek.settings import Settings

# A list is short and quickly given; nobody waits longer for it.
_SECONDS = 10.0
# Beyond these a list helps nobody to choose.
_MOST = 500
_MILLION = 1_000_000


class OfferedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that can be chosen: its ``name``, as in the setting ``model.name``, and its prices.

    ``price_in`` and ``price_out`` are what a million tokens cost, None where nobody says. The
    ``usual`` one is that of the settings.
    """

    name: str
    price_in: float | None = None
    price_out: float | None = None
    is_usual: bool = False


def known_models(settings: Settings) -> tuple[OfferedModel, ...]:
    """Return those of which no server need be asked: the usual one and the built-in one."""
    model = settings.model
    usual = OfferedModel(
        name=model.name, price_in=model.price_in, price_out=model.price_out, is_usual=True
    )
    if model.name == EXTRACTIVE:
        return (usual,)
    return (usual, OfferedModel(name=EXTRACTIVE, price_in=0.0, price_out=0.0))


async def list_models(settings: Settings) -> tuple[OfferedModel, ...]:
    """Return the known models and those that the server of the usual one lists, by their names.

    Servers of OpenAI's kind and Ollama have such a list, of others nothing is asked. Raise
    ModelFailed when the server cannot be asked.
    """
    known = known_models(settings)
    if settings.model.name == EXTRACTIVE:
        return known
    model = await asyncio.to_thread(load_model, settings)
    try:
        async with asyncio.timeout(_SECONDS):
            listed = [each async for each in _listed(model)]
    except Exception as error:  # noqa: BLE001 - each library has its own; all are renamed
        raise translate_failure(error, seconds=_SECONDS, proxy=model.proxy) from None
    finally:
        await model.close()
    names = {each.name for each in known} | {model.name}
    others = {each.name: each for each in listed if each.name not in names}
    return (*known, *(others[name] for name in sorted(others)[:_MOST]))


async def _listed(model: Model) -> Any:
    provider = model.name.partition(":")[0]
    if client := getattr(model.chat, "root_async_client", None):
        async for card in client.models.list():
            yield _of_openai(provider, card.id, card.model_extra or {})
    elif client := getattr(model.chat, "_async_client", None):
        found: Iterable[Any] = (await client.list()).models
        for each in found:
            if each.model:
                yield OfferedModel(name=f"{provider}:{each.model}", price_in=0.0, price_out=0.0)


def _of_openai(provider: str, name: str, more: Mapping[str, Any]) -> OfferedModel:
    """Return a model with its prices as OpenRouter and those after it tell them: for one token."""
    prices = Prices()
    with suppress(KeyError, TypeError, ValueError):
        told = more["pricing"]
        prices = Prices(float(told["prompt"]) * _MILLION, float(told["completion"]) * _MILLION)
    return OfferedModel(
        name=f"{provider}:{name}", price_in=prices.tokens_in, price_out=prices.tokens_out
    )
