"""The tools as each model API wants them described; all are made of the one definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.tools.tool_definitions import (
    CONTRACT_WEB_FETCH,
    CONTRACT_WEB_SEARCH,
    FILTERED_WEB_SEARCH,
    WEB_FETCH,
    Definition,
    Language,
    translate,
)
from citeseek.tools.tool_language import tool_language

Schema = dict[str, Any]

# The tools of a model, which Toolset answers, and those of a program.
FOR_MODELS = (FILTERED_WEB_SEARCH, WEB_FETCH)
OF_CONTRACT = (CONTRACT_WEB_SEARCH, CONTRACT_WEB_FETCH)


def openai(tool: Definition) -> Schema:
    """Return the entry of ``tools`` in OpenAI's chat completions; LangChain binds it as well."""
    return {"type": "function", "function": _describe(tool, "parameters")}


def responses(tool: Definition) -> Schema:
    """Return the entry of ``tools`` in OpenAI's responses.

    Their strict mode would make a model fill in every parameter.
    """
    return {"type": "function", **_describe(tool, "parameters"), "strict": False}


def anthropic(tool: Definition) -> Schema:
    """Return the entry of ``tools`` in Anthropic's messages."""
    return _describe(tool, "input_schema")


def contract(tool: Definition) -> Schema:
    """Return the tool with the schema of what it gives (docs/tools.md)."""
    return {**_describe(tool, "parameters"), "output": tool.output}


FORMS: Mapping[str, Callable[[Definition], Schema]] = {
    "openai": openai,
    "responses": responses,
    "anthropic": anthropic,
    "contract": contract,
}


def offer_tools(form: str, lang: Language | None = None) -> list[Schema]:
    """Return all tools in ``form``, ready for a request; raise InvalidInput for an unknown one.

    ``lang`` is the language in which a model is told of them, by default that of
    :func:`~citeseek.tools.tool_language.tool_language`. The contract is for programs, and in
    English alone; the names of its tools are no names for a model's functions.
    """
    told_in = lang or tool_language()
    tools = tuple(translate(told_in, tool) for tool in FOR_MODELS)
    return write_tools(form, OF_CONTRACT if form == "contract" else tools)


def write_tools(form: str, tools: Iterable[Definition]) -> list[Schema]:
    """Return ``tools`` in ``form``; raise InvalidInput for an unknown one."""
    if form not in FORMS:
        raise InvalidInput(f"There is no form {form!r:.60}.", hint=f"Known: {', '.join(FORMS)}.")
    return [FORMS[form](tool) for tool in tools]


def _describe(tool: Definition, parameters: str) -> Schema:
    return {"name": tool.name, "description": tool.description, parameters: tool.parameters}
