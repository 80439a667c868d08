"""What a request for a response wants, read out of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from citeseek.assistant.program import Program
from citeseek.conversations.conversation_record import Choices, Turn
from citeseek.surfaces.completions.functions import (
    FunctionOffered,
    check_called,
    check_functions,
    sampling_of,
)
from citeseek.surfaces.completions.history import history_of
from citeseek.surfaces.completions.openai_shapes import MODELS, RESULTS
from citeseek.surfaces.completions.program_answer import Wanted
from citeseek.surfaces.completions.response_input import messages_of
from citeseek.surfaces.completions.response_shapes import (
    ChosenFunction,
    FunctionTool,
    ResponseRequest,
    SearchOffered,
)
from citeseek.surfaces.web.parameters import Fixed, refuse
from citeseek.tools.tool_definitions import WEB_SEARCH

_OF_THE_MODEL = "The model is chosen by the settings, and so is this."
FIXED = {
    "background": Fixed("background: an answer is waited for or streamed.", (False,)),
    "conversation": Fixed("conversation: answers go on by previous_response_id."),
    "prompt": Fixed("prompt: there are no kept prompts."),
    "reasoning": Fixed(
        "reasoning cannot be passed on: " + _OF_THE_MODEL, ({}, {"effort": None, "summary": None})
    ),
    "max_tool_calls": Fixed("max_tool_calls: the settings limit searches and pages."),
    "top_logprobs": Fixed(
        "There are no logprobs: an answer has more than its model's words.", (0,)
    ),
    "truncation": Fixed("truncation is auto: of a long conversation the oldest goes.", ("auto",)),
    "service_tier": Fixed("service_tier: there is one.", ("auto", "default")),
    "stream_options": Fixed(
        "stream_options: nothing is obfuscated.", ({}, {"include_obfuscation": False})
    ),
}
_Tool = SearchOffered | FunctionOffered


class ResponseAsked:
    """The wishes in ``request``; raise InvalidInput for what cannot be done.

    It is asked behind the turns ``before``.
    """

    def __init__(self, request: ResponseRequest, before: Sequence[Turn]) -> None:
        self.mode = MODELS[request.model]
        is_agent = self.mode == "agent"
        tools = [_tool(tool, place) for place, tool in enumerate(request.tools or ())]
        searches = [tool for tool in tools if isinstance(tool, SearchOffered)]
        functions = [tool for tool in tools if isinstance(tool, FunctionOffered)]
        check_functions(functions, is_agent=is_agent)
        choice = request.tool_choice
        # Without any tool the model would still search: then it answers as Chat mode does without.
        self.searches = choice != "none"
        if choice == "none":
            self.mode, functions = "chat", []
        must_call = _must_call(choice, functions, has_search=bool(searches) or not functions)
        self.choices = _choices(searches)
        history = history_of(
            messages_of(request.input),
            has_tools=self.mode == "agent",
            before=before,
            param="input",
        )
        self.wanted = Wanted(
            history=history,
            program=Program(
                instructions=request.instructions or "",
                functions=tuple(function.as_tool() for function in functions),
                # Chat mode searches for every question.
                must_call=must_call if is_agent else frozenset(),
                one_call=request.parallel_tool_calls is False,
                results=history.results,
                sampling=sampling_of(request.temperature, request.top_p),
            ),
            max_tokens=request.max_output_tokens,
        )


def _tool(given: Mapping[str, Any], place: int) -> _Tool:
    # SDKs write null for what nobody chose.
    said = {name: value for name, value in given.items() if value is not None}
    kind = said.get("type")
    try:
        if kind == "function":
            tool = msgspec.convert(said, FunctionTool)
            return FunctionOffered(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                strict=tool.strict,
            )
        if isinstance(kind, str) and kind.startswith("web_search"):
            return msgspec.convert(said, SearchOffered)
    except msgspec.ValidationError as error:
        raise refuse("tools", f"tools.{place} is not what is expected here: {error}") from None
    raise refuse("tools", f"tools.{place} is {kind!r:.40}; there are web_search and function.")


def _choices(searches: Sequence[SearchOffered]) -> Choices:
    sizes = [tool.search_context_size for tool in searches if tool.search_context_size]
    return Choices(results=RESULTS[sizes[-1]]) if sizes else Choices()


def _must_call(
    choice: object, functions: Sequence[FunctionOffered], *, has_search: bool
) -> frozenset[str]:
    """Return the names of which one has to be called."""
    search = frozenset({WEB_SEARCH.name})
    if choice == "required":
        names = frozenset(function.name for function in functions)
        return names | search if has_search else names
    if not isinstance(choice, ChosenFunction):
        return frozenset()
    if choice.type != "function":
        return search
    check_called(choice.name or "", functions)
    return frozenset({choice.name or ""})
