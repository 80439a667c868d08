"""``/v1/responses``: answers that may be kept, found again and gone on with."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from msgspec import UNSET, structs, to_builtins
from sse_starlette import ServerSentEvent
from starlette.responses import Response as Answered

from citeseek.assistant.conversation import Conversation
from citeseek.conversations.conversation_record import Turn
from citeseek.errors import CiteseekError
from citeseek.live_answers.hub import Hub
from citeseek.surfaces.completions.functions import OF_OPENAI
from citeseek.surfaces.completions.kept_responses import KeptResponse, KeptResponses
from citeseek.surfaces.completions.openai_shapes import MODELS
from citeseek.surfaces.completions.program_answer import ProgramAnswer, TokenCount
from citeseek.surfaces.completions.response_asked import FIXED, ResponseAsked
from citeseek.surfaces.completions.response_output import ResponseOutput
from citeseek.surfaces.completions.response_shapes import (
    SOURCES,
    Incomplete,
    InputDetails,
    OutputDetails,
    Response,
    ResponseDeleted,
    ResponseFault,
    ResponseRequest,
    ResponseUsage,
    Status,
)
from citeseek.surfaces.completions.unknown import unknown_model, unknown_response
from citeseek.surfaces.rest.documented import describe_route, json_response, streams_too
from citeseek.surfaces.rest.problems import problem_of
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import OpenAIFailure, openai_error
from citeseek.surfaces.web.event_streams import Streams, json_event
from citeseek.surfaces.web.parameters import read_parameters, refuse

TOLD = (ResponseRequest, Response, ResponseDeleted)
_RATE = "rate_limited"
_PARAMETERS = read_parameters(ResponseRequest, FIXED, OF_OPENAI)


def router(hub: Hub, streams: Streams) -> APIRouter:
    """Return the routes under ``/v1/responses``."""
    routes = APIRouter(prefix="/v1/responses", tags=["openai"])
    kept = KeptResponses(hub)
    about = describe_route(Response, takes=ResponseRequest, problem=OpenAIFailure)
    streams_too(about, "`stream: true` streams the events of a response, each with its number")

    @routes.post("", **about)
    async def respond(
        request: Request,
        asked: Annotated[ResponseRequest, Depends(_PARAMETERS)],
    ) -> Answered:
        """Answer the input, with sources as annotations.

        The answer is stopped when the client goes away.
        """
        if asked.model not in MODELS:
            return unknown_model(request, asked.model)
        if asked.stream:
            with streams.place() as place, ExitStack() as stack:
                stack.enter_context(hub.places.one())
                responding = await _begin(hub, kept, asked, stack)
                over = stack.pop_all()
                return place.respond(responding.events(), over=over.close)
        with hub.places.one(), ExitStack() as stack:
            responding = await _begin(hub, kept, asked, stack)
            return json_response(await while_there(request, responding.whole()))

    @routes.get("/{response_id}", **describe_route(Response, problem=OpenAIFailure))
    async def show(request: Request, response_id: str) -> Answered:
        """Show a response that was kept."""
        for name, value in request.query_params.items():
            if name != "stream" or value != "false":
                raise refuse(name, f"The parameter {name!r:.60} is not for responses of before.")
        if (found := await kept.find(response_id)) is None:
            return unknown_response(request, response_id)
        return json_response(found.turn.response)

    @routes.delete("/{response_id}", **describe_route(ResponseDeleted, problem=OpenAIFailure))
    async def delete(request: Request, response_id: str) -> Answered:
        """Forget a response for good; what was said behind it stays."""
        if (found := await kept.find(response_id)) is None:
            return unknown_response(request, response_id)
        await kept.delete(found)
        return json_response(ResponseDeleted(id=response_id))

    return routes


async def _begin(
    hub: Hub, kept: KeptResponses, request: ResponseRequest, stack: ExitStack
) -> _Responding:
    """Return the response, ready to be made; raise InvalidInput for what cannot be done."""
    previous: KeptResponse | None = None
    if (named := request.previous_response_id) is not None:
        previous = await kept.find(named)
        if previous is None:
            raise refuse("previous_response_id", f"There is no response {named!r:.80}.")
    asked = ResponseAsked(request, previous.line if previous else ())
    history = asked.wanted.history
    keeps = request.store is not False
    if not keeps:
        record = kept.copy(previous, asked.mode)
        record.turns += history.turns
        conversation = hub.assistant.unkept(record)
    elif previous is not None and kept.is_free(previous.conversation):
        conversation = previous.conversation
        stack.enter_context(kept.hold(conversation))
        await conversation.kept.go_back_to(previous.turn.id)
    else:
        conversation = await kept.branch(previous, asked.mode)
        stack.enter_context(kept.hold(conversation))
    record = conversation.session.record
    record.mode, record.switch = asked.mode, asked.searches
    record.instructions = "\n\n".join(filter(None, (record.instructions, history.instructions)))
    conversation.session.choose(asked.choices)
    if keeps:
        await conversation.kept.keep()
        for turn in history.turns:
            await conversation.kept.keep_turn(turn)
    id_ = kept.new_id(conversation.id) if keeps else f"resp_{secrets.token_hex(24)}"
    over = (lambda: kept.tell(conversation)) if keeps else (lambda: None)
    return _Responding(request, asked, conversation, id_, over)


class _Responding:
    """One response in the making; ``over`` is called when it was kept."""

    def __init__(
        self,
        request: ResponseRequest,
        asked: ResponseAsked,
        conversation: Conversation,
        response_id: str,
        over: Callable[[], None],
    ) -> None:
        self._over = over
        self._answer = ProgramAnswer(
            conversation,
            asked.wanted,
            streamed=True,
            turn_id=response_id,
            complete=self._complete,
        )
        self._output = ResponseOutput(
            self._answer.content,
            sources=SOURCES in (request.include or ()),
            streamed=bool(request.stream),
        )
        # What is told at the end, which is kept before that.
        self._ending: list[dict[str, Any]] = []
        self._done = Response(
            id=response_id,
            created_at=int(time.time()),
            model=request.model,
            status="in_progress",
            output=[],
            instructions=request.instructions,
            max_output_tokens=request.max_output_tokens,
            metadata=request.metadata or {},
            parallel_tool_calls=request.parallel_tool_calls is not False,
            previous_response_id=request.previous_response_id,
            store=request.store is not False,
            temperature=request.temperature,
            top_p=request.top_p,
            tool_choice=to_builtins(request.tool_choice or "auto"),
            tools=[_as_told(tool) for tool in request.tools or ()],
            user=request.user or UNSET,
            safety_identifier=request.safety_identifier or UNSET,
        )

    async def whole(self) -> Response:
        """Return the response at its end; raise ModelFailed when there is no answer."""
        try:
            async with aclosing(self._steps()) as steps:
                async for _ in steps:
                    pass
        finally:
            self._over()
        return self._done

    async def events(self) -> AsyncGenerator[ServerSentEvent]:
        """Yield the events of the response, each with its number."""
        numbers = itertools.count()

        def event(told: dict[str, Any]) -> ServerSentEvent:
            return json_event(told["type"], {**told, "sequence_number": next(numbers)})

        yield event({"type": "response.created", "response": self._done})
        yield event({"type": "response.in_progress", "response": self._done})
        try:
            async with aclosing(self._steps()) as steps:
                async for told in steps:
                    yield event(told)
        except CiteseekError as error:
            if self._done.status != "failed":
                self._done = self._so_far("failed", error=_fault(error))
        finally:
            self._over()
        yield event({"type": f"response.{self._done.status}", "response": self._done})

    async def _steps(self) -> AsyncGenerator[dict[str, Any]]:
        async with aclosing(self._answer.steps()) as steps:
            async for step in steps:
                if self._answer.ending:
                    # It was taken when it was kept.
                    continue
                for told in self._output.take(step):
                    yield told
        for told in self._ending:
            yield told

    def _complete(self, turn: Turn) -> Turn:
        """Return ``turn`` with the response as its program gets it."""
        answer = self._answer
        self._ending = [told for step in answer.ending for told in self._output.take(step)]
        if answer.failure is not None:
            self._output.break_off()
            self._done = self._so_far("failed", error=_fault(answer.failure))
        elif answer.is_cut or answer.content.finish_reason in ("length", "content_filter"):
            reason = answer.content.finish_reason
            why = Incomplete(
                reason="content_filter" if reason == "content_filter" else "max_output_tokens"
            )
            self._done = self._so_far("incomplete", incomplete_details=why)
        elif turn.outcome == "stopped":
            self._output.break_off()
            self._done = self._so_far("incomplete")
        else:
            self._done = self._so_far("completed", completed_at=int(time.time()))
        return structs.replace(turn, response=to_builtins(self._done))

    def _so_far(self, status: Status, **more: Any) -> Response:
        return structs.replace(
            self._done,
            status=status,
            output=list(self._output.items),
            usage=_usage(self._answer.tokens),
            egress=self._answer.content.egress or UNSET,
            **more,
        )


def _as_told(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool with what OpenAI's answers say of every function."""
    if tool.get("type") != "function":
        return tool
    return {"description": None, "parameters": None, "strict": None, **tool}


def _fault(error: CiteseekError) -> ResponseFault:
    told = openai_error(problem_of(error))
    return ResponseFault(
        code="rate_limit_exceeded" if error.detail_code == _RATE else "server_error",
        message=told.message,
        detail_code=told.detail_code,
        hint=told.hint,
    )


def _usage(tokens: TokenCount) -> ResponseUsage:
    return ResponseUsage(
        input_tokens=tokens.given,
        input_tokens_details=InputDetails(cached_tokens=tokens.cached),
        output_tokens=tokens.made,
        output_tokens_details=OutputDetails(reasoning_tokens=tokens.thought),
        total_tokens=tokens.total,
    )
