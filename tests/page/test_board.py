"""Readers of a conversation: all see the same, each only what is new to it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.loopback import Signal
from tests.loopback.models import HANG
from tests.page.page_talk import Reader, Talk, rendering, talking

from citeseek.conversations.conversation_record import SessionSummary
from citeseek.errors import CiteseekError, NoConversation
from citeseek.live_answers.news import Over
from citeseek.surfaces.page import live_conversations
from citeseek.surfaces.page.live_conversation import Board
from citeseek.surfaces.page.live_turn import LiveTurn


def is_over(reader: Reader) -> bool:
    """Whether the reader was told that nothing is under way any more."""
    return bool(reader.turns) and reader.state.get("running") is None


def page(board: Board, lang: str = "zh") -> str:
    """Return the turns as a page that is loaded now shows them."""
    return board.html(rendering(lang))


@asynccontextmanager
async def reading(talk: Talk, mark: str = "", lang: str = "zh") -> AsyncIterator[Reader]:
    reader = Reader(talk, await talk.board(), mark, lang)
    yield reader
    await reader.close()


async def test_what_a_reader_was_sent_is_what_a_new_page_shows() -> None:
    async with talking() as talk, reading(talk) as reader:
        await reader.read()
        talk.model.says("Tea [1].\n\nMore [2].\n\n", "- one\n- two [3]\n", chunk=2)
        answer = await talk.ask("tea")
        await reader.read_until(is_over)
        assert list(reader.turns) == [answer.id]
        assert "\n".join(reader.turns.values()) == page(await talk.board())
        assert reader.state["title"] == "tea"
        row = rf'data-session="{talk.id}" data-at="[0-9.]+" data-current'
        await reader.read_until(lambda read: re.search(row, read.history))


async def test_several_readers_and_languages_see_the_same_at_the_same_time() -> None:
    async with (
        talking() as talk,
        reading(talk) as one,
        reading(talk) as two,
        reading(talk, lang="en") as english,
    ):
        go = Signal()
        talk.model.says("Tea [1] ", go, "is a plant.", chunk=3)
        answer = await talk.ask("tea")
        wait = [each.read_until(lambda r: r.answers.get(answer.id)) for each in (one, two, english)]
        await asyncio.gather(*wait)
        go.set()
        await asyncio.gather(*(each.read_until(is_over) for each in (one, two, english)))
        assert one.turns == two.turns
        assert english.turns == {answer.id: page(await talk.board(), "en")}
        assert "参考文献" in one.turns[answer.id]
        assert "References" in english.turns[answer.id]
        assert (one.state["switch"]["state"], english.state["switch"]["state"]) == ("开启", "On")
        assert english.state["switch"]["hint"] == "Search the web with SearXNG before answering"


async def test_the_blocks_of_an_answer_are_sent_from_the_first_new_one_on() -> None:
    async with talking() as talk, reading(talk) as reader:
        second, third = Signal(), Signal()
        talk.model.says("First.\n\n", second, "Second [1].\n\n", third, "Third.\n\n")
        answer = await talk.ask("tea")
        await reader.read_until(lambda r: "First." in str(r.answers.get(answer.id)))
        second.set()
        sent = []
        while "Second" not in str(reader.answers[answer.id]):
            sent += (await reader.read()).sent
        assert {each.data["from"] for each in sent if each.kind == "blocks"} == {1}
        mark = reader.mark
        third.set()
        await reader.read_until(is_over)
        # Who comes back later than the end gets the whole turn as it is now.
        async with reading(talk, mark) as late:
            await late.read()
            assert late.turns == reader.turns


async def test_a_remark_on_the_way_leaves_the_answer_and_the_next_words_replace_it() -> None:
    async with talking("agent") as talk, reading(talk) as reader:
        searched, found = Signal(), Signal()
        talk.model.calls("web_search", {"query": "tea"}, text="Let me look.\n\nReally.\n\n")
        talk.model.says(searched, "Tea ", found, "is [1].")
        answer = await talk.ask("tea")
        aside = (answer.id, "asides")
        await reader.read_until(lambda r: "Let me look." in r.parts.get(aside, ""))
        searched.set()
        await reader.read_until(lambda r: "Tea" in str(r.answers.get(answer.id)))
        # It has gone when the answer begins, so that nothing of it moves.
        assert "Let me look." not in reader.parts[aside]
        assert "Let me look." not in str(reader.answers[answer.id])
        found.set()
        await reader.read_until(is_over)
        assert "Let me look." not in reader.turns[answer.id]


@pytest.mark.release
async def test_a_slow_reader_gets_the_last_state_only() -> None:
    async with talking() as talk, reading(talk) as slow:
        await slow.read()
        talk.model.says("word " * 2_000 + "[1]", chunk=4)
        await talk.say("tea")
        batch = await slow.read()
        assert [sent.kind for sent in batch.sent].count("turn") == 1
        assert is_over(slow)
        assert "blocks" not in slow.kinds


async def test_a_fast_reader_gets_far_fewer_batches_than_a_model_sends_pieces() -> None:
    text, chunk = "word " * 2_000, 4
    async with talking() as talk, reading(talk) as reader:
        talk.model.says(text, chunk=chunk)
        await talk.ask("tea")
        batches = 0
        while not is_over(reader):
            await reader.read()
            batches += 1
        assert batches < len(text) / chunk / 10


async def test_a_board_made_in_the_middle_of_an_answer_catches_up() -> None:
    async with talking() as talk:
        talk.model.says("Before.")
        await talk.say("first")
        go = Signal()
        talk.model.says("Tea [1] ", go, "is.")
        answer = await talk.ask("tea")
        async for _, event in answer.follow():
            if getattr(event, "text", "").startswith("Tea"):
                break
        async with reading(talk) as reader:
            await reader.read()
            assert len(reader.turns) == 2
            assert 'data-outcome="running"' in reader.turns[answer.id]
            assert reader.state["running"] == answer.id
            go.set()
            await reader.read_until(is_over)
            assert 'data-outcome="answered"' in reader.turns[answer.id]


@pytest.mark.requirement("S1-3")
async def test_a_command_is_shown_and_moves_the_switch_and_is_not_kept() -> None:
    async with talking(search=False) as talk, reading(talk) as reader:
        await reader.read()
        assert reader.state["switch"]["value"] is False
        answer = await talk.say("/search on")
        await reader.read_until(lambda r: r.state["switch"]["value"])
        shown = reader.turns[answer.id]
        assert 'data-outcome="command"' in shown
        assert "/search on" in shown
        assert "联网搜索：开启（启用后将使用SearXNG搜索实时信息）" in shown
        await talk.hub.change(talk.id, search=False)
        await reader.read_until(lambda r: not r.state["switch"]["value"])
        assert not talk.conversation.session.record.turns


@pytest.mark.requirement("S1-5", "S1-9")
async def test_the_state_follows_the_mode_and_keeps_the_switch() -> None:
    async with talking(search=True) as talk, reading(talk) as reader:
        await reader.read()
        await talk.hub.change(talk.id, mode="agent")
        await reader.read_until(lambda r: r.state["mode"] == "agent")
        hint = "Agent 模式下由 AI 自动决策搜索"
        off = {
            "value": False,
            "saved": True,
            "disabled": True,
            "hint": hint,
            "state": "禁用",
        }
        assert reader.state["switch"] == off
        await talk.hub.change(talk.id, mode="chat")
        await reader.read_until(lambda r: r.state["mode"] == "chat")
        assert reader.state["switch"]["value"] is True


async def test_after_a_reset_every_reader_begins_anew() -> None:
    async with talking() as talk, reading(talk) as reader:
        talk.model.says("Tea.")
        await talk.say("tea")
        await reader.read_until(is_over)
        await talk.say("/reset now")  # not understood
        assert "tea" in page(await talk.board())
        answer = await talk.say("/reset")
        await reader.read_until(lambda r: r.kinds[-1:] == ["stale"])
        with pytest.raises(StopAsyncIteration):
            await reader.read()
        shown = page(await talk.board())
        assert shown.count("<article") == 1
        assert answer.id in shown


async def test_a_deleted_conversation_is_gone_for_all_its_readers() -> None:
    async with talking() as talk, reading(talk) as one, reading(talk) as two:
        talk.model.says("Tea ", HANG)
        await talk.ask("tea")
        await one.read()
        await talk.hub.delete(talk.id)
        for reader in (one, two):
            await reader.read_until(lambda r: r.kinds[-1:] == ["gone"])
            with pytest.raises(StopAsyncIteration):
                await reader.read()
        with pytest.raises(NoConversation):
            await talk.board()
        assert len(talk.boards) == 0


@pytest.mark.parametrize(
    "mark", ["00000000.1", "x", "1.1.1", ".", "{epoch}.", "{epoch}.-1", "{epoch}.99", "{epoch}.²"]
)
async def test_a_mark_that_says_nothing_is_stale(mark: str) -> None:
    async with talking() as talk:
        board = await talk.board()
        async with reading(talk, mark.format(epoch=board.epoch)) as reader:
            await reader.read()
            assert reader.kinds == ["stale"]
        assert board.readers == 0


async def test_who_has_seen_everything_waits_for_the_next_change() -> None:
    async with talking() as talk:
        board = await talk.board()
        async with reading(talk, board.mark) as reader:
            first = asyncio.ensure_future(reader.read())
            await talk.hub.change(talk.id, title="New name")
            batch = await first
            assert [sent.kind for sent in batch.sent] == ["state", "history"]
            assert reader.state["title"] == "New name"
            assert board.readers == 1
        assert board.readers == 0


async def test_who_waits_is_told_that_there_is_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citeseek.surfaces.page.changes.STILL_SECONDS", 0.01)
    async with talking() as talk:
        board = await talk.board()
        async with reading(talk, board.mark) as reader:
            for _ in range(3):
                batch = await reader.read()
                assert [sent.kind for sent in batch.sent] == ["still"]
                assert batch.mark == board.mark
            await talk.hub.change(talk.id, title="New name")
            await reader.read_until(lambda reader: "history" in reader.kinds)
            assert reader.state["title"] == "New name"


async def test_the_list_of_conversations_is_told_to_readers_of_others() -> None:
    async with talking() as talk, reading(talk) as reader:
        await reader.read()
        other = await talk.hub.create()
        talk.model.says("Milk.")
        answer = await talk.hub.ask(other.id, "What is <milk>?")
        async for _ in answer.follow():
            pass
        await reader.read_until(lambda r: "&lt;milk&gt;" in r.history)
        assert f'href="/c/{other.id}"' in reader.history
        assert not reader.turns


async def test_an_answer_that_breaks_off_says_so() -> None:
    async with talking() as talk:
        board = await talk.board()
        talk.model.says("Tea ", HANG)
        answer = await talk.ask("tea")
        async for _, event in answer.follow():
            if getattr(event, "text", "").startswith("Tea"):
                break
        answer.error = CiteseekError("It <broke> off.", hint="Ask again.")
        board.hear(Over(talk.id, answer))
        assert 'data-outcome="failed"' in page(board)
        assert "It &lt;broke&gt; off." in page(board)
        never = Board(talk.id, (), None)
        answer.events.clear()
        never.hear(Over(talk.id, answer))
        assert "Ask again." in page(never)


async def test_boards_that_nobody_reads_are_forgotten_and_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_conversations, "MAX_IDLE", 2)
    async with talking() as talk, reading(talk) as reader:
        talk.model.says("Tea.")
        await talk.say("tea")
        await reader.read_until(is_over)
        board = await talk.board()
        others = [(await talk.hub.create()).id for _ in range(4)]
        for other in others:
            await talk.boards.open(other)
        assert len(talk.boards) == 3
        assert await talk.board() is board
        await reader.close()
        for other in others:
            await talk.boards.open(other)
        again = await talk.board()
        assert again is not board
        assert again.seen(board.mark) is None
        await again.prepare(rendering())
        assert "Tea." in page(again)


async def test_what_is_said_while_an_answer_is_read_is_sent_without_other_news(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepare, said = LiveTurn.prepare, Signal()

    async def said_meanwhile(turn: LiveTurn, *how: Any) -> None:
        await prepare(turn, *how)
        if turn.view.answer == "Tea.\n\n":
            said.set()
            while "plant" not in turn.view.answer:
                await board.later_than(board.revision, board.epoch)

    monkeypatch.setattr(LiveTurn, "prepare", said_meanwhile)
    async with talking() as talk, reading(talk) as reader:
        board = await talk.board()
        talk.model.says("Tea.\n\n", said, "A plant.\n\n", HANG)
        answer = await talk.ask("tea")
        await reader.read_until(lambda r: "plant" in str(r.answers.get(answer.id)))
        assert reader.kinds.count("still") == 0
        answer.stop()


async def test_a_list_of_conversations_that_changes_while_it_is_read_is_not_taken_for_new() -> None:
    async with talking(search=False) as talk, reading(talk) as reader:
        await reader.read()
        board, other = await talk.board(), await talk.hub.create(mode="chat", search=False)
        listing = talk.boards.conversations

        async def listed_before_a_change() -> list[SessionSummary]:
            talk.boards.conversations = listing  # type: ignore[method-assign]
            listed = await listing()
            since = board.history_since
            answer = await talk.hub.ask(other.id, "coffee")
            async for _ in answer.follow():
                pass
            while board.history_since == since:
                await board.later_than(board.revision, board.epoch)
            return listed

        talk.boards.conversations = listed_before_a_change  # type: ignore[method-assign]
        talk.model.says("A seed.")
        board.relist()
        await reader.read()
        assert f'href="/c/{other.id}"' in reader.history
