"""What OpenAI's chat completions take and give, as far as it is understood here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from citeseek.conversations.switches import Mode
from citeseek.observing.receipt import EgressReceipt

MODELS: dict[str, Mode] = {"citeseek-chat": "chat", "citeseek-agent": "agent"}
FinishReason = Literal["stop", "length", "content_filter"]


_Word = Annotated[str, Meta(min_length=1, max_length=200)]


class MessagePart(msgspec.Struct, frozen=True):
    """A part of a message; only ``text`` is understood."""

    type: str
    text: str = ""


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of the history. What tools of other programs gave is left out."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[MessagePart] | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    """Whether the tokens are told at the end of a stream."""

    include_usage: bool | None = None


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A history and the question at its end; what is not named here is left to the settings.

    ``model`` is ``citeseek-chat``, which searches for each question, or ``citeseek-agent``, which
    decides by itself what to search and read. The answer ends at a word of ``stop`` or after about
    ``max_tokens``. ``n`` is 1; there are no ``tools`` but our own, nor ``logprobs``.
    """

    model: Annotated[str, Meta(extra_json_schema={"enum": list(MODELS)})]
    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Meta(ge=1)] | None = None
    stop: _Word | Annotated[list[_Word], Meta(max_length=4)] | None = None
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: dict[str, float] | None = None
    modalities: list[str] | None = None
    tool_choice: Any = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    response_format: dict[str, Any] | None = None


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
    """The answer. ``egress``, which is ours alone, is what it sent out and brought in."""

    content: str
    annotations: list[Annotation]
    egress: EgressReceipt | UnsetType = UNSET
    role: Literal["assistant"] = "assistant"
    refusal: None = None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
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
    choices: list[Choice]
    usage: Usage
    object: Literal["chat.completion"] = "chat.completion"


class Delta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is new in a piece; the last one has ``annotations`` and ``egress`` of the answer."""

    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
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
