"""What OpenAI's chat completions take and give, and a request's messages as a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from citeseek.citations import linked_numbers, strip_links
from citeseek.citations.references import HEADING
from citeseek.conversations.conversation_record import MAX_MESSAGE_CHARS, Turn, cleaned_message
from citeseek.conversations.search_switch import Mode
from citeseek.errors import InvalidInput
from citeseek.observing.receipt import EgressReceipt
from citeseek.surfaces.completions.content import NOTE
from citeseek.text import encodable

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


_TELL = frozenset({"system", "developer"})
_TOOLS = frozenset({"tool", "function"})
# What was added to the model's words when they were sent, as it comes back in a history.
_REFERENCES = re.compile(rf"(?<!\n)\n+---\n\n## {HEADING}\n.*", re.DOTALL)
_NOTES = re.compile(rf"^> {NOTE}.*(?:\n>.*)*\n*", re.MULTILINE)


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What a request tells: a program's ``instructions``, earlier ``turns``, the ``question``."""

    question: str
    turns: list[Turn]
    instructions: str = ""


def history_of(messages: Sequence[ChatMessage]) -> History:
    """Return the history in ``messages``; raise InvalidInput for what cannot be answered.

    Messages of one side that follow each other are one. What an assistant said before the first
    question is left out, and so are empty messages and what tools of other programs gave: an
    assistant that called one has said nothing.
    """
    parts: list[str] = []
    said: list[tuple[str, str]] = []
    last = len(messages) - 1
    for place, message in enumerate(messages):
        text = _text(message, place)
        is_question = place == last and message.role == "user"
        if message.role in _TOOLS or not (text.strip() or is_question):
            continue
        if message.role in _TELL:
            parts.append(text)
        elif said and said[-1][0] == message.role:
            said[-1] = (message.role, f"{said[-1][1]}\n\n{text}")
        elif said or message.role == "user":
            said.append((message.role, text))
    if not said or said[-1][0] != "user":
        raise InvalidInput(
            "The last message is not the user's, messages of tools aside.",
            hint="Put the question at the end of messages.",
        )
    pairs = zip(said[:-1:2], said[1::2], strict=True)
    turns = [_turn(place, asked, answer) for place, ((_, asked), (_, answer)) in enumerate(pairs)]
    instructions = encodable("\n\n".join(parts)).strip()
    if len(instructions) > MAX_MESSAGE_CHARS:
        raise InvalidInput(
            f"The system messages have {len(instructions):,} characters; "
            f"the limit is {MAX_MESSAGE_CHARS:,}."
        )
    return History(question=cleaned_message(said[-1][1]), turns=turns, instructions=instructions)


def _turn(place: int, asked: str, answer: str) -> Turn:
    words = _words(encodable(answer))
    return Turn(
        id=f"before-{place}",
        mode="chat",
        message=encodable(asked),
        written=words,
        answer=words,
        at=0.0,
    )


def _words(answer: str) -> str:
    """Return an answer as it was before its links, references and notes were added."""
    said = _REFERENCES.sub("", _NOTES.sub("", answer))
    return strip_links(said, linked_numbers(said)).strip()


def _text(message: ChatMessage, place: int) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    for part in message.content:
        if part.type != "text":
            raise InvalidInput(f"messages.{place} holds {part.type!r:.40}; only text is read.")
    return "".join(part.text for part in message.content)
