"""Answers that go on whoever listens, and the news of conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from tests.assistant.chatting import Chatting, all_of, chatting
from tests.loopback import faults
from tests.loopback.models import HANG
from tests.loopback.signals import Signal

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done, Event, SearchDone, SearchStarted, Started, Token
from citeseek.conversations.conversation_record import Choices
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import Busy, InvalidInput, NoConversation
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.live_answer import START, EntryId, LiveAnswer
from citeseek.live_answers.news import AnswerBegan, Changed, Deleted, News, Over, Told


class Desk:
    """A hub, and what its watcher was told."""

    def __init__(self, chat: Chatting, **limits: int) -> None:
        self.chat = chat
        self.news: list[News] = []
        self.hub = Hub(chat.assistant, watchers=[self.news.append], **limits)


@asynccontextmanager
async def desk(**limits: int) -> AsyncIterator[Desk]:
    async with chatting() as chat:
        at = Desk(chat, **limits)
        yield at
        await at.hub.close()


async def followed(answer: LiveAnswer, after: EntryId = START) -> list[Event]:
    return [event async for _, event in answer.follow(after)]


async def test_an_answer_goes_on_when_nobody_listens_any_more() -> None:
    async with desk() as at:
        go = Signal()
        at.chat.model.says("Tea ", go, "is a leaf [1].")
        session = await at.hub.create(search=True)
        answer = await at.hub.ask(session.id, "tea")
        async with aclosing(answer.follow()) as events:
            async for _, event in events:
                if isinstance(event, Token):
                    break
        go.set()
        events = await followed(answer)
        assert isinstance(events[0], Started)
        assert events[0].turn_id == answer.id == session.session.record.turns[0].id
        end = events[-1]
        assert isinstance(end, Done)
        assert (end.outcome, end.cited) == ("answered", (1,))
        assert at.hub.running(session.id) is None


async def test_a_late_reader_gets_exactly_what_came_after_its_place() -> None:
    async with desk() as at:
        at.chat.model.says("Tea is a leaf.", chunk=3)
        session = await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        whole = await followed(answer)
        for place in range(len(whole) + 1):
            assert await followed(answer, EntryId(place)) == whole[place:]


@pytest.mark.parametrize("moment", ["at once", "in the search", "in the answer"])
async def test_a_stopped_answer_ends_with_what_was_written(moment: str) -> None:
    async with desk() as at:
        at.chat.engine.on("/search", faults.hang())
        at.chat.model.says("Tea is", HANG, always=True)
        session = await at.hub.create(search=moment != "in the answer")
        answer = await at.hub.ask(session.id, "tea")
        wanted = {"in the search": SearchStarted, "in the answer": Token}.get(moment)
        async for _, event in answer.follow():
            if wanted is None or isinstance(event, wanted):
                answer.stop()
        end = answer.events[-1]
        assert isinstance(end, Done)
        assert end.outcome == "stopped"
        assert end.answer == ("Tea is" if moment == "in the answer" else "")
        assert answer.error is None
        kept = await at.chat.assistant.store.get(session.id)
        assert kept
        assert [turn.outcome for turn in kept.turns] == ["stopped"]
        stopped = [search.was_stopped for search in kept.turns[0].searches]
        if moment == "at once":
            # It may not have begun one yet.
            assert all(stopped)
        else:
            assert stopped == ([] if moment == "in the answer" else [True])


async def test_stopping_before_the_first_step_ends_it_all_the_same() -> None:
    async with desk() as at:
        session = await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        answer.stop()
        (end,) = await followed(answer)
        assert end == Done(text="", outcome="stopped", turn_id=answer.id)
        assert at.hub.running(session.id) is None


async def test_what_watchers_are_told() -> None:
    async with desk() as at:
        at.chat.model.says("Tea [1].")
        session = await at.hub.create()
        await at.hub.change(session.id, search=True)
        answer = await at.hub.ask(session.id, "tea")
        told = await followed(answer)
        await at.hub.delete(session.id)
        assert at.news == [
            Changed(session.id),
            AnswerBegan(session.id, answer),
            *(Told(session.id, answer, event) for event in told),
            Over(session.id, answer),
            Deleted(session.id),
        ]
        assert all_of(told, SearchDone)


async def test_one_answer_at_a_time_in_a_conversation_and_a_limit_for_all() -> None:
    async with desk(max_answers=1) as at:
        at.chat.model.says(HANG, always=True)
        first, second = await at.hub.create(), await at.hub.create()
        await at.hub.ask(first.id, "tea")
        with pytest.raises(Busy) as same:
            await at.hub.ask(first.id, "again")
        with pytest.raises(Busy) as other:
            await at.hub.ask(second.id, "tea")
        assert (same.value.detail_code, same.value.retry_after) == ("answering", 5.0)
        assert (other.value.detail_code, other.value.retry_after) == ("too_many_answers", 5.0)


async def test_a_closing_hub_keeps_what_was_written_and_takes_no_more() -> None:
    async with desk() as at:
        at.chat.model.says("Tea is", HANG)
        session = await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        async with aclosing(answer.follow()) as events:
            async for _, event in events:
                if isinstance(event, Token):
                    break
        await at.hub.close()
        assert session.session.record.turns[-1].written == "Tea is"
        with pytest.raises(Busy):
            await at.hub.ask(session.id, "more")


async def test_bad_calls_begin_nothing() -> None:
    async with desk(max_sessions=2) as at:
        session = await at.hub.create()
        with pytest.raises(InvalidInput):
            await at.hub.ask(session.id, "  ")
        with pytest.raises(NoConversation):
            await at.hub.ask("nobody", "tea")
        with pytest.raises(NoConversation):
            await at.hub.delete("nobody")
        with pytest.raises(InvalidInput):
            await at.hub.change(session.id, mode="agent", title=" ")
        assert session.state.mode == "chat"
        with pytest.raises(InvalidInput):
            await at.hub.create(choices=Choices(results=9))
        assert not at.news


async def test_as_many_conversations_as_there_may_be_are_those_that_are_listed() -> None:
    async with desk(max_sessions=1) as at:
        at.chat.model.says("A leaf.", always=True)
        session = await at.hub.create()
        # Whoever begins some and says nothing keeps nobody out.
        await at.hub.create()
        await followed(await at.hub.ask(session.id, "tea"))
        with pytest.raises(Busy) as caught:
            await at.hub.create()
        assert caught.value.detail_code == "too_many_sessions"
        assert [each.id for each in await at.hub.assistant.store.list(5)] == [session.id]


async def test_empty_conversations_make_room_the_oldest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("citeseek.live_answers.hub.MAX_EMPTY", 2)
    async with desk() as at:
        at.chat.model.says("A leaf.", HANG)
        asked = await at.hub.create()
        answer = await at.hub.ask(asked.id, "tea")
        await answer.wait_for_beginning()
        begun = [await at.hub.create() for _ in range(4)]
        store = at.hub.assistant.store
        assert await store.get(asked.id) is not None
        kept = [await store.get(each.id) is not None for each in begun]
        assert kept == [False, False, True, True]
        await answer.end()


@pytest.mark.requirement("S1-9")
async def test_the_switch_of_a_new_conversation_waits_behind_agent_mode() -> None:
    async with desk() as at:
        session = await at.hub.create(mode="agent", search=True)
        assert session.state.switch.disabled
        assert (await at.hub.change(session.id, mode="chat")).state.switch.value
        session = await at.hub.create(mode="agent")
        assert not (await at.hub.change(session.id, mode="chat")).state.switch.value


async def test_deleting_ends_what_is_under_way() -> None:
    async with desk() as at:
        at.chat.model.says("Tea", HANG)
        session = await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        await at.hub.delete(session.id)
        assert answer.is_over
        with pytest.raises(NoConversation):
            await at.hub.open(session.id)


async def test_an_answer_of_another_conversation_is_nobodys() -> None:
    async with desk() as at:
        at.chat.model.says("Tea.")
        session, other = await at.hub.create(), await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        await followed(answer)
        assert await at.hub.answer(session.id, answer.id) is answer
        assert await at.hub.answer(other.id, answer.id) is None


async def test_a_question_outlives_the_process_that_was_to_answer_it(tmp_path: Path) -> None:
    """What the store holds during an answer is what is left when the process is killed."""
    path = tmp_path / "sessions.sqlite3"
    other = SqliteStore(path)
    async with chatting(store=SqliteStore(path)) as chat:
        hub = Hub(chat.assistant)
        chat.model.says("Tea is", HANG)
        session = await hub.create()
        answer = await hub.ask(session.id, "What is tea?")
        async with aclosing(answer.follow()) as events:
            async for _, event in events:
                if isinstance(event, Token):
                    break
        (listed,) = await other.list(5)
        assert (listed.id, listed.title) == (session.id, "What is tea?")
        async with Assistant(chat.load, store=SqliteStore(path)) as after_the_kill:
            found = await after_the_kill.open(session.id)
            (turn,) = found.session.record.turns
            assert (turn.message, turn.outcome, turn.answer) == ("What is tea?", "stopped", "")
            assert [notice.code for notice in turn.notices] == ["interrupted"]
        # It was not killed after all: then its own turn counts, once.
        await answer.end()
        kept = await other.get(session.id)
        assert kept
        assert [turn.written for turn in kept.turns] == ["Tea is"]
        assert [each.turns for each in await other.list(5)] == [1]
        await hub.close()
    await other.close()


async def test_opening_a_conversation_during_its_answer_leaves_the_answer_alone() -> None:
    async with desk() as at:
        go = Signal()
        at.chat.model.says("Tea ", go, "is a leaf.")
        session = await at.hub.create()
        answer = await at.hub.ask(session.id, "tea")
        async with aclosing(answer.follow()) as events:
            async for _, event in events:
                if isinstance(event, Token):
                    break
        assert await at.hub.open(session.id) is session
        assert session.session.record.turns == []
        go.set()
        await followed(answer)
        assert [turn.outcome for turn in session.session.record.turns] == ["answered"]
