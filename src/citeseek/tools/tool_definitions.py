"""What a model is told of our tools: their names, when to use them, and what they take.

``parameters`` is a JSON schema, the form that OpenAI, Anthropic, LangChain and MCP share. Tools are
defined in Chinese and told in the model's language; names, and what may stand in parameters, are
the same in both.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from citeseek.errors import InvalidInput
from citeseek.i18n import catalogue
from citeseek.query import CATEGORIES
from citeseek.tools.outputs import FetchOutput, SearchOutput, schema

# The most results of one call.
MAX_RESULTS = 10
Language = Literal["zh", "en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a model sees it; ``output`` is the JSON schema of what it gives, {} for text."""

    name: str
    description: str
    parameters: dict[str, Any]
    output: dict[str, Any] = {}


_CHINESE = catalogue("zh")
# What the description of a search is made of, in this order.
_PARTS = tuple(
    f"tool.search.{part}" for part in ("when", "providers", "use", "numbered", "json", "untrusted")
)


def _describe(*left_out: str) -> str:
    """Return what a search is described with, without the parts that are ``left_out``."""
    return "".join(_CHINESE(part) for part in _PARTS if part.rpartition(".")[2] not in left_out)


_QUERY = {
    "type": "string",
    "minLength": 1,
    "description": _CHINESE("tool.parameter.query"),
    "examples": [_CHINESE("tool.search.example"), "Python 3.14 release date"],
}

WEB_SEARCH = Definition(
    name="web_search",
    description=_describe("providers", "json"),
    parameters={"type": "object", "properties": {"query": _QUERY}, "required": ["query"]},
)

# The tool of the browser face, whose results are data and have no numbers.
BROWSER_WEB_SEARCH = msgspec.structs.replace(
    WEB_SEARCH, description=_describe("providers", "numbered")
)

# The tool of an agent that agents.json enables.
CONFIGURED_WEB_SEARCH = Definition(
    name="web_search",
    description=_describe("json"),
    parameters={
        "type": "object",
        "properties": {
            "query": _QUERY,
            "count": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": _CHINESE("tool.parameter.count"),
            },
            "country": {
                "type": "string",
                "description": _CHINESE("tool.parameter.country"),
            },
            "freshness": {
                "type": "string",
                "description": _CHINESE("tool.parameter.freshness"),
            },
        },
        "required": ["query"],
    },
)

_CATEGORY = {
    "type": "string",
    "enum": list(CATEGORIES),
    "description": _CHINESE("tool.parameter.category"),
}

# The tool of a program's own loop and of MCP: which engine answers is their choice, no model hears
# of it.
FILTERED_WEB_SEARCH = msgspec.structs.replace(
    CONFIGURED_WEB_SEARCH,
    description=WEB_SEARCH.description,
    parameters={
        **CONFIGURED_WEB_SEARCH.parameters,
        "properties": {**CONFIGURED_WEB_SEARCH.parameters["properties"], "category": _CATEGORY},
    },
)

WEB_FETCH = Definition(
    name="web_fetch",
    description=_CHINESE("tool.fetch"),
    parameters={
        "type": "object",
        "properties": {
            "url": {
                "type": "string",
                "minLength": 1,
                "description": _CHINESE("tool.parameter.url"),
                "examples": ["https://example.com/news/2026/report"],
            },
            "max_chars": {
                "type": "integer",
                "minimum": 200,
                "description": _CHINESE("tool.parameter.max_chars"),
            },
        },
        "required": ["url"],
    },
)

# The tools of the contract: their names are no names for a model's functions.
CONTRACT_WEB_SEARCH = Definition(
    name="web.search",
    description="Searches the web.",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1},
            "max_results": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
            # Used where an engine can, and never an error.
            "locale": {"type": "string"},
            "lang": {"type": "string"},
            "time_range": {"type": "string"},
            "site_filter": {"type": "string"},
            "need_summary": {"type": "boolean"},
            "trace_id": {"type": "string"},
            "budget_ms": {"type": "integer"},
        },
        "required": ["query"],
    },
    output=schema(SearchOutput),
)
CONTRACT_WEB_FETCH = Definition(
    name="web.fetch",
    description="Reads the text of one page.",
    parameters={
        "type": "object",
        "properties": {
            "url": {"type": "string", "minLength": 1, "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"},
            "timeout_ms": {
                "type": "integer",
                "minimum": 1_000,
                "maximum": 120_000,
                "default": 15_000,
            },
        },
        "required": ["url"],
    },
    output=schema(FetchOutput),
)


def translate(lang: Language, tool: Definition) -> Definition:
    """Return ``tool``, one of those for models, described in ``lang``.

    Raise InvalidInput for a language in which it is not described.
    """
    if lang not in LANGUAGES:
        raise InvalidInput(
            f"The tools are not described in {lang!r:.60}.", hint=f"Known: {', '.join(LANGUAGES)}."
        )
    if lang == "zh":
        return tool
    say = catalogue(lang)
    properties = {
        name: {**about, "description": say(f"tool.parameter.{name}")}
        for name, about in tool.parameters["properties"].items()
    }
    if "query" in properties:
        _, *others = properties["query"]["examples"]
        properties["query"]["examples"] = [say("tool.search.example"), *others]
    parts = [part for part in _PARTS if _CHINESE(part) in tool.description]
    return msgspec.structs.replace(
        tool,
        description="".join(map(say, parts)) or say("tool.fetch"),
        parameters={**tool.parameters, "properties": properties},
    )
