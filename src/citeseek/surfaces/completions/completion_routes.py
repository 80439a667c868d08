"""``/v1/chat/completions`` and ``/v1/models``: each request brings its whole history."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from msgspec import UNSET, UnsetType
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.program import Program
from citeseek.concurrency.admission import Places
from citeseek.conversations.conversation_record import Choices, FunctionCall, new_record
from citeseek.errors import CiteseekError
from citeseek.surfaces.completions.functions import (
    OF_OPENAI,
    CalledFunction,
    ToolCall,
    check_called,
    check_functions,
    sampling_of,
)
from citeseek.surfaces.completions.history import history_of
from citeseek.surfaces.completions.openai_shapes import (
    MODELS,
    RESULTS,
    ChatCompletion,
    ChatPiece,
    ChatRequest,
    ChosenTool,
    CompletionChoice,
    Delta,
    ModelCard,
    ModelCards,
    PieceChoice,
    Reply,
    Usage,
)
from citeseek.surfaces.completions.program_answer import ProgramAnswer, TokenCount, Wanted
from citeseek.surfaces.completions.unknown import unknown_model
from citeseek.surfaces.rest.documented import describe_route, json_response, streams_too
from citeseek.surfaces.rest.problems import problem_of
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import OpenAIFailure, openai_error
from citeseek.surfaces.web.event_streams import Streams, data_event
from citeseek.surfaces.web.parameters import Fixed, read_parameters, refuse

TOLD = (ChatRequest, ChatCompletion, ModelCard, ModelCards, OpenAIFailure)

_NO_TOKENS = "There are no logprobs: an answer has more than its model's words."
_OF_THE_MODEL = "The model is chosen by the settings, and so is this."
FIXED = {
    "n": Fixed("n is 1: there is one answer.", (1,)),
    "functions": Fixed("Functions are offered as tools.", ([],)),
    "function_call": Fixed("Functions are chosen by tool_choice.", ("none", "auto")),
    "response_format": Fixed("response_format is text: answers are Markdown.", ({"type": "text"},)),
    "logprobs": Fixed(_NO_TOKENS, (False,)),
    "top_logprobs": Fixed(_NO_TOKENS, (0,)),
    "logit_bias": Fixed("logit_bias cannot be passed on: " + _OF_THE_MODEL, ({},)),
    "modalities": Fixed("modalities is text: answers are Markdown.", ([], ["text"])),
    "audio": Fixed("audio: answers are Markdown."),
    "prediction": Fixed("prediction cannot be passed on: " + _OF_THE_MODEL),
    "presence_penalty": Fixed("presence_penalty cannot be passed on: " + _OF_THE_MODEL, (0,)),
    "frequency_penalty": Fixed("frequency_penalty cannot be passed on: " + _OF_THE_MODEL, (0,)),
    "seed": Fixed("seed: an answer rests on searches, and is not the same twice."),
    "reasoning_effort": Fixed("reasoning_effort cannot be passed on: " + _OF_THE_MODEL),
    "verbosity": Fixed("verbosity cannot be passed on: " + _OF_THE_MODEL),
    "service_tier": Fixed("service_tier: there is one.", ("auto", "default")),
    "store": Fixed("store: nothing is kept here; /v1/responses keeps answers.", (False,)),
    "metadata": Fixed("metadata belongs to what is kept; /v1/responses keeps answers.", ({},)),
}


def router(assistant: Assistant, streams: Streams, places: Places) -> APIRouter:
    """Return the routes under ``/v1``."""
    routes = APIRouter(prefix="/v1", tags=["openai"])

    @routes.get("/models", **describe_route(ModelCards, problem=OpenAIFailure))
    async def models() -> Response:
        """List the models that may be named."""
        return json_response(ModelCards(data=[ModelCard(id=name) for name in MODELS]))

    @routes.get("/models/{model}", **describe_route(ModelCard, problem=OpenAIFailure))
    async def model(request: Request, model: str) -> Response:
        """Show one model."""
        known = model in MODELS
        return json_response(ModelCard(id=model)) if known else unknown_model(request, model)

    about = describe_route(ChatCompletion, takes=ChatRequest, problem=OpenAIFailure)
    streams_too(about, "`stream: true` streams `chat.completion.chunk` pieces up to `[DONE]`")

    @routes.post("/chat/completions", **about)
    async def complete(
        request: Request,
        asked: Annotated[ChatRequest, Depends(read_parameters(ChatRequest, FIXED, OF_OPENAI))],
    ) -> Response:
        """Answer the question at the end of the messages, with sources as annotations.

        Nothing is kept, and the answer is stopped when the client goes away.
        """
        if asked.model not in MODELS:
            return unknown_model(request, asked.model)
        completion = _Completion(assistant, asked)
        if asked.stream:
            with streams.place() as place:
                places.take()
                return place.respond(completion.pieces(), over=places.leave)
        with places.one():
            return json_response(await while_there(request, completion.whole()))

    return routes


class _Completion:
    """One answer; raise InvalidInput for what cannot be done."""

    def __init__(self, assistant: Assistant, asked: ChatRequest) -> None:
        wanted = _wanted(asked)
        record = new_record(mode=MODELS[asked.model])
        record.switch, record.turns = True, wanted.history.turns
        record.instructions = wanted.history.instructions
        if (options := asked.web_search_options) and options.search_context_size:
            record.choices = Choices(results=RESULTS[options.search_context_size])
        self._answer = ProgramAnswer(assistant.unkept(record), wanted, streamed=bool(asked.stream))
        stream_options = asked.stream_options
        self._tells_usage = bool(stream_options and stream_options.include_usage)
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(time.time()),
            "model": asked.model,
        }

    async def whole(self) -> ChatCompletion:
        """Return the answer at its end; raise ModelFailed when there is none."""
        async with aclosing(self._answer.steps()) as steps:
            async for _ in steps:
                pass
        content = self._answer.content
        reply = Reply(
            content=None if content.calls and not content.text else content.text,
            annotations=content.annotations,
            egress=content.egress or UNSET,
            tool_calls=_called(content.calls),
        )
        choice = CompletionChoice(message=reply, finish_reason=content.finish_reason)
        return ChatCompletion(**self._head, choices=[choice], usage=_usage(self._answer.tokens))

    async def pieces(self) -> AsyncGenerator[ServerSentEvent]:
        """Yield the answer as it is made; a failure is the last piece."""
        content = self._answer.content
        yield self._piece(Delta(role="assistant", content=""))
        try:
            async with aclosing(self._answer.steps()) as steps:
                async for step in steps:
                    if step.new:
                        yield self._piece(Delta(content=step.new))
        except CiteseekError as error:
            yield data_event(OpenAIFailure(openai_error(problem_of(error))))
            return
        if content.calls:
            yield self._piece(Delta(tool_calls=_called(content.calls, numbered=True)))
        end = Delta(annotations=content.annotations or UNSET, egress=content.egress or UNSET)
        yield self._piece(end, finish_reason=content.finish_reason)
        if self._tells_usage:
            usage = _usage(self._answer.tokens)
            yield data_event(ChatPiece(**self._head, choices=[], usage=usage))
        yield ServerSentEvent("[DONE]", sep="\n")

    def _piece(self, delta: Delta, **how: Any) -> ServerSentEvent:
        choice = PieceChoice(delta=delta, **how)
        usage = None if self._tells_usage else UNSET
        return data_event(ChatPiece(**self._head, choices=[choice], usage=usage))


def _wanted(asked: ChatRequest) -> Wanted:
    """Return what is wanted; raise InvalidInput for what cannot be done."""
    is_agent = MODELS[asked.model] == "agent"
    if asked.stream_options and not asked.stream:
        raise refuse("stream_options", "stream_options belong to a stream.")
    functions = [tool.function for tool in asked.tools or ()]
    check_functions(functions, is_agent=is_agent)
    choice = asked.tool_choice
    if not functions and choice not in (None, "none", "auto"):
        raise refuse("tool_choice", "There are no tools among which one could be chosen.")
    names = frozenset(function.name for function in functions)
    if isinstance(choice, ChosenTool):
        check_called(choice.function.name, functions)
        names = frozenset({choice.function.name})
    history = history_of(asked.messages, has_tools=is_agent)
    offered = () if choice == "none" else functions
    most = [each for each in (asked.max_tokens, asked.max_completion_tokens) if each]
    return Wanted(
        history=history,
        program=Program(
            functions=tuple(function.as_tool() for function in offered),
            must_call=frozenset() if choice in (None, "none", "auto") else names,
            one_call=asked.parallel_tool_calls is False,
            results=history.results,
            sampling=sampling_of(asked.temperature, asked.top_p),
        ),
        stop=(asked.stop,) if isinstance(asked.stop, str) else tuple(asked.stop or ()),
        max_tokens=min(most, default=None),
    )


def _called(calls: Sequence[FunctionCall], *, numbered: bool = False) -> list[ToolCall] | UnsetType:
    return [
        ToolCall(
            id=call.id,
            function=CalledFunction(name=call.name, arguments=call.arguments),
            index=place if numbered else UNSET,
        )
        for place, call in enumerate(calls)
    ] or UNSET


def _usage(tokens: TokenCount) -> Usage:
    return Usage(
        prompt_tokens=tokens.given, completion_tokens=tokens.made, total_tokens=tokens.total
    )
