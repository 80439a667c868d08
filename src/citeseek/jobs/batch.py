"""Many questions answered side by side, in their order, with patience where an engine asks for it.

Only so many are in memory as are under way, and a few that wait for a slower one before them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol

from citeseek.errors import CiteseekError, InvalidInput
from citeseek.jobs.batch_files import Answered, Asked
from citeseek.models import Failure

# So many times as many as are under way may be done or wait for their turn.
AHEAD = 4
# An engine that asks to wait is asked again, so often and after so long at most.
TRIES = 3
MOST_SECONDS = 300.0

log = logging.getLogger(__name__)


class AnswerWriter(Protocol):
    """Takes the answers of ``command``, in the order of their questions."""

    command: str

    def write(self, answered: Answered) -> None:
        """Add an answer."""
        ...


# Answers one question: what it gets is fit for JSON, or a Failure.
Answer = Callable[[Asked], Awaitable[Any]]


async def answer_all(
    questions: Iterator[Asked],
    answer: Answer,
    answers: AnswerWriter,
    *,
    at_once: int,
    told: Callable[[], None] = lambda: None,
) -> None:
    """Answer ``questions``, ``at_once`` at a time, and write each to ``answers`` in its order.

    ``told`` is called after each. A failure is the answer of its own question.
    """
    places = asyncio.Semaphore(at_once)
    tasks: deque[asyncio.Task[Answered]] = deque()

    async def one(asked: Asked) -> Answered:
        if asked.answered:
            return asked.answered
        async with places:
            return await _answered(asked, answer, answers.command)

    async def write_first() -> None:
        answers.write(await tasks[0])
        tasks.popleft()
        told()

    try:
        for asked in questions:
            tasks.append(asyncio.create_task(one(asked)))
            if len(tasks) >= at_once * AHEAD:
                await write_first()
            while tasks and tasks[0].done():
                await write_first()
        while tasks:
            await write_first()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answered(asked: Asked, answer: Answer, command: str) -> Answered:
    result = await _result(asked, answer)
    error = result if isinstance(result, Failure) else None
    return Answered(
        line=asked.line,
        command=command,
        asked=asked.text,
        id=asked.more.get("id"),
        result=None if error else result,
        error=error,
    )


async def _result(asked: Asked, answer: Answer) -> Any:
    """Return what ``answer`` gives, a Failure where it raises."""
    if asked.fault:
        return Failure.of(InvalidInput(asked.fault))
    try:
        return await _with_patience(asked, answer)
    except CiteseekError as error:
        return Failure.of(error)
    except Exception as error:  # one question is no reason to lose all others
        log.exception("line %d broke off", asked.line)
        return Failure(
            type="WebProviderError",
            message=f"The answer broke off unexpectedly ({type(error).__name__}).",
            retryable=False,
            detail_code="internal",
            values={"case": "answer", "type": type(error).__name__},
        )


async def _with_patience(asked: Asked, answer: Answer) -> Any:
    """Answer, once more after the wait that an engine asks for; our own limit is waited for."""
    tries = 0
    while True:
        try:
            return await answer(asked)
        except CiteseekError as error:
            wait = error.retry_after
            tries += error.detail_code != "rate_limited_here"
            if wait is None or not error.retryable or wait > MOST_SECONDS or tries >= TRIES:
                raise
        await asyncio.sleep(wait)
