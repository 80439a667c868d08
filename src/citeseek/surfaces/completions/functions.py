"""The functions of a program, which the model may call and the program runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from citeseek.surfaces.web.parameters import refuse
from citeseek.tools.tool_definitions import WEB_FETCH, WEB_SEARCH

# They say who asks, or how OpenAI keeps prompts: no answer depends on them.
OF_OPENAI = frozenset({"user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"})
OURS = frozenset({WEB_SEARCH.name, WEB_FETCH.name})
MOST = 128
Name = Annotated[str, Meta(pattern=r"\A[a-zA-Z0-9_-]{1,64}\Z")]


class FunctionOffered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function: ``parameters`` are the JSON schema of its arguments."""

    name: Name
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None

    def as_tool(self) -> dict[str, Any]:
        """Return it as one of the ``tools`` of chat completions, for whichever model there is."""
        usual = {"type": "object", "properties": {}}
        function: dict[str, Any] = {
            "name": self.name,
            "description": self.description or "",
            "parameters": self.parameters or usual,
        }
        if self.strict is not None:
            function["strict"] = self.strict
        return {"type": "function", "function": function}


def check_functions(functions: Sequence[FunctionOffered], *, is_agent: bool) -> None:
    """Raise InvalidInput for functions that cannot be offered."""
    if functions and not is_agent:
        raise refuse(
            "tools",
            "citeseek-chat searches for each question and calls no functions.",
            hint="citeseek-agent does.",
        )
    if len(functions) > MOST:
        raise refuse("tools", f"There are {len(functions)} functions; the limit is {MOST}.")
    names = [function.name for function in functions]
    if taken := sorted({name for name in names if name in OURS or names.count(name) > 1}):
        why = "is Citeseek's own" if taken[0] in OURS else "is there twice"
        raise refuse("tools", f"The name {taken[0]} {why}.")


def check_called(name: str, functions: Sequence[FunctionOffered]) -> None:
    """Raise InvalidInput when ``name`` is none of the ``functions`` that a choice may name."""
    if name not in {function.name for function in functions}:
        raise refuse("tool_choice", f"There is no function {name!r:.60} among the tools.")


class CalledFunction(msgspec.Struct, frozen=True, kw_only=True):
    """Which function is called: ``arguments`` is JSON as a text."""

    name: str
    arguments: str


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a function. In pieces of a stream ``index`` tells the calls apart."""

    id: str
    function: CalledFunction
    type: str = "function"
    index: int | UnsetType = UNSET


def sampling_of(temperature: float | None, top_p: float | None) -> Mapping[str, float]:
    """Return how the model is to sample, as far as the program says so."""
    given = {"temperature": temperature, "top_p": top_p}
    return {name: value for name, value in given.items() if value is not None}
