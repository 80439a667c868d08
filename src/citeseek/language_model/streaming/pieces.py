"""The pieces of a model's answer, made plain: text, thinking and calls, within their limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Iterator
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk

from citeseek.errors import ModelFailed
from citeseek.language_model.model_failures import failure, translate_failure
from citeseek.language_model.streaming import AnswerLimits
from citeseek.language_model.streaming.deltas import new_call_id
from citeseek.language_model.streaming.segments import Kind, Segment, Splitter
from citeseek.language_model.streaming.written_calls import WrittenCall
from citeseek.text import repair_surrogates

# Where a message says what is no answer: what the model thought, in LangChain's words, and how many
# characters at the beginning of its text turned out to be thinking, in ours.
THINKING = "reasoning_content"
WAS_THINKING = "was_thinking"
# The reasons for an end in the words of several providers; what is not named here is an end.
_REASONS = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
    "refusal": "refusal",
    "connection": "connection",
    "max_chars": "max_chars",
    "max_seconds": "max_seconds",
}
_ENDS = ("finish_reason", "done_reason", "stop_reason", "done")
# So long a stream may keep the event loop, in seconds, and so much is read of it at once.
_TURN_SECONDS = 0.01
_SLICE_CHARS = 500


async def plain(
    stream: AsyncGenerator[AIMessageChunk],
    limits: AnswerLimits,
    *,
    tools: Collection[str] = (),
    runs_tools: bool = False,
) -> AsyncGenerator[AIMessageChunk]:
    """Yield the pieces of ``stream`` with nothing in them but what is understood here.

    The text is what the model answers; what it thinks stands in ``additional_kwargs`` under
    :data:`THINKING`. A call of a tool that it wrote as text is one like others; ``tools`` are
    those that it may know of. Unless the caller ``runs_tools``, calls are left out, and the finish
    reason is ``tool_call``. An answer that goes past a limit ends there, with the finish reason
    ``max_chars`` or ``max_seconds``. Raise ModelFailed when no word comes for ``limits.seconds``,
    when the model breaks off, and after an answer in which nothing was said.
    """
    said = _Said(limits.max_chars, tools, runs_tools=runs_tools)
    turn = _Turn()
    try:
        async with aclosing(_in_time(stream, limits, said)) as coming:
            async for piece in coming:
                for made in said.take(piece):
                    yield made
                    await turn.give()
                await turn.give()
    except ModelFailed:
        for made in said.rest():
            yield made
        raise
    for made in (*said.rest(), said.end()):
        yield made
    if not said.anything:
        raise failure(said.why_nothing)


async def _in_time(
    stream: AsyncGenerator[AIMessageChunk], limits: AnswerLimits, said: _Said
) -> AsyncGenerator[AIMessageChunk]:
    """Yield the pieces of ``stream`` until its end or that of the time.

    Pieces in which nothing is said are silence.
    """
    clock = asyncio.get_running_loop().time
    begun = heard = clock()
    async with aclosing(stream):
        while not said.is_full:
            until = min(heard + limits.seconds, begun + limits.total_seconds)
            try:
                async with asyncio.timeout_at(until) as limit:
                    piece = await anext(stream)
            except StopAsyncIteration:
                return
            except Exception as error:  # noqa: BLE001 - the table names them all
                if not limit.expired():
                    raise translate_failure(
                        error, seconds=limits.seconds, proxy=limits.proxy
                    ) from None
                if until < begun + limits.total_seconds or not said.anything:
                    raise failure("timeout", seconds=round(until - heard, 1)) from None
                said.reason = "max_seconds"
                return
            yield piece
            if said.has_grown:
                heard = clock()


class _Turn:
    """The time that a stream, which may never wait, has until others get theirs."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def give(self) -> None:
        if time.monotonic() - self._since > _TURN_SECONDS:
            await asyncio.sleep(0)
            self._since = time.monotonic()


class _Said:
    """One answer so far."""

    def __init__(self, max_chars: int, tools: Collection[str], *, runs_tools: bool) -> None:
        self.reason = ""
        self.is_full = False
        self.anything = False
        self.has_grown = False
        self._metadata: dict[str, Any] = {}
        self._heard = False
        self._left = max_chars
        self._answered = 0
        self._splitter = Splitter(tools=tools)
        self._thinking_splitter = Splitter(thinking=True)
        self._halves: dict[Kind, str] = {}
        self._runs_tools = runs_tools
        self._has_unrun_call = False
        self._written_calls: set[WrittenCall] = set()

    @property
    def why_nothing(self) -> str:
        """Why there is no answer, as a code of a failure."""
        if self.reason in ("length", "content_filter", "refusal", "tool_call"):
            return self.reason
        if self.reason == "max_chars":
            return "length"
        if self.reason == "connection":
            return "cut"
        return "empty" if self._heard else "garbage"

    def take(self, piece: AIMessageChunk) -> Iterator[AIMessageChunk]:
        """Yield what is new in ``piece``; ``has_grown`` says whether anything is."""
        self._heard = True
        self.reason = _reason(piece.response_metadata) or self.reason
        self._metadata |= piece.response_metadata
        before = self._left
        for splitter, said in (
            (self._thinking_splitter, _thinking(piece)),
            (self._splitter, str(piece.text)),
        ):
            for part in _slice(self._within(said)):
                for segment in splitter.feed(part):
                    yield from self._segment(segment)
        calls: list[Any] = [
            {**call, "args": self._within(call["args"] or "")} for call in piece.tool_call_chunks
        ]
        self.has_grown = bool(calls) or self._left < before
        yield from self._take_calls(calls)
        if piece.usage_metadata:
            yield AIMessageChunk(content="", usage_metadata=piece.usage_metadata)

    def rest(self) -> Iterator[AIMessageChunk]:
        """Yield what was held back when nothing comes any more."""
        for segment in (*self._thinking_splitter.finish(), *self._splitter.finish()):
            yield from self._segment(segment)
        for kind, half in list(self._halves.items()):
            if half:
                yield self._piece(kind, repair_surrogates(half))

    def end(self) -> AIMessageChunk:
        """Return the last piece, which says why the answer ended."""
        if self.is_full:
            self.reason = "max_chars"
        elif self._has_unrun_call and self.reason in ("", "stop"):
            self.reason = "tool_call"
        metadata = {name: value for name, value in self._metadata.items() if name not in _ENDS}
        if self.reason:
            metadata["finish_reason"] = self.reason
        return AIMessageChunk(content="", response_metadata=metadata)

    def _segment(self, segment: Segment) -> Iterator[AIMessageChunk]:
        if segment.kind == "was_thinking":
            metadata, self._answered, self.anything = self._answered, 0, False
            self._halves.clear()
            if metadata:
                yield AIMessageChunk(content="", additional_kwargs={WAS_THINKING: metadata})
        elif segment.kind == "call":
            # A draft in the thinking and the call itself are one.
            fresh = [call for call in segment.calls if call not in self._written_calls]
            self._written_calls.update(fresh)
            self._has_unrun_call |= not segment.calls
            yield from self._take_calls(
                [
                    tool_call_chunk(name=call.name, args=call.arguments, id=new_call_id())
                    for call in fresh
                ]
            )
        else:
            # What was held back comes at once.
            for part in _slice(self._whole(segment.kind, segment.text)):
                yield self._piece(segment.kind, part)

    def _take_calls(self, calls: list[Any]) -> Iterator[AIMessageChunk]:
        if calls and self._runs_tools:
            self.anything = True
            yield AIMessageChunk(content="", tool_call_chunks=calls)
        self._has_unrun_call |= bool(calls) and not self._runs_tools

    def _piece(self, kind: Kind, text: str) -> AIMessageChunk:
        if kind == "thinking":
            return AIMessageChunk(content="", additional_kwargs={THINKING: text})
        self._answered += len(text)
        self.anything |= bool(text.strip())
        return AIMessageChunk(content=text)

    def _whole(self, kind: Kind, text: str) -> str:
        """Return ``text`` in whole characters; a half at the end waits for its other half."""
        text = self._halves.pop(kind, "") + text
        if "\ud800" <= text[-1:] <= "\udbff":
            self._halves[kind] = text[-1]
            text = text[:-1]
        return repair_surrogates(text)

    def _within(self, text: str) -> str:
        self.is_full |= len(text) > self._left
        text = text[: self._left]
        self._left -= len(text)
        return text


def without_thinking(
    messages: list[BaseMessage], *, keeps_before_calls: bool = False
) -> list[BaseMessage]:
    """Return ``messages`` as a model is told them again.

    With ``keeps_before_calls`` what it thought before it called a tool stays beside the call.
    """
    return [
        _answer_of(each, keeps_thinking=keeps_before_calls and bool(each.tool_calls))
        if isinstance(each, AIMessage)
        else each
        for each in messages
    ]


def _answer_of(message: AIMessage, *, keeps_thinking: bool) -> AIMessage:
    text = str(message.text)[message.additional_kwargs.get(WAS_THINKING, 0) :]
    left_out = {WAS_THINKING} if keeps_thinking else {THINKING, WAS_THINKING}
    others = {k: v for k, v in message.additional_kwargs.items() if k not in left_out}
    return message.model_copy(update={"content": text, "additional_kwargs": others})


def _slice(text: str) -> Iterator[str]:
    return (text[at : at + _SLICE_CHARS] for at in range(0, len(text), _SLICE_CHARS))


def _thinking(piece: AIMessageChunk) -> str:
    """Return what a piece tells of the model's thinking, in the words of several providers."""
    if isinstance(said := piece.additional_kwargs.get(THINKING), str) and said:
        return said
    if isinstance(piece.content, str):
        return ""
    blocks = (block for block in piece.content if isinstance(block, dict))
    kinds = ("thinking", "reasoning")
    found = (block.get(kind) for block in blocks for kind in kinds if block.get("type") == kind)
    return "".join(text for text in found if isinstance(text, str))


def _reason(metadata: dict[str, Any]) -> str:
    """Return why an answer ended, empty when ``metadata`` does not say."""
    told = [str(metadata[name]).lower() for name in _ENDS if metadata.get(name)]
    return _REASONS.get(told[0], "stop") if told else ""
