"""What a check of citations found is kept with its answer, and shown to everybody who reads it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.loopback import Reply, Request, Signal, replies
from tests.page.page_talk import Reader, Talk, rendering, talking
from tests.verification.checking import ENV, SENTENCE, article, stock

from citeseek.assistant.assistant import Assistant
from citeseek.conversations.conversation_archive import read_archive, write_archive
from citeseek.conversations.conversation_record import Turn
from citeseek.conversations.shared_links import Shares
from citeseek.conversations.sqlite_store import MemoryStore, SqliteStore
from citeseek.conversations.store import Store
from citeseek.errors import NoConversation
from citeseek.live_answers.news import Renewed
from citeseek.surfaces.page.exported_page import exported_page
from citeseek.surfaces.page.live_conversation import Board
from citeseek.surfaces.rest.conversation_routes import exported

ANSWER = "The tea house opened in 1912 [1]. The tea house opened in 1921 [1]. The mill is old [3]."
VERDICTS = ["supported", "contradicted", "unfetched"]


@asynccontextmanager
async def asking(store: Store | None = None) -> AsyncIterator[Talk]:
    """Give a conversation whose engine finds a page, another one, and one that is not there."""
    async with talking(store=store or MemoryStore(), **ENV) as talk:
        stock(talk.at.engine)
        yield talk


async def ask(talk: Talk, answer: str = ANSWER, instead_of: str = "") -> str:
    """Return the id of the turn with ``answer``."""
    talk.model.says(answer)
    return (await talk.say("lake", instead_of)).id


def verdicts(turn: Turn) -> list[str]:
    return [check.verdict for check in turn.checked.checks] if turn.checked else []


async def test_it_is_kept_and_every_reader_sees_it() -> None:
    async with asking() as talk:
        asked = await ask(talk)
        board = await talk.board()
        reader = Reader(talk, board, lang="en")
        await reader.read_until(lambda reader: asked in reader.turns)
        assert "checks" not in reader.turns[asked]
        found = await talk.hub.check(talk.id, asked)
        assert [check.verdict for check in found.checks] == VERDICTS
        await reader.read_until(lambda reader: (asked, "checked") in reader.parts)
        told = LexborHTMLParser(reader.parts[asked, "checked"])
        rows = told.css("li[data-verdict]")
        assert [row.attributes["data-verdict"] for row in rows] == VERDICTS
        assert [row.attributes["data-number"] for row in rows] == ["1", "1", "3"]
        assert rows[0].css_first(".evidence").text() == SENTENCE
        assert "in the answer: 1921" in rows[1].text()
        # The page that was read is no longer only found; the third could not be read.
        listed = LexborHTMLParser(reader.parts[asked, "references"]).css(".source .standing")
        assert [each.attributes["data-read"] for each in listed] == ["true", "false", "false"]
        assert "contradicts 1 sentence" in reader.parts[asked, "references"]
        assert 'data-read="true"' in reader.parts[asked, "sources"]
        await reader.close()
        kept = await talk.kept()
        assert kept.checked
        assert kept.checked.checks == found.checks
        assert kept.checked.at >= kept.at
        # Who comes later gets the same, from the board as from the store.
        fresh = Board(talk.id, [kept], None)
        await fresh.prepare(rendering("en"))
        for each in (board, fresh):
            page = LexborHTMLParser(each.html(rendering("en")))
            rows = page.css('[data-part="checked"] li[data-verdict]')
            assert [row.attributes["data-verdict"] for row in rows] == VERDICTS


async def test_each_version_has_its_own_whichever_is_shown() -> None:
    async with asking() as talk:
        first = await ask(talk)
        second = await ask(talk, "The tea house opened in 1912 [1].", first)
        await talk.hub.check(talk.id, second)
        assert verdicts(await talk.kept()) == ["supported"]
        await talk.hub.check(talk.id, first)
        record = await talk.hub.assistant.store.get(talk.id)
        assert record
        assert [verdicts(each) for each in record.turns] == [["supported"]]
        assert [verdicts(each) for each in record.others] == [VERDICTS]
        assert record.others == (await talk.conversation_now()).others
        with pytest.raises(NoConversation):
            await talk.hub.check(talk.id, "nothing")


async def test_a_conversation_that_is_begun_anew_meanwhile_stays_empty() -> None:
    came, more = Signal(), Signal()

    def held(_: Request) -> Reply:
        came.set()
        return replies.held(replies.html(article(SENTENCE)), more)

    async with asking() as talk:
        asked = await ask(talk)
        talk.at.engine.on("/tea", held)
        checking = asyncio.create_task(talk.hub.check(talk.id, asked))
        await came
        await talk.say("/reset")
        more.set()
        assert (await checking).checks
        record = await talk.hub.assistant.store.get(talk.id)
        assert record
        assert (record.turns, record.others) == ([], [])


async def test_another_process_shows_it_as_well(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    async with (
        asking(SqliteStore(path)) as talk,
        Assistant(talk.at.load, store=SqliteStore(path)) as other,
    ):
        first = await ask(talk)
        await ask(talk, "The mill is old [3].")
        record = (await other.open(talk.id)).session.record
        board = Board(talk.id, record.turns, None)
        other.watchers.append(lambda theirs: board.hear(Renewed.of(theirs)))
        await talk.hub.check(talk.id, first)
        # As the news from the other process has it done: the last turn is as it was.
        other.read_again(talk.id)
        await other.open(talk.id)
        await board.prepare(rendering("en"))
        page = LexborHTMLParser(board.html(rendering("en")))
        rows = page.css('[data-part="checked"] li[data-verdict]')
        assert [row.attributes["data-verdict"] for row in rows] == VERDICTS


async def test_it_goes_with_its_answer_into_exports_and_behind_links(tmp_path: Path) -> None:
    here, there = SqliteStore(tmp_path / "sessions.sqlite3"), MemoryStore()
    async with asking(here) as talk:
        asked = await ask(talk)
        await talk.hub.check(talk.id, asked)
        said = await talk.kept()
        content = b"".join([line async for line in write_archive(here)])
        await read_archive(there, content)
        assert await there.get(talk.id) == await here.get(talk.id)
        link = await Shares(here).share_answer(talk.id, asked)
        shared = await Shares(here).open(link.id)
        assert shared
        assert shared.turn == said
        markdown = exported("Lake", [said])
        assert re.search(r"^## Check of the citations \(\d{4}-\d\d-\d\d", markdown, re.MULTILINE)
        assert (
            "- \\[1\\] Contradicted (another date than the page's; in the answer: 1921)" in markdown
        )
        page = LexborHTMLParser(exported_page("", [said], rendering("en")))
        rows = page.css(".checked[open] li[data-verdict]")
        assert [row.attributes["data-verdict"] for row in rows] == VERDICTS
        assert rows[0].css_first(".evidence").text() == SENTENCE
        await talk.hub.delete(talk.id)
        assert await Shares(here).open(link.id) is None
