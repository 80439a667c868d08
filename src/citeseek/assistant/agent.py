"""Agent mode: the model decides what to search and when, and answers with the session's numbers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from datetime import date

import msgspec
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from citeseek.assistant import prompts
from citeseek.assistant.agent_run import AgentRun, Seen, ToolOf
from citeseek.assistant.answer_draft import Draft, Made
from citeseek.assistant.events import Event, Notice, SearchBroken, SearchDone
from citeseek.assistant.file_reading import open_files, quote_files, sources_of
from citeseek.assistant.memory import alternating, recall
from citeseek.assistant.program import NO_PROGRAM, Program
from citeseek.conversations.conversation_record import Search, Turn
from citeseek.errors import CiteseekError, InvalidInput, ModelFailed
from citeseek.fetching.own_file import OwnFile
from citeseek.language_model import shown_results
from citeseek.language_model.model import Model
from citeseek.language_model.model_failures import failure
from citeseek.language_model.shown_results import Shown
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.tools import fence
from citeseek.tools.budget import tokens
from citeseek.tools.tool_definitions import WEB_FETCH, WEB_SEARCH
from citeseek.tools.web_fetch import FetchCall, Opening
from citeseek.tools.web_search import BegunCall, Call


class AgentLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What Agent mode keeps to: see the settings of the same names."""

    max_searches: int
    max_reads: int
    conversation_tokens: int
    call_tokens: int

    @classmethod
    def of(cls, settings: Settings) -> AgentLimits:
        """Return what ``settings`` say."""
        return cls(
            max_searches=settings.assistant.max_searches,
            max_reads=settings.assistant.max_reads,
            call_tokens=settings.assistant.call_tokens,
            conversation_tokens=settings.assistant.conversation_tokens,
        )


class SearchingAgent:
    """Answers messages in Agent mode with the tools that it is given.

    ``search`` and ``read`` make the tools for searching and for reading pages with a listener;
    there are none where the agent that was opened may not. ``tools`` are the caller's own and are
    left as they are. ``failed`` makes the notice for a search that failed. A ``program`` may offer
    functions of its own.
    """

    def __init__(
        self,
        model: Model,
        search: ToolOf | None,
        limits: AgentLimits,
        tools: Sequence[BaseTool] = (),
        *,
        read: ToolOf | None = None,
        failed: Callable[[CiteseekError], Notice],
        program: Program = NO_PROGRAM,
    ) -> None:
        self._model = model
        self._failed = failed
        self._search = search
        self._read = read
        self._tools = tools
        self._limits = limits
        self._program = program

    async def answer(
        self,
        draft: Draft,
        earlier: Sequence[Turn],
        *,
        today: date,
        instructions: str = "",
        files: Sequence[OwnFile] = (),
    ) -> AsyncGenerator[Made]:
        """Let the model work on the draft's message and tell what happens.

        Of ``files`` it is given the passages that fit, and may read all of them.

        ``instructions`` are a program's own for the model. Raise ModelFailed.
        """
        first = len(draft.registry.rounds)
        system = prompts.add_instructions(
            prompts.agent_system(today, draft.say, reads=self._read is not None),
            instructions,
            draft.say,
        )
        for opened in open_files(draft, files):
            yield opened
        messages = await self._messages(draft, earlier, files, system)
        limits = {WEB_SEARCH.name: self._limits.max_searches}
        if self._read:
            limits[WEB_FETCH.name] = self._limits.max_reads
        ours = tuple(filter(None, (self._search, self._read)))
        run = AgentRun(
            self._model,
            ours,
            self._tools,
            limits,
            system=system,
            say=draft.say,
            program=self._program,
        )
        async for event in self._run(draft, run, messages):
            yield event
        for name, limit in limits.items():
            if name in run.spent:
                yield draft.note(_at_limit(name, limit))
        draft.calls = run.function_calls
        if self._program.missing(run.called):
            raise failure("no_call")
        if draft.is_empty:
            raise failure("empty")
        for event in draft.finish(draft.registry.rounds[first:]):
            yield event

    async def _messages(
        self, draft: Draft, earlier: Sequence[Turn], files: Sequence[OwnFile], system: str
    ) -> list[BaseMessage]:
        """Return what the model is told: the turns so far, and the message or the results."""
        left = self._limits.conversation_tokens - tokens(system)
        if results := self._program.results:
            told = recall(earlier, "agent", left, fence.new_id(), say=draft.say, results=results)
            return alternating(told, draft.say)
        question = await self._question(draft, files)
        left -= tokens(question.text)
        told = recall(earlier, "agent", left, fence.new_id(), say=draft.say)
        return alternating([*told, question], draft.say)

    async def _question(self, draft: Draft, files: Sequence[OwnFile]) -> HumanMessage:
        """Return the message, behind the passages of ``files`` that fit it."""
        quoted = await quote_files(draft, files, self._limits.call_tokens)
        if not quoted:
            return HumanMessage(draft.message)
        block = fence.put_in_fence(quoted, fence.new_id())
        sources = draft.with_passages(sources_of(draft, files))
        return HumanMessage(
            prompts.with_files(block, draft.message, draft.say),
            additional_kwargs={shown_results.KEY: Shown("found", sources, draft.message)},
        )

    async def _run(
        self, draft: Draft, run: AgentRun, messages: list[BaseMessage]
    ) -> AsyncGenerator[Made]:
        """Tell what happens in ``run``, and behind it that no search worked if none did."""
        calls: list[Call] = []
        try:
            async for seen in run.events(messages):
                if isinstance(seen, Call):
                    calls.append(seen)
                for event in _events_of(draft, seen):
                    yield event
        except ModelFailed:
            if notice := self._without_results(calls):
                yield draft.note(notice)
            raise
        finally:
            await run.end()
        if notice := self._without_results(calls):
            yield draft.note(notice)

    def _without_results(self, calls: Sequence[Call]) -> Notice | None:
        """Return the notice for an answer whose searches all failed, None for any other."""
        # What the model asked wrongly was told to it alone.
        errors = [call.error for call in calls if not isinstance(call.error, InvalidInput)]
        return self._failed(errors[-1]) if errors and all(errors) and errors[-1] else None


def _at_limit(tool: str, limit: int) -> Notice:
    code = "read_limit" if tool == WEB_FETCH.name else "search_limit"
    return Notice(code=code, values={"limit": str(limit)})


def _events_of(draft: Draft, seen: Seen) -> Iterator[Made]:
    """Yield the events that a reader sees of ``seen``, and keep it in the draft."""
    match seen:
        case AIMessage():
            yield from draft.hear(seen)
        case ToolMessage():
            yield from draft.set_aside()
        case BegunCall():
            yield from draft.set_aside()
            yield draft.begin_search(seen.number, seen.query)
        case Call():
            yield _close_call(draft, seen)
        case Opening():
            yield from draft.set_aside()
            yield draft.begin_read(seen.number, seen.url)
        case FetchCall():
            yield draft.end_read(seen)


def _close_call(draft: Draft, call: Call) -> Event:
    failure = Failure.of(call.error) if call.error else None
    response = call.response
    draft.end_search(
        call.number,
        Search(
            query=call.query,
            text=call.text,
            numbers=tuple(source.number for source in call.sources),
            round=call.round,
            provider=response.provider if response else "",
            cached=bool(response and response.cached),
            took_ms=response.took_ms if response else 0,
            ignored=response.ignored if response else (),
            failure=failure,
        ),
    )
    if failure is not None:
        return SearchBroken(call=call.number, query=call.query, failure=failure)
    assert response is not None  # noqa: S101 - a call without an error has an answer
    return SearchDone(
        call=call.number,
        query=call.query,
        sources=call.sources,
        provider=response.provider,
        round=call.round,
        cached=response.cached,
        took_ms=response.took_ms,
        ignored=response.ignored,
    )
