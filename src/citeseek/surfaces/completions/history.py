"""The messages of a request as a conversation: turns that were, and the question now."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from citeseek.citations import linked_numbers, strip_links
from citeseek.citations.references import HEADING
from citeseek.conversations.conversation_record import MAX_MESSAGE_CHARS, Turn, cleaned_message
from citeseek.errors import InvalidInput
from citeseek.surfaces.completions.content import NOTE
from citeseek.surfaces.completions.openai_shapes import ChatMessage
from citeseek.text import encodable

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
