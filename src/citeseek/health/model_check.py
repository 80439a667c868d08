"""The language model and the judge of citations: configured, and on demand asked for a word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from citeseek.assistant.citation_judge import another_judge, load_judge
from citeseek.errors import CiteseekError
from citeseek.extras import Fault, fault, how_to_install
from citeseek.health.finding import Advice, Finding
from citeseek.health.texts import tell
from citeseek.language_model import model_failures
from citeseek.language_model.model import Model, load_model
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import ModelSection

SECONDS = 10.0
_NEEDED = ("langchain-core", "langgraph", "langchain")
QUESTION = "Answer with one word: ready"


class _Codes(NamedTuple):
    """What is told of one of the two."""

    configured: str
    ok: str
    failed: str


_MODEL = _Codes("configured", "ok", "failed")
_JUDGE = _Codes("judge_configured", "judge_ok", "judge_failed")


async def check_model(
    settings: Settings, *, ask: bool = False, named: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Say whether the model, and a judge that is another one, can be used.

    Only with ``ask`` are they sent anything: a small request, over after ``seconds``. Without
    the libraries of every model it is an error if the model was ``named`` or set, else a warning.
    """
    name = settings.model.name
    if wrong := _faults():
        wanted = named or settings.was_given(ModelSection.name)
        return [_without_libraries(name, wrong, is_wanted=wanted)]
    if name == EXTRACTIVE:
        found = tell("model", "extractive")
    else:
        found = await _check(partial(load_model, settings), name, _MODEL, ask=ask, seconds=seconds)
    judge = another_judge(settings)
    if not judge:
        return [found]
    load = partial(load_judge, settings, judge)
    return [found, await _check(load, judge, _JUDGE, ask=ask, seconds=seconds)]


async def _check(
    load: Callable[[], Model], name: str, codes: _Codes, *, ask: bool, seconds: float
) -> Finding:
    try:
        # The libraries take seconds to load, and nobody else need wait for them.
        model = await asyncio.to_thread(load)
    except CiteseekError as error:
        return _failure_finding(name, codes, error)
    if not ask:
        return tell("model", codes.configured, model=model.name)
    began = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            await model.chat.ainvoke(QUESTION)
    except Exception as error:  # noqa: BLE001 - each library has its own; all are renamed
        limit = seconds if isinstance(error, TimeoutError) else model.seconds
        renamed = model_failures.translate_failure(error, seconds=limit, proxy=model.proxy)
        return _failure_finding(model.name, codes, renamed)
    finally:
        took = time.monotonic() - began
        await model.close()
    return tell("model", codes.ok, model=model.name, took_ms=round(took * 1000))


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


def _failure_finding(name: str, codes: _Codes, error: CiteseekError) -> Finding:
    more = ("# ${advice}",) if error.hint else ()
    failure = Failure.of(error)
    return tell(
        "model", codes.failed, more=more, model=name, problem=failure, advice=Advice(failure)
    )
