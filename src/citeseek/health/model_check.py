"""The language model: configured, and on demand asked for a word."""

from __future__ import annotations

import asyncio
import time

from citeseek.assistant import model_failures
from citeseek.assistant.model import Model, load_model
from citeseek.assistant.model_options import EXTRACTIVE
from citeseek.errors import ModelFailed
from citeseek.extras import Fault, fault, how_to_install
from citeseek.health.finding import Advice, Finding
from citeseek.health.texts import tell
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import ModelSection

SECONDS = 10.0
_NEEDED = ("langchain-core", "langgraph", "langchain")
QUESTION = "Answer with one word: ready"


async def check_model(
    settings: Settings, *, ask: bool = False, named: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Say whether the model can be used; only with ``ask`` is it sent anything.

    The request and its answer are small, and over after ``seconds``. Without
    the libraries of every model it is an error if the model was ``named`` or set, else a warning.
    """
    name = settings.model.name
    if wrong := _faults():
        wanted = named or settings.was_given(ModelSection.name)
        return [_without_libraries(name, wrong, is_wanted=wanted)]
    if name == EXTRACTIVE:
        return [tell("model", "extractive")]
    try:
        # The libraries take seconds to load, and nobody else need wait for them.
        model = await asyncio.to_thread(load_model, settings)
    except ModelFailed as error:
        return [_failure_finding(name, error)]
    if not ask:
        return [tell("model", "configured", model=model.name)]
    return [await _ask(model, seconds)]


async def _ask(model: Model, seconds: float) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            await model.chat.ainvoke(QUESTION)
    except Exception as error:  # noqa: BLE001 - each library has its own; all are renamed
        limit = seconds if isinstance(error, TimeoutError) else model.seconds
        return _failure_finding(
            model.name, model_failures.translate_failure(error, seconds=limit, proxy=model.proxy)
        )
    finally:
        took = time.monotonic() - began
        await model.close()
    return tell("model", "ok", model=model.name, took_ms=round(took * 1000))


def _faults() -> list[Fault]:
    """Return what keeps every model from being used, the built-in one included."""
    wrong = (fault(library, imports=False) for library in _NEEDED)
    return [one for one in wrong if one and one.state != "old"]


def _without_libraries(name: str, wrong: list[Fault], *, is_wanted: bool) -> Finding:
    is_bare = all(one.state == "missing" for one in wrong)
    repairs = [how_to_install("agent")] if is_bare else [one.repair for one in wrong]
    return tell(
        "model",
        "not_installed",
        as_status=None if is_wanted else "warning",
        more=tuple(repairs),
        model=name,
        problem=f"What is wrong: {'; '.join(map(str, wrong))}.",
    )


def _failure_finding(name: str, error: ModelFailed) -> Finding:
    more = ("# ${advice}",) if error.hint else ()
    failure = Failure.of(error)
    return tell("model", "failed", more=more, model=name, problem=failure, advice=Advice(failure))
