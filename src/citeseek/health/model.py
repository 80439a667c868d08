"""The language model: configured, and on demand asked for a word."""

from __future__ import annotations

import asyncio
import time

from citeseek.assistant import model_failures
from citeseek.assistant.model import EXTRACTIVE, Model, load_model
from citeseek.errors import ModelFailed
from citeseek.health.finding import Finding
from citeseek.health.telling import tell
from citeseek.settings import Settings

SECONDS = 10.0
QUESTION = "Answer with one word: ready"


async def check_model(
    settings: Settings, *, ask: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Say whether the model can be used; only with ``ask`` is it sent anything.

    The request and its answer are small, and over after ``seconds``.
    """
    name = settings.get("model.name").value
    if name == EXTRACTIVE:
        return [tell("model", "extractive")]
    try:
        # The libraries take seconds to load, and nobody else need wait for them.
        model = await asyncio.to_thread(load_model, settings)
    except ModelFailed as error:
        return [_failed(name, error)]
    if not ask:
        return [tell("model", "configured", model=model.name)]
    return [await _asked(model, seconds)]


async def _asked(model: Model, seconds: float) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            await model.chat.ainvoke(QUESTION)
    except Exception as error:  # noqa: BLE001 - each library has its own; all are renamed
        limit = seconds if isinstance(error, TimeoutError) else model.seconds
        return _failed(model.name, model_failures.renamed(error, seconds=limit))
    finally:
        took = time.monotonic() - began
        await model.close()
    return tell("model", "ok", model=model.name, took_ms=round(took * 1000))


def _failed(name: str, error: ModelFailed) -> Finding:
    more = (f"# {error.hint}".replace("$", "$$"),) if error.hint else ()
    return tell("model", "failed", more=more, model=name, problem=error.message)
