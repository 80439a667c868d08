"""The answers that a server process makes, and those of other processes that it follows."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress

from citeseek.assistant import notices
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Done, Event, Notice
from citeseek.concurrency.admission import RETRY_SECONDS, Places
from citeseek.conversations.conversation_record import Turn
from citeseek.errors import Busy
from citeseek.live_answers.answer_task import AnswerTask
from citeseek.live_answers.followed_answer import FollowedAnswer
from citeseek.live_answers.live_answer import START, AnswerRequest, LiveAnswer
from citeseek.live_answers.news import AnswerBegan, News, Over, Renewed, Told
from citeseek.live_answers.published_answer import PublishedAnswer, streams_gone
from citeseek.live_answers.valkey_streams import AnswerStreams
from citeseek.settings.server_settings import ServerSection
from citeseek.shared_state.valkey import Gone

# Answers that ended are kept so long for readers that come late or again.
KEPT_ANSWERS = 128


class AnswersUnderWay:
    """At most ``most`` answers are made here at a time, one in each conversation.

    With ``streams`` those of all processes at a Valkey can be followed and stopped; each
    conversation has one answer under way in all of them. ``tell`` is told what happens. Who makes
    answers elsewhere takes them from the same ``places``.
    """

    def __init__(
        self, most: int, *, streams: AnswerStreams | None, tell: Callable[[News], None]
    ) -> None:
        self.places = Places(most, "answer", ServerSection.max_answers.name)
        self._streams = streams
        self._tell = tell
        self._known: dict[str, LiveAnswer] = {}
        self._running: dict[str, LiveAnswer] = {}

    def running(self, session_id: str) -> LiveAnswer | None:
        """Return the answer that is under way in a conversation, as far as it was looked for."""
        return self._running.get(session_id)

    async def begin(
        self, conversation: Conversation, message: str, instead_of: str = ""
    ) -> LiveAnswer:
        """Begin to answer ``message`` in the place of ``instead_of``, if any; raise Busy."""
        self.check_free(conversation.id)
        self.places.take()
        id_ = secrets.token_hex(8)
        try:
            answer = await self._make(id_, conversation, message, instead_of)
        except BaseException:
            self.places.leave()
            raise
        self._take(answer)
        return answer

    def known(self, session_id: str, answer_id: str) -> LiveAnswer | None:
        """Return an answer that was made or followed here, and ended at most a while ago."""
        answer = self._known.get(answer_id)
        return answer if answer and answer.session_id == session_id else None

    async def find(self, conversation: Conversation, answer_id: str) -> LiveAnswer | None:
        """Return an answer of any process, under way or ended a while ago; raise Busy."""
        known = self.known(conversation.id, answer_id)
        if known is not None or self._streams is None:
            return known
        try:
            if (await self._streams.newest(conversation.id, answer_id)).id == START:
                return None
        except Gone:
            raise streams_gone() from None
        followed = self._known[answer_id] = self._follow(conversation, answer_id)
        self._forget_old()
        return followed

    async def look(self, conversation: Conversation) -> None:
        """Follow an answer that another process makes, and end one whose maker died."""
        if self._streams is None or conversation.id in self._running:
            return
        with suppress(Gone):
            running = await self._streams.running(conversation.id)
            if conversation.id in self._running:
                return
            if running:
                self._take(self._follow(conversation, running))
                return
            asked = conversation.session.record.asked
            if asked is not None and await self._settle(conversation, asked.id):
                self._tell(Renewed.of(conversation))

    async def forget(self, is_theirs: Callable[[str], bool]) -> None:
        """Stop those of the person of that name, and keep none of their events."""
        theirs = [
            answer
            for answer in {
                **self._known,
                **{each.id: each for each in self._running.values()},
            }.values()
            if is_theirs(answer.conversation.person.name)
        ]
        under_way = [answer for answer in theirs if not answer.is_over]
        # Where the others are not heard of, they find out for themselves.
        for ended in await asyncio.gather(
            *(answer.end() for answer in under_way), return_exceptions=True
        ):
            if isinstance(ended, BaseException) and not isinstance(ended, Busy):
                raise ended
        for answer in theirs:
            self._known.pop(answer.id, None)

    async def close(self) -> None:
        """Stop those that are made here, keeping what was written, and take no more."""
        self.places.close()
        await asyncio.gather(*(answer.leave() for answer in self._known.values()))

    async def _make(
        self, id_: str, conversation: Conversation, message: str, instead_of: str
    ) -> LiveAnswer:
        request = self._request(id_, conversation, message, instead_of)
        if self._streams is None:
            return AnswerTask(request)
        try:
            other = await self._streams.begin(conversation.id, id_)
        except Gone:
            raise streams_gone() from None
        if other:
            raise _answering()
        return PublishedAnswer(request, self._streams)

    def _follow(self, conversation: Conversation, answer_id: str) -> FollowedAnswer:
        assert self._streams is not None  # noqa: S101 - there are no others without
        request = self._request(answer_id, conversation)
        return FollowedAnswer(request, self._streams, settle=self._settle)

    def _request(
        self, id_: str, conversation: Conversation, message: str = "", instead_of: str = ""
    ) -> AnswerRequest:
        return AnswerRequest(
            id=id_,
            conversation=conversation,
            message=message,
            instead_of=instead_of,
            tell=self._hear,
            over=self._end,
        )

    async def _settle(self, conversation: Conversation, answer_id: str) -> bool:
        """Give an answer an end that nobody makes any more; return whether it has or gets one."""
        streams, id_ = self._streams, conversation.id
        assert streams is not None  # noqa: S101 - nobody dies without
        if await streams.begin(id_, answer_id):
            # Somebody else is at it.
            return True
        try:
            events, after = list[Event](), START
            while entries := await streams.read(id_, answer_id, after):
                after = entries[-1].id
                events += [entry.event for entry in entries if entry.event is not None]
                if entries[-1].is_last:
                    return True
            turn = await conversation.kept.end_interrupted(answer_id, events, at=conversation.now())
            if turn is not None:
                await streams.append(
                    id_, answer_id, [(None, end) for end in _ending(turn)], after=after, end=True
                )
            return turn is not None
        finally:
            await streams.leave(id_)

    def _take(self, answer: LiveAnswer) -> None:
        self._running[answer.session_id] = self._known[answer.id] = answer
        self._forget_old()
        self._tell(AnswerBegan(answer.session_id, answer))

    def _hear(self, answer: LiveAnswer, event: Event) -> None:
        # Not what is only read once more.
        if self._running.get(answer.session_id) is answer:
            self._tell(Told(answer.session_id, answer, event))

    def _end(self, answer: LiveAnswer) -> None:
        if answer.is_made_here:
            self.places.leave()
        if self._running.get(answer.session_id) is answer:
            del self._running[answer.session_id]
            self._tell(Over(answer.session_id, answer))

    def check_free(self, session_id: str) -> None:
        """Raise Busy while an answer is under way in a conversation, and when all are to end."""
        self.places.check_open()
        if session_id in self._running:
            raise _answering()

    def _forget_old(self) -> None:
        over = [answer.id for answer in self._known.values() if answer.is_over]
        for id_ in over[:-KEPT_ANSWERS]:
            del self._known[id_]


def _answering() -> Busy:
    return Busy(
        "This conversation has an answer under way.",
        hint="Wait for its end, or stop it.",
        detail_code="answering",
        retry_after=RETRY_SECONDS,
        values={"case": "under_way"},
    )


def _ending(turn: Turn) -> list[Event]:
    """Return how an answer ends whose maker died."""
    interrupted = [Notice(code=notices.INTERRUPTED.code)]
    return [*(interrupted if notices.INTERRUPTED in turn.notices else ()), Done.of(turn)]
