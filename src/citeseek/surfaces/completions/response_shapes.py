"""What OpenAI's responses take and give, as far as it is understood here."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from citeseek.observing.receipt import EgressReceipt
from citeseek.surfaces.completions.functions import Name
from citeseek.surfaces.completions.openai_shapes import MODELS, SearchSize, Temperature, TopP

SOURCES = "web_search_call.action.sources"
Status: TypeAlias = Literal["in_progress", "completed", "incomplete", "failed"]


class TextFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of an answer: Markdown."""

    type: Literal["text"] = "text"


class TextAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the answer is written."""

    format: TextFormat = TextFormat()


class SearchOffered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The search, which both models have. With ``low`` it gives 3 results, with ``high`` 5."""

    type: Literal[
        "web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"
    ]
    search_context_size: SearchSize | None = None
    external_web_access: Literal[True] | None = None


class FunctionTool(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function that citeseek-agent may call and the program runs."""

    name: Name
    type: Literal["function"] = "function"
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class ChosenFunction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The function or search that has to be called; ``name`` is that of a function."""

    type: Literal[
        "function",
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
        "web_search_preview_2025_03_11",
    ]
    name: str | None = None


class ResponseRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, what was said before it, and what the program wants.

    ``input`` is a text, or items: messages, calls of functions and what they gave. It goes on
    behind ``previous_response_id``. ``instructions`` hold for this answer alone. The answer ends
    after about ``max_output_tokens``. It is kept as a conversation unless ``store`` is false.
    """

    model: Annotated[str, Meta(extra_json_schema={"enum": list(MODELS)})]
    input: str | list[dict[str, Any]]
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    stream: bool | None = None
    max_output_tokens: Annotated[int, Meta(ge=1)] | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    # Told apart by hand: a union of two structs needs a tag, and the search has four.
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto", "required"] | ChosenFunction | None = None
    parallel_tool_calls: bool | None = None
    include: list[Literal["web_search_call.action.sources"]] | None = None
    text: TextAsked | None = None
    metadata: (
        Annotated[
            dict[
                Annotated[str, Meta(max_length=64)],
                Annotated[str, Meta(max_length=512)],
            ],
            Meta(max_length=16),
        ]
        | None
    ) = None
    user: str | None = None
    safety_identifier: Annotated[str, Meta(max_length=64)] | None = None


class UrlAnnotation(msgspec.Struct, frozen=True, kw_only=True):
    """A citation: characters of the text from ``start_index`` up to before ``end_index``.

    Of a page that ``was_read``, which is a field of our own, the model was given the text.
    """

    start_index: int
    end_index: int
    url: str
    title: str
    was_read: bool
    type: Literal["url_citation"] = "url_citation"


class OutputText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a message, in Markdown."""

    text: str
    annotations: list[UrlAnnotation] = []
    logprobs: list[Any] = []
    type: Literal["output_text"] = "output_text"


class MessageItem(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """The answer, or with the ``phase`` ``commentary`` what was said on the way to a search."""

    id: str
    status: Literal["in_progress", "completed", "incomplete"]
    content: list[OutputText]
    phase: Literal["commentary", "final_answer"] | UnsetType = UNSET
    role: Literal["assistant"] = "assistant"


class PageFound(msgspec.Struct, frozen=True, kw_only=True):
    """A page that a search found."""

    url: str
    type: Literal["url"] = "url"


class SearchAction(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="search"):
    """What was searched for; ``sources`` are there where ``include`` asks for them."""

    query: str
    queries: list[str]
    sources: list[PageFound] | UnsetType = UNSET


class OpenAction(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="open_page"):
    """Which page was read."""

    url: str


class SearchCallItem(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="web_search_call"
):
    """A search, or a page that was read."""

    id: str
    status: Literal["in_progress", "searching", "completed", "failed"]
    action: SearchAction | OpenAction


class FunctionItem(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="function_call"
):
    """A call of the program's function, whose result is to be the next input."""

    id: str
    call_id: str
    name: str
    arguments: str
    status: Literal["in_progress", "completed"]


OutputItem: TypeAlias = MessageItem | SearchCallItem | FunctionItem


class InputDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What of the tokens given was known to the model's server."""

    cached_tokens: int
    cache_write_tokens: int = 0


class OutputDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What of the tokens made was thinking."""

    reasoning_tokens: int


class ResponseUsage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of the model, of all its turns; an estimate where its server tells none."""

    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputDetails
    total_tokens: int


class ResponseFault(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer; ``detail_code`` and ``hint`` are our own."""

    code: Literal["server_error", "rate_limit_exceeded"]
    message: str
    detail_code: str = ""
    hint: str = ""


class Incomplete(msgspec.Struct, frozen=True, kw_only=True):
    """Why the answer ends before its end."""

    reason: Literal["max_output_tokens", "content_filter"]


class Reasoning(msgspec.Struct, frozen=True, kw_only=True):
    """What a model thinks is not told."""

    effort: None = None
    summary: None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, whole or so far.

    ``egress``, which is ours alone, is what it sent out and brought in.
    """

    id: str
    created_at: float
    model: str
    status: Status
    output: list[OutputItem]
    instructions: str | None
    max_output_tokens: int | None
    metadata: dict[str, str]
    parallel_tool_calls: bool
    previous_response_id: str | None
    store: bool
    temperature: float | None
    top_p: float | None
    tool_choice: Any
    tools: list[dict[str, Any]]
    user: str | UnsetType = UNSET
    safety_identifier: str | UnsetType = UNSET
    completed_at: float | None = None
    error: ResponseFault | None = None
    incomplete_details: Incomplete | None = None
    usage: ResponseUsage | UnsetType = UNSET
    egress: EgressReceipt | UnsetType = UNSET
    background: bool = False
    max_tool_calls: None = None
    reasoning: Reasoning = Reasoning()
    service_tier: Literal["default"] = "default"
    text: TextAsked = TextAsked()
    top_logprobs: int = 0
    truncation: Literal["auto"] = "auto"
    object: Literal["response"] = "response"


class ResponseDeleted(msgspec.Struct, frozen=True, kw_only=True):
    """A response that is forgotten."""

    id: str
    object: Literal["response"] = "response"
    deleted: bool = True
