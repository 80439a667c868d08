"""What a reader may want to ask next: a few questions, by the model, when an answer is there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from citeseek import observing
from citeseek.assistant.kept_session import KeptSession
from citeseek.assistant.responder import Responder
from citeseek.assistant.session import OpenSession
from citeseek.citations import strip_links
from citeseek.conversations.conversation_record import Turn
from citeseek.errors import NoConversation
from citeseek.i18n import catalogue, language_of
from citeseek.language_model.streaming.answer import complete
from citeseek.observing.receipt import EgressReceipt
from citeseek.text import is_visible, plain_line, shorten

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from citeseek.observing.receipt import Ledger

MOST = 3
_QUESTION_CHARS = 160
# A model that goes on for longer is not listened to any further.
_MOST_CHARS = 2_000
# Of a long answer its beginning is enough to ask on.
_ANSWER_CHARS = 6_000
_NUMBER = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、．]|[(（]\d{1,2}[)）])\s*")


class FollowUps:
    """Suggests questions behind the answers of ``session``, each answer's once.

    What the model took for them is added to the receipt of the answer, from one of the ``ledgers``.
    """

    def __init__(
        self,
        session: OpenSession,
        kept: KeptSession,
        responder: Responder,
        ledgers: Callable[[], Ledger],
    ) -> None:
        self._session = session
        self._kept = kept
        self._responder = responder
        self._ledgers = ledgers
        self._asking = asyncio.Lock()

    async def suggest(self, turn_id: str) -> Turn:
        """Return the turn with what may be asked next, which is kept with it.

        There is nothing for an answer that did not come to its end, and for the built-in model,
        which only quotes. What is asked meanwhile does not wait for it. Raise NoConversation when
        no such turn is shown, ModelFailed when the model fails.
        """
        async with self._asking:
            turn = self._find(turn_id)
            if turn.follow_ups or turn.outcome != "answered" or not turn.answer.strip():
                return turn
            async with self._responder.model() as model:
                if model.is_extractive:
                    return turn
                ledger = self._ledgers()
                with observing.watching(ledger):
                    said = await complete(model, _messages(turn), _MOST_CHARS)
            turn = self._find(turn_id)
            turn = structs.replace(
                turn,
                follow_ups=tuple(_questions(said, turn)),
                egress=(turn.egress or EgressReceipt()).add_models(ledger.receipt()),
            )
            await self._kept.amend(turn)
            return turn

    def _find(self, turn_id: str) -> Turn:
        for turn in self._session.record.turns:
            if turn.id == turn_id:
                return turn
        raise NoConversation(
            "There is no such turn among those that are shown.", values={"case": "no_such_turn"}
        )


def _messages(turn: Turn) -> list[BaseMessage]:
    from langchain_core.messages import HumanMessage, SystemMessage  # noqa: PLC0415 - with LangChain

    say = catalogue(language_of(turn.message))
    answer = shorten(strip_links(turn.answer, turn.spans), _ANSWER_CHARS)
    asked = f"{turn.message}\n\n---\n\n{answer}"
    return [SystemMessage(say("prompt.ask_next")), HumanMessage(asked)]


def _questions(said: str, turn: Turn) -> Iterator[str]:
    """Yield the first questions in what the model said; a command is none."""
    found: dict[str, None] = {}
    for line in said.splitlines():
        question = plain_line(_NUMBER.sub("", line)).strip('*"“” ')
        is_one = is_visible(question) and not question.startswith(("/", "／", "#", "```"))
        if is_one and len(question) <= _QUESTION_CHARS and question != turn.message:
            found[question] = None
    yield from list(found)[:MOST]
