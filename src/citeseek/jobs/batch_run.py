"""Answering a part of a batch that was given earlier, whoever runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from typing import Any

from citeseek import observing
from citeseek.assistant.assistant import Assistant
from citeseek.concurrency.background import finish
from citeseek.errors import CiteseekError, WebProviderError
from citeseek.jobs.batch import answer_all
from citeseek.jobs.batch_answering import answering
from citeseek.jobs.batch_files import Asked
from citeseek.jobs.batch_job import MAX_LOST, PartAnswers, PartLeave
from citeseek.jobs.batch_store import BatchStore
from citeseek.jobs.job_queue import BatchQueue
from citeseek.jobs.report_job import TakenOver
from citeseek.observing.operation import Watcher
from citeseek.person import Person, acting_as


class PartRunner:
    """Answers parts of the batches of ``store`` by what ``assistant`` has.

    Each of ``watchers`` is told of what is done.
    """

    def __init__(
        self, store: BatchStore, assistant: Assistant, watchers: Sequence[Watcher] = ()
    ) -> None:
        self._store = store
        self._assistant = assistant
        self._watchers = watchers

    async def run(self, batch_id: str, part: int, queue: BatchQueue, owner: str = "") -> int | None:
        """Answer a part of ``owner``, unless it is done; return the next one that is queued now.

        Whoever is cancelled hands it back. Raise TakenOver when somebody else has it, or the batch
        was cancelled; Busy and CiteseekError of the database, after which it may be run again.
        """
        leave = await self._store.begin(batch_id, part, owner)
        if leave is None:
            return None
        try:
            watching = observing.watching(*self._watchers) if self._watchers else nullcontext()
            with acting_as(Person(leave.person, "member")), watching:
                answers = await self._answer(leave)
            return await self._store.finish(leave, answers, queue)
        except asyncio.CancelledError:
            await finish(self._hand_back(leave))
            raise

    async def _answer(self, leave: PartLeave) -> PartAnswers:
        order = leave.order
        answers = PartAnswers(order.command)
        if leave.is_given_up:
            await answer_all(iter(leave.asked), _give_up, answers, at_once=order.at_once)
            return answers
        try:
            async with answering(order.command, order.usual, self._assistant) as answer:
                await answer_all(iter(leave.asked), answer, answers, at_once=order.at_once)
        except CiteseekError as error:
            # Nothing of it can be asked here: settings that cannot be read, a model that is none.
            answers = PartAnswers(order.command)
            await answer_all(iter(leave.asked), _fail_with(error), answers, at_once=order.at_once)
        return answers

    async def _hand_back(self, leave: PartLeave) -> None:
        with suppress(TakenOver, CiteseekError):
            await self._store.hand_back(leave)


async def _give_up(_: Asked) -> Any:
    raise WebProviderError(
        f"The part of this line was begun {MAX_LOST} times, and what answered it ended each time.",
        hint="The log of the worker, or of its machine, says why.",
        detail_code="internal",
        values={"case": "lost_line", "times": str(MAX_LOST)},
    )


def _fail_with(error: CiteseekError) -> Any:
    async def fail(_: Asked) -> Any:
        raise error

    return fail
