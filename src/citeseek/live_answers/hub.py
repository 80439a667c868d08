"""Where the faces of a server meet: conversations, answers under way, and news of both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.concurrency.admission import Places
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.conversations.conversation_record import Choices, cleaned_message, title_of
from citeseek.conversations.switches import Mode
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.fetching.own_file import OwnFile
from citeseek.live_answers.answers_under_way import AnswersUnderWay
from citeseek.live_answers.live_answer import LiveAnswer
from citeseek.live_answers.news import (
    Amended,
    AnswerBegan,
    Changed,
    Deleted,
    News,
    Over,
    Renewed,
    Watcher,
)
from citeseek.live_answers.shared_news import Happened, Heard, SharedNews
from citeseek.live_answers.valkey_streams import AnswerStreams
from citeseek.person import acting_as, current_person
from citeseek.settings.assistant_settings import Gate
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.text import how_many

MAX_SESSIONS = 10_000
# Those in which nothing was said yet are kept beside them.
MAX_EMPTY = 1_000


class Hub:
    """The conversations of one server process.

    Every face changes conversations and asks through it, and each of ``watchers`` is told. They are
    called in the event loop and must neither wait nor raise. At most ``max_answers`` are under way
    at the same time, one in each conversation, and ``max_sessions`` conversations are kept of each
    person, None for any number. Who makes answers elsewhere takes them from the same ``places``.

    The hubs of all processes at ``valkey`` are as one: an answer is followed and stopped through
    any of them, and each tells of conversations that are in use here what happens in the others,
    from :meth:`begin` on. ``is_shown`` says which are.
    """

    def __init__(
        self,
        assistant: Assistant,
        *,
        max_answers: int = 16,
        max_sessions: int | None = MAX_SESSIONS,
        watchers: Sequence[Watcher] = (),
        valkey: Valkey | None = None,
    ) -> None:
        self.assistant = assistant
        self.watchers: list[Watcher] = list(watchers)
        self.is_shown: Callable[[str], bool] = lambda _: False
        self.max_sessions = max_sessions
        self._news = SharedNews(valkey, self._hear) if valkey else None
        self._streams = AnswerStreams(valkey) if valkey else None
        self._answers = AnswersUnderWay(max_answers, streams=self._streams, tell=self._tell)
        assistant.recovers = valkey is None
        assistant.watchers.append(self._reopen)

    @property
    def places(self) -> Places:
        """The places for answers that are made here."""
        return self._answers.places

    def begin(self) -> None:
        """Begin to hear from other processes, if there may be any."""
        if self._news is not None:
            self._news.begin()

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
        most = self.max_sessions
        if most is not None and await self.assistant.store.count() >= most:
            raise Busy(
                f"No more than {how_many(most, 'conversation')} are kept.",
                hint="Delete some that are no longer needed.",
                detail_code="too_many_sessions",
                values={"case": "kept", "most": str(how_many(most, "conversation"))},
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
            await conversation.kept.keep()
        except CiteseekError:
            self.assistant.end(conversation.id)
            raise
        return conversation

    async def open(self, session_id: str) -> Conversation:
        """Return a conversation; raise NoConversation when there is none."""
        conversation = await self.assistant.open(session_id)
        await self._answers.look(conversation)
        return conversation

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
        version: str | None = None,
    ) -> Conversation:
        """Change what is said and leave the rest.

        The next message obeys it. In Agent mode the switches stay as they are. The turn ``version``
        is shown, with what followed it last. Raise InvalidInput for what cannot be, NoConversation
        for no such turn, or Busy for one that is to be shown while an answer is under way.
        """
        conversation = await self.open(session_id)
        if title is not None and not title_of(title):
            raise InvalidInput(
                "A title needs at least one character.", values={"case": "title_empty"}
            )
        if version is not None:
            await self._show_version(conversation, version)
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
            await conversation.kept.rename(title)
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
        await (await self.open(session_id)).kept.drop_file(file_id)
        self._tell(Changed(session_id))

    def tell_renewed(self, conversation: Conversation) -> None:
        """Tell that turns came or went that were not asked for here."""
        self._reopen(conversation)
        self._tell(Changed(conversation.id))

    async def suggest(self, session_id: str, turn_id: str) -> tuple[str, ...]:
        """Return questions that may be asked next behind an answer, which are kept with it.

        Raise NoConversation, or ModelFailed.
        """
        turn = await (await self.open(session_id)).follow_ups.suggest(turn_id)
        self._tell(Amended(session_id, turn))
        return turn.follow_ups

    async def check(self, session_id: str, turn_id: str) -> CheckedCitations:
        """Compare an answer with what it cites, and keep with it what that finds.

        Raise NoConversation when there is no such conversation or turn.
        """
        conversation = await self.open(session_id)
        found = await conversation.check(turn_id)
        if turn := conversation.session.record.find(turn_id):
            self._tell(Amended(session_id, turn))
        return found

    async def ask(self, session_id: str, message: str, *, instead_of: str = "") -> LiveAnswer:
        """Begin to answer ``message``, a question or a command.

        It comes in the place of the turn ``instead_of``, if there is one. Raise NoConversation,
        InvalidInput, or Busy while the conversation has an answer under way
        or the process too many, or when the server that processes share is gone.
        """
        message = cleaned_message(message)
        conversation = await self.open(session_id)
        return await self._answers.begin(conversation, message, instead_of)

    async def answer(self, session_id: str, answer_id: str) -> LiveAnswer | None:
        """Return an answer that is under way or ended a while ago.

        Raise NoConversation, and Busy when the server that processes share is gone.
        """
        known = self._answers.known(session_id, answer_id)
        if known is not None and known.conversation.person.name != current_person().name:
            return None
        if known is not None or self._news is None:
            return known
        return await self._answers.find(await self.open(session_id), answer_id)

    def running(self, session_id: str) -> LiveAnswer | None:
        """Return the answer that is under way in a conversation that was opened."""
        return self._answers.running(session_id)

    async def delete(self, session_id: str) -> None:
        """Stop what is under way in a conversation and forget it for good."""
        await self.open(session_id)
        if answer := self.running(session_id):
            await answer.end()
        await self.assistant.delete(session_id)
        self._tell(Deleted(session_id))

    async def forget_person(self, is_theirs: Callable[[str], bool]) -> None:
        """Stop the answers of the person of that name, and close their conversations here."""
        await self._answers.forget(is_theirs)
        for session_id in self.assistant.end_all(is_theirs):
            self._tell(Deleted(session_id))

    async def forget_streams(self, session_ids: Collection[str]) -> None:
        """Delete the events of answers that processes share."""
        if self._streams is not None:
            with suppress(Gone):
                await self._streams.forget(session_ids)

    async def drain(self) -> None:
        """Take no more questions, and return when no answer is made here any more."""
        self.places.close()
        await self.places.all_left()

    async def close(self) -> None:
        """Stop every answer that is made here, keeping what was written, and take no more."""
        await self._answers.close()
        if self._news is not None:
            await self._news.close()

    async def _show_version(self, conversation: Conversation, turn_id: str) -> None:
        self._answers.check_free(conversation.id)
        await conversation.show(turn_id)
        self._show(Renewed.of(conversation))

    def _reopen(self, conversation: Conversation) -> None:
        self._show(Renewed.of(conversation))

    def _tell(self, news: News) -> None:
        """Tell the watchers, and other processes what they do not find out themselves."""
        self._show(news)
        happened = _HAPPENED.get(type(news))
        if self._news is None or happened is None:
            return
        is_theirs = isinstance(news, AnswerBegan | Over) and not news.answer.is_made_here
        if not is_theirs:
            self._news.tell(happened, news.session_id)

    def _show(self, news: News) -> None:
        for watcher in self.watchers:
            watcher(news)

    async def _hear(self, heard: Heard) -> None:
        """Take it that something happened in another process."""
        session_id = heard.session_id
        if heard.happened == "deleted":
            self.assistant.end(session_id)
            self._show(Deleted(session_id))
            return
        self.assistant.read_again(session_id)
        self._show(Changed(session_id))
        person = self.assistant.person_of(session_id)
        if heard.happened == "began" and person and self.is_shown(session_id):
            with suppress(CiteseekError), acting_as(person):
                await self.open(session_id)


_HAPPENED: dict[type[News], Happened] = {
    Amended: "changed",
    AnswerBegan: "began",
    Changed: "changed",
    Deleted: "deleted",
    Over: "changed",
}
