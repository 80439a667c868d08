"""One answer to a program, as both of OpenAI's interfaces need it: made, cut, and counted."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import msgspec
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.tracers.context import register_configure_hook

from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Aside, Done, Event, Token
from citeseek.assistant.program import Program
from citeseek.conversations.conversation_record import Record, Turn
from citeseek.errors import ModelFailed
from citeseek.i18n import catalogue, language_of
from citeseek.surfaces.completions.content import Content, Ending
from citeseek.surfaces.completions.history import History
from citeseek.tools.budget import tokens as tokens_in

# LangChain looks here whenever a model is asked; registered once, since it never forgets.
_COUNTER: ContextVar[UsageMetadataCallbackHandler | None] = ContextVar("tokens", default=None)
register_configure_hook(_COUNTER, inheritable=True)


class TokenCount(msgspec.Struct, frozen=True):
    """The tokens that models were ``given`` and that they ``made``, in all turns of an answer.

    ``cached`` of those given and ``thought`` of those made are parts of them, as far as told.
    """

    given: int
    made: int
    cached: int = 0
    thought: int = 0

    @property
    def total(self) -> int:
        """The sum."""
        return self.given + self.made


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be answered, and where the answer ends: ``stop`` and ``max_tokens``."""

    history: History
    program: Program
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None


class AnswerStep(NamedTuple):
    """What happened, None for the end of an answer that was cut, and ``new`` text of it."""

    event: Event | None
    new: str


class ProgramAnswer:
    """The answer in ``conversation`` to what a program wants.

    It is kept under ``turn_id`` as what ``complete`` makes of it, where the conversation is kept;
    by then ``ending`` is what is still to be told. Its content is ``streamed`` or taken in whole,
    see :class:`Content`.
    """

    def __init__(
        self,
        conversation: Conversation,
        wanted: Wanted,
        *,
        streamed: bool = False,
        turn_id: str | None = None,
        complete: Callable[[Turn], Turn] | None = None,
    ) -> None:
        self.content = Content(catalogue(language_of(wanted.history.question)), streamed=streamed)
        self.is_cut = False
        self.failure: ModelFailed | None = None
        self.ending: list[AnswerStep] = []
        self._conversation = conversation
        self._wanted = wanted
        self._turn_id = turn_id
        self._complete = complete
        self._end_words = self._new_end()
        self._counter = UsageMetadataCallbackHandler()
        self._told = "".join(_told(conversation.session.record, wanted.history))

    @property
    def tokens(self) -> TokenCount:
        """The tokens so far; an estimate where no server tells them."""
        found = list(self._counter.usage_metadata.values())
        if not found:
            return TokenCount(tokens_in(self._told), tokens_in(self.content.text))
        return TokenCount(
            sum(each["input_tokens"] for each in found),
            sum(each["output_tokens"] for each in found),
            sum(each.get("input_token_details", {}).get("cache_read", 0) for each in found),
            sum(each.get("output_token_details", {}).get("reasoning", 0) for each in found),
        )

    async def steps(self) -> AsyncGenerator[AnswerStep]:
        """Yield what happens with what it adds to the content, until the program wants no more.

        Raise ModelFailed when there is no answer.
        """
        with _counting(self._counter):
            stream = self._conversation.stream(
                self._wanted.history.question,
                turn_id=self._turn_id,
                program=self._wanted.program,
                complete=self._keep,
            )
            async with aclosing(stream) as events:
                async for event in events:
                    for step in self._take(event):
                        yield step
                    if self.is_cut:
                        return
        if self.failure is not None:
            raise self.failure

    def _take(self, event: Event) -> Iterator[AnswerStep]:
        match event:
            case Done():
                yield from self.ending
                return
            case Token(part="answer"):
                shown = self._end_words.take(event.text, event.spans)
                yield self._add(Token(text=shown, spans=event.spans))
            case Token() | Aside():
                yield from self._rest()
                if self._end_words.reason is None:
                    yield self._add(event)
            case _:
                yield self._add(event)
        if (reason := self._end_words.reason) is not None:
            self.is_cut = True
            yield AnswerStep(None, self.content.cut(reason))
        elif isinstance(event, Aside):
            self._end_words = self._new_end()

    def _rest(self) -> Iterator[AnswerStep]:
        """Show what was held back, now that nothing follows it."""
        if held := self._end_words.rest():
            yield self._add(Token(text=held))

    def _add(self, event: Event) -> AnswerStep:
        return AnswerStep(event, self.content.take(event))

    def _keep(self, turn: Turn) -> Turn:
        """Take the end of the answer, which is kept before it is told."""
        if not self.is_cut:
            self.ending = list(self._end(Done.of(turn)))
        return self._complete(turn) if self._complete else turn

    def _end(self, done: Done) -> Iterator[AnswerStep]:
        yield from self._rest()
        if (reason := self._end_words.reason) is not None:
            self.is_cut = True
            yield AnswerStep(None, self.content.cut(reason))
            return
        try:
            yield self._add(done)
        except ModelFailed as error:
            self.failure = error

    def _new_end(self) -> Ending:
        return Ending(self._wanted.stop, self._wanted.max_tokens)


def _told(record: Record, history: History) -> Iterator[str]:
    """Yield the texts that a model is given, but for what is searched."""
    yield record.instructions
    for turn in record.turns:
        yield turn.message
        yield turn.written
        yield from (result.text for result in turn.results)
    yield history.question
    yield from (result.text for result in history.results)


@contextmanager
def _counting(counter: UsageMetadataCallbackHandler) -> Iterator[None]:
    """Count the tokens of the models that are asked within."""
    _COUNTER.set(counter)
    try:
        yield
    finally:
        # A token of before may belong to another context, when a stream was broken off.
        _COUNTER.set(None)
