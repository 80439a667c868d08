"""Where the faces of a server meet: conversations, answers under way, and news of both."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from citeseek.assistant.answer_task import Answer
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Event
from citeseek.concurrency.admission import RETRY_SECONDS, Places
from citeseek.conversations.conversation_record import Choices, Turn, cleaned_message, title_of
from citeseek.conversations.search_switch import Mode
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.fetching.own_file import OwnFile
from citeseek.settings.assistant_settings import Gate
from citeseek.settings.server_settings import ServerSection
from citeseek.text import how_many

# Answers that ended are kept so long for readers that come late or again.
KEPT_ANSWERS = 128
MAX_SESSIONS = 10_000
# Those in which nothing was said yet are kept beside them.
MAX_EMPTY = 1_000


class Changed(msgspec.Struct, frozen=True):
    """Mode, switch, choices or title of a conversation changed."""

    session_id: str


class Renewed(msgspec.Struct, frozen=True):
    """Another process went on with a conversation: its turns are others now."""

    session_id: str
    turns: tuple[Turn, ...]


class AnswerBegan(msgspec.Struct, frozen=True):
    """An answer began."""

    session_id: str
    answer: Answer


class Told(msgspec.Struct, frozen=True):
    """An event of an answer happened."""

    session_id: str
    answer: Answer
    event: Event


class Over(msgspec.Struct, frozen=True):
    """An answer ended; see its last event, or its error."""

    session_id: str
    answer: Answer


class Deleted(msgspec.Struct, frozen=True):
    """A conversation was deleted."""

    session_id: str


News: TypeAlias = Changed | Renewed | AnswerBegan | Told | Over | Deleted
Watcher: TypeAlias = Callable[[News], None]


class Hub:
    """The conversations of one server process.

    Every face changes conversations and asks through it, and each of ``watchers`` is told. They are
    called in the event loop and must neither wait nor raise. At most ``max_answers`` are under way
    at the same time, one in each conversation, and ``max_sessions`` conversations are kept,
    None for any number. Who makes answers elsewhere takes them from the same ``places``.
    """

    def __init__(
        self,
        assistant: Assistant,
        *,
        max_answers: int = 16,
        max_sessions: int | None = MAX_SESSIONS,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        self.assistant = assistant
        self.watchers: list[Watcher] = list(watchers)
        self.places = Places(max_answers, "answer", ServerSection.max_answers.name)
        self._max_sessions = max_sessions
        self._answers: dict[str, Answer] = {}
        self._running: dict[str, Answer] = {}
        self._is_closing = False
        assistant.watchers.append(self._reopen)

    async def create(
        self,
        *,
        mode: Mode | None = None,
        search: bool | None = None,
        read: bool | None = None,
        gate: Gate | None = None,
        agent_id: str | None = None,
        choices: Choices | None = None,
    ) -> Conversation:
        """Return a new conversation, kept from now on.

        ``search`` and ``read`` are the switches of Chat mode, by default those of the settings, and
        so is ``gate``.
        Raise InvalidInput, or Busy when too many are kept in which something was said; the oldest
        of those that are still empty make room.
        """
        most = self._max_sessions
        if most is not None and await self.assistant.store.count() >= most:
            raise Busy(
                f"No more than {how_many(most, 'conversation')} are kept.",
                hint="Delete some that are no longer needed.",
                detail_code="too_many_sessions",
            )
        await self.assistant.store.drop_empty(MAX_EMPTY - 1)
        conversation = await self.assistant.open(mode=mode, agent_id=agent_id)
        record = conversation.session.record
        try:
            if choices is not None:
                await conversation.choose(choices)
            # For the way back from Agent mode as well.
            record.switch = conversation.usual_switch if search is None else search
            record.read, record.gate = read, gate
            await conversation.keep()
        except CiteseekError:
            self.assistant.end(conversation.id)
            raise
        return conversation

    async def open(self, session_id: str) -> Conversation:
        """Return a conversation; raise NoConversation when there is none."""
        return await self.assistant.open(session_id)

    async def change(
        self,
        session_id: str,
        *,
        mode: Mode | None = None,
        search: bool | None = None,
        read: bool | None = None,
        gate: Gate | None = None,
        title: str | None = None,
        choices: Choices | None = None,
    ) -> Conversation:
        """Change what is said and leave the rest.

        The next message obeys it. In Agent mode the switches stay as they are. Raise InvalidInput
        for what cannot be.
        """
        conversation = await self.open(session_id)
        if title is not None and not title_of(title):
            raise InvalidInput("A title needs at least one character.")
        if choices is not None:
            await conversation.choose(choices)
        if mode is not None:
            await conversation.set_mode(mode)
        if search is not None:
            await conversation.set_switch(on=search)
        if read is not None:
            await conversation.set_reading(on=read)
        if gate is not None:
            await conversation.set_gate(gate)
        if title is not None:
            await conversation.rename(title)
        self._tell(Changed(session_id))
        return conversation

    async def add_file(self, session_id: str, name: str, body: bytes) -> OwnFile:
        """Read a file for what is asked in a conversation from now on.

        Raise NoConversation, InvalidInput for one that is too large or too many, WebParseError for
        one that cannot be read.
        """
        file = await (await self.open(session_id)).add_file(body, name=name)
        self._tell(Changed(session_id))
        return file

    async def drop_file(self, session_id: str, file_id: str) -> None:
        """Take a file away; raise NoConversation, or InvalidInput when there is none."""
        await (await self.open(session_id)).drop_file(file_id)
        self._tell(Changed(session_id))

    async def ask(self, session_id: str, message: str) -> Answer:
        """Begin to answer ``message``, a question or a command.

        Raise NoConversation, InvalidInput, or Busy while the conversation has an answer under way
        or the process too many.
        """
        message = cleaned_message(message)
        conversation = await self.open(session_id)
        self._check_free(session_id)
        self.places.take()
        answer = Answer(
            secrets.token_hex(8), conversation, message, tell=self._publish, over=self._over
        )
        self._running[session_id] = self._answers[answer.id] = answer
        self._forget_old()
        self._tell(AnswerBegan(session_id, answer))
        return answer

    def answer(self, session_id: str, answer_id: str) -> Answer | None:
        """Return an answer that is under way or ended a while ago."""
        answer = self._answers.get(answer_id)
        return answer if answer and answer.session_id == session_id else None

    def running(self, session_id: str) -> Answer | None:
        """Return the answer that is under way in a conversation."""
        return self._running.get(session_id)

    async def delete(self, session_id: str) -> None:
        """Stop what is under way in a conversation and forget it for good."""
        await self.open(session_id)
        if answer := self.running(session_id):
            await answer.end()
        await self.assistant.delete(session_id)
        self._tell(Deleted(session_id))

    async def close(self) -> None:
        """Stop every answer, keeping what was written, and take no more."""
        self._is_closing = True
        for answer in list(self._running.values()):
            await answer.end()

    def _check_free(self, session_id: str) -> None:
        if self._is_closing:
            raise Busy(
                "The server is about to stop.",
                hint="Try again when it runs again.",
                detail_code="stopping",
                retry_after=RETRY_SECONDS,
            )
        if session_id in self._running:
            raise Busy(
                "This conversation has an answer under way.",
                hint="Wait for its end, or stop it.",
                detail_code="answering",
                retry_after=RETRY_SECONDS,
            )

    def _reopen(self, conversation: Conversation) -> None:
        turns = tuple(conversation.session.record.turns)
        self._tell(Renewed(conversation.id, turns))

    def _publish(self, answer: Answer, event: Event) -> None:
        self._tell(Told(answer.session_id, answer, event))

    def _over(self, answer: Answer) -> None:
        self._running.pop(answer.session_id, None)
        self.places.leave()
        self._tell(Over(answer.session_id, answer))

    def _tell(self, news: News) -> None:
        for watcher in self.watchers:
            watcher(news)

    def _forget_old(self) -> None:
        over = [answer.id for answer in self._answers.values() if answer.is_over]
        for id_ in over[:-KEPT_ANSWERS]:
            del self._answers[id_]
