"""Files of one's own: read once, cited by name and page, kept with their conversation."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.assistant.chatting import Chatting, all_of, chatting, done, found, result
from tests.conftest import settings
from tests.extraction import raw_documents as raw
from tests.extraction.raw_pdf import pdf
from tests.extraction.test_extraction import NOISE

from citeseek import Client
from citeseek.assistant.events import ReadDone
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.switches import Mode
from citeseek.errors import InvalidInput, WebParseError
from citeseek.fetching.own_file import OwnFile, clean_name
from citeseek.i18n import catalogue
from citeseek.locators import Locator

QUESTION = "When was the second basin of Alder opened?"
FACT = "The second basin of Alder was opened in 1921 and cost 98 million crowns."
PAPER = pdf("The harbour of Alder was built in 1874 by the town itself.", FACT)


@asynccontextmanager
async def with_paper(
    tmp_path: Path, *, mode: Mode = "chat", search: bool = False, **env: str
) -> AsyncIterator[Chatting]:
    """Give a conversation in which a paper was given to be read."""
    async with chatting(found(result(1)), **env) as chat:
        conversation = await chat.assistant.open(mode=mode)
        conversation.session.record.switch = search
        chat.id = conversation.id
        folder = tmp_path / "secret-folder"
        folder.mkdir()
        (folder / "harbour report.pdf").write_bytes(PAPER)
        await conversation.add_file(folder / "harbour report.pdf")
        yield chat


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.iterdir()]


async def test_an_answer_cites_a_file_by_its_name_and_page(tmp_path: Path) -> None:
    async with with_paper(tmp_path) as chat:
        chat.model.says("The second basin of Alder was opened in 1921 [1].")
        events = await chat.say(QUESTION)
        assert f"(p. 2) {FACT}" in chat.asked.prompt
        conversation = await chat.assistant.open(chat.id)
        checked = await conversation.check(done(events).turn_id)
    end = done(events)
    (source,) = end.sources
    assert (source.name, source.domain, source.pages) == (
        "harbour report.pdf",
        "harbour report.pdf",
        (Locator("page", 2),),
    )
    assert source.url.startswith("file:")
    assert source.was_read
    # No link leads to it, and nothing says where it stood.
    assert "](file:" not in end.text
    assert "harbour report.pdf, p. 2" in end.text
    assert "secret-folder" not in repr(events)
    assert [(check.verdict, check.page) for check in checked.checks] == [
        ("supported", Locator("page", 2))
    ]
    assert checked.unread == ()


async def test_files_stand_before_what_a_search_finds(tmp_path: Path) -> None:
    async with with_paper(tmp_path, search=True) as chat:
        chat.model.says("In 1921 [1], others say [2].")
        end = done(await chat.say(QUESTION))
        assert chat.asked.prompt.index(FACT) < chat.asked.prompt.index("Summary 1.")
    assert [source.number for source in end.sources] == [1, 2]
    assert end.cited == (1, 2)


@pytest.mark.parametrize("mode", ["chat", "agent"])
async def test_without_a_model_a_file_is_quoted(tmp_path: Path, mode: Mode) -> None:
    async with with_paper(tmp_path, mode=mode, CITESEEK_MODEL="extractive") as chat:
        events = await chat.say(QUESTION)
    end = done(events)
    assert FACT in end.answer
    assert "[1]" in end.answer
    assert "search results" not in end.answer
    assert end.sources[0].pages == (Locator("page", 2),)
    assert [event.source.number for event in all_of(events, ReadDone)] == [1]


async def test_an_agent_may_read_all_of_a_file(tmp_path: Path) -> None:
    async with with_paper(tmp_path, mode="agent") as chat:
        chat.model.calls("web_fetch", {"url": "[1]"})
        chat.model.says("In 1921 [1].")
        events = await chat.say(QUESTION)
        assert FACT in chat.asked.prompt
    assert len(all_of(events, ReadDone)) == 2
    assert done(events).cited == (1,)


async def test_files_are_kept_with_their_conversation_and_deleted_with_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "sessions.sqlite")
    async with chatting(store=store, CITESEEK_FILES="2") as chat:
        conversation = await chat.assistant.open()
        kept = await conversation.add_file(PAPER, name="a.pdf")
        assert await conversation.add_file(PAPER, name="a.pdf") == kept
        await conversation.add_file(raw.docx(), name="b.docx")
        with pytest.raises(InvalidInput, match="No more than 2 files"):
            await conversation.add_file(raw.RTF, name="c.rtf")
        stored = await store.get(conversation.id)
        assert stored is not None
        assert [file.name for file in stored.files] == ["a.pdf", "b.docx"]
        assert stored.files[0] == kept
        await conversation.kept.drop_file(kept.id)
        stored = await store.get(conversation.id)
        assert stored is not None
        assert [file.name for file in stored.files] == ["b.docx"]
        assert await store.delete(conversation.id)
    await store.close()
    assert not any(b"The port of Alder" in body for body in contents(tmp_path))


async def test_of_two_files_with_equal_bytes_the_one_that_is_meant_goes(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "sessions.sqlite")
    before = OwnFile(id="f0fdc19048ef5380", name="old.pdf", size=3, text=FACT)
    async with chatting(store=store) as chat:
        conversation = await chat.assistant.open()
        await conversation.kept.keep()
        await store.add_file(conversation.id, before)
        conversation.session.record.files = (before,)
        first, second = [await conversation.add_file(PAPER, name=f"{n}.pdf") for n in "ab"]
        assert first.id != second.id
        await conversation.kept.drop_file(second.id)
        stored = await store.get(conversation.id)
        assert stored is not None
        assert [file.name for file in stored.files] == ["old.pdf", "a.pdf"]
        await conversation.kept.drop_file(before.id)
        assert [file.name for file in conversation.session.record.files] == ["a.pdf"]
    await store.close()


async def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(b"word " * 5_000)
    (tmp_path / "picture.png").write_bytes(raw.png())
    (tmp_path / "noise.bin").write_bytes(NOISE)
    (tmp_path / "cut.docx").write_bytes(raw.docx()[:400])
    (tmp_path / "app.html").write_text(
        "<html><body><div id=root></div><script src=app.js></script>"
        "<noscript>You need to enable JavaScript to run this app.</noscript></body></html>"
    )
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    chosen = settings(env={"CITESEEK_FILE_MAX_BYTES": "10000"})
    async with Client(chosen) as client:
        for name, kind, said in (
            ("big.txt", InvalidInput, "more than 10,000 bytes"),
            ("none.pdf", InvalidInput, "no file '.*/none.pdf'"),
            ("folder", InvalidInput, "/folder' is a folder"),
            ("pipe", InvalidInput, "/pipe' is a device or a pipe"),
            ("picture.png", WebParseError, "picture.png: .*image/png"),
            ("noise.bin", WebParseError, "noise.bin: .*is no text and no document"),
            ("app.html", WebParseError, "app.html: The file has no text"),
            ("cut.docx", WebParseError, "cut.docx: The document is broken"),
        ):
            with pytest.raises(kind, match=said) as caught:
                await client.read_file(tmp_path / name)
            assert not re.search("address|browser|site", f"{caught.value}")
            if isinstance(caught.value, WebParseError):
                assert str(tmp_path) not in f"{caught.value} {caught.value.hint}"
                for language in ("en", "zh", "ja"):
                    told = catalogue(language).sentence(caught.value)
                    assert told.count(name) == 1
                    assert not re.search("address|网页|地址|ページ|アドレス", told)
        own = await client.read_file(b"year,ships\n2019,412\n", name="C:\\Users\\ada\\ships.csv")
    assert (own.name, own.content_type) == ("ships.csv", "text/csv")
    assert "412" in own.text


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("/home/ada/a b.pdf", "a b.pdf"),
        ("..\\..\\x.docx", "x.docx"),
        ("n" * 300 + ".pdf", "n" * 96 + ".pdf"),
        ("evil\u202efdp.exe", "evilfdp.exe"),
    ],
)
def test_the_name_of_a_file_is_its_own(given: str, name: str) -> None:
    assert clean_name(given) == name


def test_equal_contents_have_one_name_to_be_cited_by() -> None:
    own = OwnFile(id="00ff", name="a b.pdf", size=3, text="x")
    assert own.url == "file:00ff/a%20b.pdf"
    with pytest.raises(InvalidInput):
        clean_name("/")
