"""Two servers on one file: each shows and goes on with what the other answered."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from tests.assistant.chatting import Chatting, all_of, chatting
from tests.loopback.signals import Signal

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done
from citeseek.conversations import sqlite_file
from citeseek.conversations.conversation_record import Choices
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import Busy, NoConversation
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.news import News, Renewed


@asynccontextmanager
async def both(path: Path) -> AsyncIterator[tuple[Chatting, Chatting]]:
    """Give a conversation in two processes' assistants; the model and the engine are the same."""
    async with (
        chatting(store=SqliteStore(path)) as one,
        Assistant(one.load, store=SqliteStore(path)) as assistant,
    ):
        other = Chatting(assistant, one.engine, one.model, one.load)
        conversation = await one.assistant.open()
        await conversation.kept.keep()
        one.id = other.id = conversation.id
        await assistant.open(other.id)
        yield one, other


async def messages(chat: Chatting) -> list[str]:
    conversation = await chat.assistant.open(chat.id)
    return [turn.message for turn in conversation.session.record.turns]


async def test_each_shows_what_the_other_answered(tmp_path: Path) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        for number, chat in enumerate((one, other, other, one, other)):
            chat.model.says(f"Answer {number}.")
            await chat.say(f"question {number}")
            asked = [f"question {before}" for before in range(number + 1)]
            assert await messages(one) == await messages(other) == asked
        # The model knows all of them.
        assert "Answer 3." in str(other.model.requests[-1].body)


async def test_a_turn_begins_with_what_the_other_answered(tmp_path: Path) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        here, there = [await chat.assistant.open(chat.id) for chat in (one, other)]
        for number, conversation in enumerate((here, there, here)):
            one.model.says(f"Answer {number}.")
            async for _ in conversation.stream(f"question {number}"):
                pass
        assert "Answer 1." in str(one.model.requests[-1].body)


async def test_turns_that_are_made_at_one_time_are_both_kept(tmp_path: Path) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        go = Signal()
        one.model.says("Slow ", go, "answer.")
        one.model.says("Fast answer.")
        here = await one.assistant.open(one.id)
        slow = here.stream("slow")
        async for event in slow:
            if "Slow" in str(event):
                break
        await other.say("fast")
        go.set()
        assert all_of([event async for event in slow], Done)[-1].outcome == "answered"
        assert await messages(one) == await messages(other) == ["fast", "slow"]
        kept = await one.assistant.store.get(str(one.id))
        assert kept is not None
        assert [turn.answer for turn in kept.turns] == ["Fast answer.", "Slow answer."]


async def test_choices_title_and_a_reset_are_seen(tmp_path: Path) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        one.model.says("Answer.")
        await one.say("question")
        here = await one.assistant.open(one.id)
        await here.kept.rename("Tea")
        await here.choose(Choices(results=4))
        there = await other.assistant.open(other.id)
        assert (there.session.record.title, there.session.record.choices.results) == ("Tea", 4)
        await one.say("/reset")
        assert await messages(other) == []


async def test_what_the_other_deleted_is_gone(tmp_path: Path) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        await one.assistant.delete(str(one.id))
        with pytest.raises(NoConversation):
            await other.assistant.open(other.id)


async def test_watchers_are_told_of_what_the_other_answered_and_only_of_that(
    tmp_path: Path,
) -> None:
    async with both(tmp_path / "sessions.sqlite3") as (one, other):
        news: list[News] = []
        hub = Hub(one.assistant, watchers=[news.append])
        one.model.says("Mine.")
        await one.say("mine")
        await hub.open(str(one.id))
        assert news == []
        other.model.says("Theirs.")
        await other.say("theirs")
        await hub.open(str(one.id))
        await hub.open(str(one.id))
        (told,) = news
        assert isinstance(told, Renewed)
        assert [turn.message for turn in told.turns] == ["mine", "theirs"]


async def test_an_answer_that_could_not_be_kept_is_kept_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.1)
    path = tmp_path / "sessions.sqlite3"
    async with both(path) as (one, other):
        go = Signal()
        one.model.says("Slow ", go, "answer.")
        here = await one.assistant.open(one.id)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:

            async def answer() -> None:
                async for event in here.stream("slow"):
                    if "Slow" in str(event) and not db.in_transaction:
                        db.execute("BEGIN EXCLUSIVE")
                        go.set()

            with pytest.raises(Busy):
                await answer()
            db.execute("ROLLBACK")
        await one.assistant.open(one.id)
        kept = await other.assistant.store.get(str(one.id))
        assert kept is not None
        assert [(turn.answer, turn.outcome) for turn in kept.turns] == [
            ("Slow answer.", "answered")
        ]
