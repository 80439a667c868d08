"""``/v1/chat/completions`` and ``/v1/models``: each request brings its whole history."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from msgspec import UNSET
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Aside, Done, Token
from citeseek.concurrency.admission import Places
from citeseek.conversations.conversation_record import new_record
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.surfaces.completions.content import Content, Ending
from citeseek.surfaces.completions.history import history_of
from citeseek.surfaces.completions.openai_shapes import (
    MODELS,
    ChatCompletion,
    ChatPiece,
    ChatRequest,
    Choice,
    Delta,
    ModelCard,
    ModelCards,
    PieceChoice,
    Reply,
    Usage,
)
from citeseek.surfaces.rest.documented import describe_route, json_response, read, streams_too
from citeseek.surfaces.rest.problems import problem_of
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import OpenAIFailure, Problem, failure, openai_error
from citeseek.surfaces.web.event_streams import Streams
from citeseek.tools.budget import tokens as tokens_in

TOLD = (ChatRequest, ChatCompletion, ModelCard, ModelCards, OpenAIFailure)
# LangChain looks here whenever a model is asked; registered once, since it never forgets.
_COUNTER: ContextVar[UsageMetadataCallbackHandler | None] = ContextVar("tokens", default=None)
register_configure_hook(_COUNTER, inheritable=True)


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
        return json_response(ModelCard(id=model)) if model in MODELS else _unknown(request, model)

    about = describe_route(ChatCompletion, takes=ChatRequest, problem=OpenAIFailure)
    streams_too(about, "`stream: true` streams `chat.completion.chunk` pieces up to `[DONE]`")

    @routes.post("/chat/completions", **about)
    async def complete(
        request: Request, asked: Annotated[ChatRequest, Depends(read(ChatRequest))]
    ) -> Response:
        """Answer the question at the end of the messages, with sources as annotations.

        Nothing is kept, and the answer is stopped when the client goes away.
        """
        if asked.model not in MODELS:
            return _unknown(request, asked.model)
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
        _check(asked)
        self._asked = asked
        history = history_of(asked.messages)
        self._read = "".join(
            [history.instructions, *(turn.message + turn.written for turn in history.turns)]
        )
        record = new_record(mode=MODELS[asked.model])
        record.switch, record.turns = True, history.turns
        record.instructions = history.instructions
        self._question = history.question
        self._read += history.question
        self._conversation: Conversation = assistant.unkept(record)
        options = asked.stream_options
        self._tells_usage = bool(options and options.include_usage)
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(time.time()),
            "model": asked.model,
        }

    async def whole(self) -> ChatCompletion:
        """Return the answer at its end; raise ModelFailed when there is none."""
        content = Content()
        with count_tokens() as tokens:
            async with aclosing(self._stream(content)) as pieces:
                async for _ in pieces:
                    pass
        reply = Reply(
            content=content.text, annotations=content.annotations, egress=content.egress or UNSET
        )
        choice = Choice(message=reply, finish_reason=content.finish_reason)
        usage = tokens.usage or self._estimate(content)
        return ChatCompletion(**self._head, choices=[choice], usage=usage)

    async def pieces(self) -> AsyncGenerator[ServerSentEvent]:
        """Yield the answer as it is made; a failure is the last piece."""
        content = Content(streamed=True)
        yield self._piece(Delta(role="assistant", content=""))
        with count_tokens() as tokens:
            try:
                async with aclosing(self._stream(content)) as pieces:
                    async for new in pieces:
                        if new:
                            yield self._piece(Delta(content=new))
            except CiteseekError as error:
                yield _data(OpenAIFailure(openai_error(problem_of(error))))
                return
        end = Delta(annotations=content.annotations or UNSET, egress=content.egress or UNSET)
        yield self._piece(end, finish_reason=content.finish_reason)
        if self._tells_usage:
            usage = tokens.usage or self._estimate(content)
            yield _data(ChatPiece(**self._head, choices=[], usage=usage))
        yield ServerSentEvent("[DONE]", sep="\n")

    async def _stream(self, content: Content) -> AsyncGenerator[str]:
        """Yield what each event adds to ``content``, up to where the client wants it to end."""
        ending = self._ending()
        async with aclosing(self._conversation.stream(self._question)) as events:
            async for event in events:
                match event:
                    case Token(part="answer"):
                        shown = ending.take(event.text, event.spans)
                        yield content.take(Token(text=shown, spans=event.spans))
                    case Token() | Aside() | Done():
                        if held := ending.rest():
                            yield content.take(Token(text=held))
                        if ending.reason is None:
                            yield content.take(event)
                    case _:
                        yield content.take(event)
                if ending.reason is not None:
                    yield content.cut(ending.reason)
                    return
                if isinstance(event, Aside):
                    ending = self._ending()

    def _ending(self) -> Ending:
        asked = self._asked
        most = [each for each in (asked.max_tokens, asked.max_completion_tokens) if each]
        stop = [asked.stop] if isinstance(asked.stop, str) else asked.stop or []
        return Ending(stop, min(most, default=None))

    def _estimate(self, content: Content) -> Usage:
        taken, given = tokens_in(self._read), tokens_in(content.text)
        return Usage(prompt_tokens=taken, completion_tokens=given, total_tokens=taken + given)

    def _piece(self, delta: Delta, **how: Any) -> ServerSentEvent:
        choice = PieceChoice(delta=delta, **how)
        usage = None if self._tells_usage else UNSET
        return _data(ChatPiece(**self._head, choices=[choice], usage=usage))


def _check(asked: ChatRequest) -> None:
    """Raise InvalidInput for what would be left out in silence."""
    if asked.n not in (None, 1):
        raise InvalidInput("n is 1: there is one answer.")
    if asked.tools or asked.functions or asked.tool_choice not in (None, "none", "auto"):
        raise InvalidInput(
            "There are no tools but Citeseek's own here.",
            hint="citeseek-agent searches and reads by itself; leave tools out.",
        )
    if (asked.response_format or {}).get("type", "text") != "text":
        raise InvalidInput("response_format is text: answers are Markdown.")
    if asked.logprobs or asked.top_logprobs:
        raise InvalidInput("There are no logprobs: an answer has more than its model's words.")
    if asked.logit_bias:
        raise InvalidInput("logit_bias cannot be passed on: the model is chosen by the settings.")
    if asked.modalities not in (None, [], ["text"]):
        raise InvalidInput("modalities is text: answers are Markdown.")


def _unknown(request: Request, name: str) -> Response:
    problem = Problem(
        title=HTTPStatus.NOT_FOUND.phrase,
        status=HTTPStatus.NOT_FOUND,
        detail=f"There is no model {name!r:.60}.",
        hint=f"There are {', '.join(MODELS)}.",
        code="model_not_found",
    )
    return failure(request.url.path, problem)


def _data(value: object) -> ServerSentEvent:
    return ServerSentEvent(msgspec.json.encode(value).decode(), sep="\n")


class ModelUsage:
    """The tokens of every turn of a model within :func:`count_tokens`."""

    def __init__(self, counter: UsageMetadataCallbackHandler) -> None:
        self._counter = counter

    @property
    def usage(self) -> Usage | None:
        """The sums; None when no server told any."""
        found = list(self._counter.usage_metadata.values())
        if not found:
            return None
        taken = sum(each["input_tokens"] for each in found)
        given = sum(each["output_tokens"] for each in found)
        return Usage(prompt_tokens=taken, completion_tokens=given, total_tokens=taken + given)


@contextmanager
def count_tokens() -> Iterator[ModelUsage]:
    """Count the tokens of the models that are asked within."""
    counter = UsageMetadataCallbackHandler()
    _COUNTER.set(counter)
    try:
        yield ModelUsage(counter)
    finally:
        # A token of before may belong to another context, when a stream was broken off.
        _COUNTER.set(None)
