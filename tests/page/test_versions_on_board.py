"""What readers of a conversation see when a question is asked or answered again in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loopback import Signal
from tests.page.page_talk import Reader, Talk, talking

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Started
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import Busy, InvalidInput, NoConversation


async def say(talk: Talk, question: str, answer: str, instead_of: str = "") -> str:
    """Return the id of the turn in which ``question`` was answered so."""
    talk.model.says(answer)
    return (await talk.say(question, instead_of)).id


def texts(reader: Reader) -> list[str]:
    return ["".join(reader.answers[turn_id]) for turn_id in reader.turns]


async def test_an_answer_in_place_takes_away_what_followed_and_can_be_taken_back() -> None:
    async with talking(search=False) as talk:
        first = await say(talk, "tea?", "Green.")
        await say(talk, "why?", "Steam.")
        reader = Reader(talk, await talk.board())
        await reader.read_until(lambda reader: len(reader.turns) == 2)
        again = await say(talk, "tea?", "Black.", instead_of=first)
        assert [told["content"] for told in talk.model.requests[-1].messages[1:]] == ["tea?"]
        await reader.read_until(lambda reader: list(reader.turns) == [again])
        await reader.read_until(lambda reader: "Black." in texts(reader)[0])
        # What is said next goes on from there.
        await say(talk, "and?", "Red.")
        await reader.read_until(lambda reader: len(reader.turns) == 2)
        changed = await talk.hub.change(talk.id, version=first)
        assert [turn.answer for turn in changed.session.record.turns] == ["Green.", "Steam."]
        await reader.read_until(lambda reader: "Steam." in "".join(texts(reader)))
        assert "Green." in texts(reader)[0]
        assert len(reader.turns) == 2
        await reader.close()
        stored = await talk.hub.assistant.store.get(talk.id)
        assert stored
        assert [turn.answer for turn in stored.turns] == ["Green.", "Steam."]
        assert {turn.answer for turn in stored.others} == {"Black.", "Red."}
        await talk.hub.change(talk.id, version=again)
        assert [turn.answer for turn in (await talk.conversation_now()).turns] == ["Black.", "Red."]


async def test_the_first_event_names_the_versions() -> None:
    async with talking(search=False) as talk:
        first = await say(talk, "tea?", "Green.")
        talk.model.says("Black.")
        second = await talk.say("Which tea?", first)
        started = second.events[0]
        assert isinstance(started, Started)
        assert started.versions == (first, second.id)
        talk.model.says("Red.")
        third = await talk.say("Which?", second.id)
        assert isinstance(third.events[0], Started)
        assert third.events[0].versions == (first, second.id, third.id)


async def test_what_is_not_shown_cannot_be_replaced_and_nothing_changes() -> None:
    async with talking(search=False) as talk:
        first = await say(talk, "tea?", "Green.")
        await say(talk, "Which tea?", "Black.", first)
        for missing in (first, "nobody"):
            answer = await talk.say("once more?", missing)
            assert isinstance(answer.error, NoConversation)
        with pytest.raises(NoConversation):
            await talk.hub.change(talk.id, version="nobody")
        assert [turn.answer for turn in (await talk.conversation_now()).turns] == ["Black."]


async def test_no_other_version_is_shown_while_an_answer_is_made() -> None:

    more = Signal()
    async with talking(search=False) as talk:
        first = await say(talk, "tea?", "Green.")
        talk.model.says("Black", more, ".")
        answer = await talk.ask("tea?", first)
        await answer.wait_for_beginning()
        with pytest.raises(Busy):
            await talk.hub.change(talk.id, version=first)
        more.set()
        async for _ in answer.follow():
            pass
        await talk.hub.change(talk.id, version=first)


async def test_a_refused_question_leaves_what_was_shown() -> None:
    async with talking(search=False) as talk:
        first = await say(talk, "tea?", "Green.")
        with pytest.raises(InvalidInput):
            await talk.hub.ask(talk.id, "x" * 40_000, instead_of=first)
        assert [turn.answer for turn in (await talk.conversation_now()).turns] == ["Green."]


async def test_another_process_sees_the_version_that_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    async with (
        talking(search=False, store=SqliteStore(path)) as talk,
        Assistant(talk.at.load, store=SqliteStore(path)) as other,
    ):
        first = await say(talk, "tea?", "Green.")
        theirs = await other.open(talk.id)
        await say(talk, "tea?", "Black.", first)
        theirs = await other.open(talk.id)
        assert [turn.answer for turn in theirs.session.record.turns] == ["Black."]
        await talk.hub.change(talk.id, version=first)
        theirs = await other.open(talk.id)
        assert [turn.answer for turn in theirs.session.record.turns] == ["Green."]
