"""Boards that come into being while something happens."""

from __future__ import annotations

from tests.page.page_talk import Reader, talking


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
