"""The gate: each sentence of an answer is compared with what was read while the answer streams."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import TypeAlias

import msgspec

from citeseek.assistant import recorded_answer
from citeseek.assistant.answer_draft import Draft, Made
from citeseek.assistant.events import Event, ReadDone
from citeseek.assistant.sentence_repair import holds_up, repair
from citeseek.conversations.judged_sentence import JudgedSentence, is_contradicted
from citeseek.errors import ModelFailed
from citeseek.language_model.model import Model
from citeseek.verification import AnswerSentence, CitationCheck, SourceText, check_claims, prepare

log = logging.getLogger(__name__)

Checks: TypeAlias = tuple[CitationCheck, ...]


class GateBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How long a sentence waits: for its verdict, and for the model that may repair it.

    Of one answer at most so many sentences are tried to ``repair``.
    """

    seconds: float = 0.3
    repair_seconds: float = 6.0
    repairs: int = 5


BOUNDS = GateBounds()

# A sentence in both languages and a text that contradicts it: all tables of a check are needed.
_KNOWN = AnswerSentence(
    text="The tea house opened in 1921 [1]. 茶馆于1921年开业[1]。", cites=(1, 1)
)
_KNOWN_TEXTS = {1: SourceText("The tea house opened in 1912. 茶馆于1912年开业。")}


class AnswerGate:
    """Judges the sentences of ``draft`` one after the other, in a thread of its own.

    ``model`` is asked to repair what is contradicted, if there is one.
    """

    def __init__(self, draft: Draft, model: Model | None, bounds: GateBounds | None = None) -> None:
        self._draft = draft
        self._model = model
        self._bounds = bounds or BOUNDS
        self._repairs = 0
        self._worker: ThreadPoolExecutor | None = None

    async def events(self, made: AsyncGenerator[Made]) -> AsyncGenerator[Event]:
        """Yield the events of what is ``made``, and what became of each sentence in its place."""
        try:
            if self._draft.gate != "off":
                # What a check needs is read while the model is waited for, not in the time that
                # the first sentence has.
                self._begin(partial(_checks_of, _KNOWN, _KNOWN_TEXTS))
            async with aclosing(made):
                async for each in made:
                    if isinstance(each, ReadDone) and self._draft.gate != "off":
                        # Until the first sentence is there, its page has been read.
                        self._begin(partial(prepare, self._draft.texts[each.source.number]))
                    async for event in self._tell(each):
                        yield event
        except ModelFailed:
            # What it had said by then is judged as well.
            for rest in self._draft.settle():
                async for event in self._tell(rest):
                    yield event
            raise
        finally:
            if self._worker:
                self._worker.shutdown(wait=False, cancel_futures=True)

    async def _tell(self, made: Made) -> AsyncGenerator[Event]:
        if not isinstance(made, AnswerSentence):
            yield made
            return
        async for event in self._pass(made):
            yield event

    async def _pass(self, sentence: AnswerSentence) -> AsyncGenerator[Event]:
        checks = await self._check(sentence)
        judged = JudgedSentence(
            text=sentence.body,
            fate="unjudged" if checks is None else "kept",
            checks=checks or (),
        )
        told = sentence
        if self._draft.gate == "hold" and is_contradicted(judged.checks):
            judged = msgspec.structs.replace(judged, fate="struck")
            told = sentence.struck()
            if repaired := await self._repair(sentence, judged.checks):
                told, found = repaired
                judged = JudgedSentence(
                    text=told.body,
                    fate="repaired",
                    checks=found,
                    before=judged.text,
                    against=judged.checks,
                )
        for event in self._draft.tell_judged(told.text, judged):
            yield event

    async def _repair(
        self, sentence: AnswerSentence, checks: Checks
    ) -> tuple[AnswerSentence, Checks] | None:
        """Return the sentence put right and its checks, None when it has to be struck."""
        model = self._model
        may_ask = model and not model.is_extractive and self._repairs < self._bounds.repairs
        if model is None or not may_ask or sentence.is_row:
            return None
        self._repairs += 1
        repaired = await repair(model, sentence, checks, self._bounds.repair_seconds)
        found = await self._check(repaired) if repaired else None
        return (repaired, found) if repaired and found and holds_up(found, checks) else None

    async def _check(self, sentence: AnswerSentence) -> Checks | None:
        """Return the checks of ``sentence``, None when there is no time for them."""
        if not sentence.is_whole:
            return None
        texts = self._draft.texts
        cited = {number: texts[number] for number in sentence.cites if number in texts}
        judging = self._begin(partial(_checks_of, sentence, cited))
        seconds = self._bounds.seconds
        if not await recorded_answer.is_judged_in_time(judging, seconds):
            judging.cancel()
            return None
        return await asyncio.wrap_future(judging)

    def _begin(self, work: partial[Checks | None] | partial[None]) -> Future[Checks | None]:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="answer gate")
        return self._worker.submit(work)


def _checks_of(sentence: AnswerSentence, texts: Mapping[int, SourceText]) -> Checks | None:
    try:
        return tuple(check_claims(sentence.claims(), texts))
    except Exception:  # a fault of the check costs the verdict, not the answer
        log.exception("a sentence could not be judged")
        return None
