"""Boards that come into being while something happens."""

from __future__ import annotations

from pathlib import Path

from tests.page.page_talk import Reader, talking

from citeseek.assistant.assistant import Assistant
from citeseek.conversations.sqlite_store import SqliteStore


async def test_a_command_is_shown_to_a_page_that_asks_only_after_it_was_carried_out() -> None:
    async with talking() as talk:
        talk.model.says("Tea.")
        await talk.say("tea?")
        await talk.say("/search off")
        reader = Reader(talk, await talk.board())
        await reader.read()
        question, command = reader.turns.values()
        assert "tea?" in question
        assert "联网搜索：关闭" in command
        await reader.close()


async def test_a_page_shows_what_another_process_answered(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    async with talking(store=SqliteStore(path)) as talk:
        talk.model.says("Tea.")
        await talk.say("tea?")
        board = await talk.board()
        reader = Reader(talk, board)
        await reader.read()
        async with Assistant(talk.at.load, store=SqliteStore(path)) as other:
            talk.model.says("Coffee.")
            async for _ in other.stream("coffee?", session_id=talk.id, search=False):
                pass
        assert await talk.board() is board
        await reader.read_until(lambda reader: len(reader.turns) == 2)
        mine, theirs = reader.turns.values()
        assert "tea?" in mine
        assert "coffee?" in theirs
        assert "Coffee." in theirs
        await reader.close()


async def test_the_list_shows_what_another_process_began(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    async with talking(store=SqliteStore(path)) as talk:
        talk.model.says("Tea.")
        await talk.say("tea?")
        boards = talk.boards
        assert [each.title for each in await boards.conversations()] == ["tea?"]
        async with Assistant(talk.at.load, store=SqliteStore(path)) as other:
            talk.model.says("Coffee.")
            began = await other.open()
            async for _ in other.stream("coffee?", session_id=began.id, search=False):
                pass
            assert [each.title for each in await boards.conversations()] == ["coffee?", "tea?"]
            await other.delete(began.id)
        assert [each.title for each in await boards.conversations()] == ["tea?"]
        # As long as nobody stores anything, it is read once.
        assert await boards.conversations() is await boards.conversations()
