"""What OpenAI's chat completions take and give, as far as it is understood here."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from citeseek.conversations.switches import Mode
from citeseek.observing.receipt import EgressReceipt
from citeseek.surfaces.completions.functions import FunctionOffered, Name, ToolCall

MODELS: dict[str, Mode] = {"citeseek-chat": "chat", "citeseek-agent": "agent"}
FinishReason = Literal["stop", "length", "content_filter", "tool_calls"]
SearchSize = Literal["low", "medium", "high"]
# How many results the sizes mean; None: as the settings say.
RESULTS: dict[SearchSize, int | None] = {"low": 3, "medium": None, "high": 5}
Temperature = Annotated[float, Meta(ge=0, le=2)]
TopP = Annotated[float, Meta(ge=0, le=1)]


_Word = Annotated[str, Meta(min_length=1, max_length=200)]


class MessagePart(msgspec.Struct, frozen=True):
    """A part of a message; only ``text`` is understood."""

    type: str
    text: str = ""


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of the history.

    Calls of functions, and what they gave (``tool``), are told to citeseek-agent alone.
    """

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[MessagePart] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class StreamOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether the tokens are told at the end of a stream."""

    include_usage: bool | None = None
    include_obfuscation: Literal[False] | None = None


class SearchOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much is searched: with ``low`` 3 results, with ``high`` 5."""

    search_context_size: SearchSize | None = None


class OfferedTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that the model may call and the program runs."""

    type: Literal["function"]
    function: FunctionOffered


class NamedFunction(msgspec.Struct, frozen=True):
    """The name of a function."""

    name: Name


class ChosenTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The function that has to be called."""

    type: Literal["function"]
    function: NamedFunction


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A history and the question at its end; what is not named here is left to the settings.

    ``model`` is ``citeseek-chat``, which searches for each question, or ``citeseek-agent``, which
    decides by itself what to search and read, and may call functions of the program (``tools``)
    beside it. The answer ends at a word of ``stop`` or after about ``max_tokens``.
    """

    model: Annotated[str, Meta(extra_json_schema={"enum": list(MODELS)})]
    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Meta(ge=1)] | None = None
    stop: _Word | Annotated[list[_Word], Meta(max_length=4)] | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    tools: list[OfferedTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | ChosenTool | None = None
    parallel_tool_calls: bool | None = None
    web_search_options: SearchOptions | None = None


class UrlCitation(msgspec.Struct, frozen=True, kw_only=True):
    """A citation: characters of the content from ``start_index`` up to before ``end_index``.

    Of a page that ``was_read`` the model was given the text, of others a summary alone.
    """

    start_index: int
    end_index: int
    url: str
    title: str
    was_read: bool


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """What stands beside the content."""

    url_citation: UrlCitation
    type: Literal["url_citation"] = "url_citation"


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of the model, of all its turns; an estimate where its server tells none."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer, or the ``tool_calls`` with which it goes on.

    ``egress``, which is ours alone, is what it sent out and brought in.
    """

    content: str | None
    annotations: list[Annotation]
    egress: EgressReceipt | UnsetType = UNSET
    tool_calls: list[ToolCall] | UnsetType = UNSET
    role: Literal["assistant"] = "assistant"
    refusal: None = None


class CompletionChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The one choice that there is."""

    message: Reply
    finish_reason: FinishReason
    index: int = 0
    logprobs: None = None


class ChatCompletion(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer."""

    id: str
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: Usage
    object: Literal["chat.completion"] = "chat.completion"


class Delta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is new in a piece; the last one has ``annotations`` and ``egress`` of the answer."""

    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    tool_calls: list[ToolCall] | UnsetType = UNSET
    annotations: list[Annotation] | UnsetType = UNSET
    egress: EgressReceipt | UnsetType = UNSET


class PieceChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The one choice of a piece."""

    delta: Delta
    finish_reason: FinishReason | None = None
    index: int = 0
    logprobs: None = None


class ChatPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a streamed answer."""

    id: str
    created: int
    model: str
    choices: list[PieceChoice]
    usage: Usage | UnsetType | None = UNSET
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    """A model that may be named."""

    id: str
    created: int = 0
    owned_by: str = "citeseek"
    object: Literal["model"] = "model"


class ModelCards(msgspec.Struct, frozen=True, kw_only=True):
    """The models that may be named."""

    data: list[ModelCard]
    object: Literal["list"] = "list"
