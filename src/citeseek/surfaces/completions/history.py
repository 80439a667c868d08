"""The messages of a request as a conversation: turns that were, and the question now."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

import msgspec

from citeseek.citations import linked_numbers, strip_links
from citeseek.conversations.conversation_record import (
    MAX_MESSAGE_CHARS,
    FunctionCall,
    FunctionResult,
    Turn,
    cleaned_message,
)
from citeseek.errors import InvalidInput
from citeseek.i18n import catalogue, languages
from citeseek.surfaces.completions.content import NOTE
from citeseek.surfaces.completions.openai_shapes import ChatMessage
from citeseek.surfaces.web.parameters import refuse
from citeseek.text import encodable

_TELL = frozenset({"system", "developer"})
_TOOLS = frozenset({"tool", "function"})
# What was added to the model's words when they were sent, as it comes back in a history.
_HEADINGS = "|".join(re.escape(catalogue(lang)("references.heading")) for lang in languages())
_REFERENCES = re.compile(rf"(?<!\n)\n+---\n\n## (?:{_HEADINGS})\n.*", re.DOTALL)
_NOTES = re.compile(rf"^> {NOTE}.*(?:\n>.*)*\n*", re.MULTILINE)


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What a request tells: a program's ``instructions``, earlier ``turns``, the ``question``.

    With ``results``, of functions that the last turn called, the answer to the question goes on.
    """

    question: str
    turns: list[Turn]
    instructions: str = ""
    results: tuple[FunctionResult, ...] = ()


def history_of(
    messages: Sequence[ChatMessage],
    *,
    has_tools: bool = False,
    before: Sequence[Turn] = (),
    param: str = "messages",
) -> History:
    """Return the history in ``messages``; raise InvalidInput for what cannot be answered.

    Messages of one side that follow each other are one. What an assistant said before the first
    question is left out, and so are empty messages. Calls and results of functions are left out as
    well unless the history ``has_tools``. The messages go on behind the turns ``before``, which are
    not given back. ``param`` is what the request calls them.
    """
    told = _Told(before, param)
    last = len(messages) - 1
    for place, message in enumerate(messages):
        text = _text(message, place, param)
        if message.role in _TELL:
            told.instruct(text)
        elif message.role == "user":
            if text.strip() or place == last:
                told.ask(text)
        elif message.role in _TOOLS:
            if has_tools and message.role == "tool":
                told.give(message.tool_call_id or "", text, place)
        else:
            calls = (message.tool_calls or ()) if has_tools else ()
            told.say(
                text,
                tuple(
                    FunctionCall(
                        id=call.id, name=call.function.name, arguments=call.function.arguments
                    )
                    for call in calls
                ),
            )
    return told.history()


class _Told:
    """The turns of a history, and the one that is being told."""

    def __init__(self, before: Sequence[Turn], param: str) -> None:
        self._param = param
        self._turns: list[Turn] = []
        self._instructions: list[str] = []
        # The last turn before, while nothing was told behind it.
        self._question = before[-1].message if before else ""
        self._open_calls = before[-1].calls if before else ()
        self._asked: list[str] = []
        self._results: list[FunctionResult] = []
        self._said: list[str] = []
        self._calls: tuple[FunctionCall, ...] = ()

    def instruct(self, text: str) -> None:
        if text.strip():
            self._instructions.append(text)

    def ask(self, text: str) -> None:
        if self._said or self._results or self._calls:
            self._close()
        self._open_calls = ()
        self._asked.append(text)

    def say(self, text: str, calls: tuple[FunctionCall, ...]) -> None:
        if not (self._asked or self._results):
            if calls:
                raise refuse(self._param, f"{self._param} call a function before any question.")
            return
        if text.strip():
            self._said.append(text)
        self._calls += calls

    def give(self, call_id: str, text: str, place: int) -> None:
        if self._calls:
            self._close()
        known = {call.id for call in self._open_calls}
        if self._said or call_id not in known - {result.call_id for result in self._results}:
            raise refuse(
                self._param,
                f"{self._param}.{place} answers {call_id!r:.60}, which no call before it is.",
                hint="Give each call one answer, right behind the message that made it.",
            )
        self._results.append(FunctionResult(call_id=call_id, text=encodable(text)))

    def history(self) -> History:
        is_asked = bool(self._asked or self._results)
        if not is_asked or self._said or self._calls:
            raise refuse(
                self._param,
                "The last message is not the user's, messages of tools aside.",
                hint=f"Put the question at the end of {self._param}.",
            )
        instructions = encodable("\n\n".join(self._instructions)).strip()
        if len(instructions) > MAX_MESSAGE_CHARS:
            raise InvalidInput(
                f"The system messages have {len(instructions):,} characters; "
                f"the limit is {MAX_MESSAGE_CHARS:,}."
            )
        question = self._question if self._results else "\n\n".join(self._asked)
        return History(
            question=cleaned_message(question),
            turns=self._turns,
            instructions=instructions,
            results=tuple(self._results),
        )

    def _close(self) -> None:
        """End the turn that was told."""
        if not self._results:
            self._question = encodable("\n\n".join(self._asked))
        words = _words(encodable("\n\n".join(self._said)))
        self._turns.append(
            Turn(
                id=secrets.token_hex(8),
                # Only Agent mode sees calls of functions again.
                mode="agent" if self._calls or self._results else "chat",
                message=self._question,
                written=words,
                answer=words,
                at=0.0,
                results=tuple(self._results),
                calls=self._calls,
            )
        )
        self._open_calls = self._calls
        self._asked, self._results, self._said, self._calls = [], [], [], ()


def _words(answer: str) -> str:
    """Return an answer as it was before its links, references and notes were added."""
    said = _REFERENCES.sub("", _NOTES.sub("", answer))
    return strip_links(said, linked_numbers(said)).strip()


def _text(message: ChatMessage, place: int, param: str) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    for part in message.content:
        if part.type != "text":
            raise refuse(param, f"{param}.{place} holds {part.type!r:.40}; only text is read.")
    return "".join(part.text for part in message.content)
