"""A run that was cut off goes on where it was: what is known is not asked for again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from citeseek.tools.runtime import Runtime
from tests.research.library import Library

from citeseek.errors import InvalidInput, NetworkError
from citeseek.research import Inquiry, Research, RunFolder, RunResult
from citeseek.research.journal import Remembered

INQUIRY = Inquiry.of("How long is the Alder Bridge?", max_sources=2)
A, B = "https://a.example/", "https://b.example/"
PAGES = {
    A: "The Alder Bridge is 412 metres long and stands on six piers.",
    B: "The Alder Bridge was built in four years by a firm from Elmford.",
}


async def run(library: Library, folder: RunFolder, inquiry: Inquiry = INQUIRY) -> RunResult:
    """Return a run over ``library`` with the journal of ``folder``."""
    runtime = Runtime(Remembered(library, folder.journal(inquiry)))
    return await Research(runtime).run(inquiry)


async def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    first = Library(PAGES)
    was_read = asyncio.Event()

    async def hang(asked: str) -> None:
        if asked == B:
            was_read.set()
            await asyncio.Event().wait()

    first.before = hang
    running = asyncio.create_task(run(first, folder))
    await was_read.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    second = Library(PAGES)
    result = await run(second, folder)
    assert second.calls == [("web.fetch", {"url": B})]
    whole = await run(Library(PAGES), RunFolder(tmp_path / "other"))
    assert result.report == whole.report


async def test_a_finished_run_is_told_again_without_asking(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    first = await run(Library(PAGES), folder)
    again = Library({})
    second = await run(again, folder)
    assert again.calls == []
    assert second.report == first.report


async def test_failures_are_tried_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library({A: PAGES[A], B: NetworkError("No answer.")}), folder)
    again = Library(PAGES)
    result = await run(again, folder)
    assert again.asked("web.fetch") == [B]
    assert result.report is not None
    assert len(result.report.sources) == 2


async def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library(PAGES), folder)
    file = tmp_path / "journal.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    again = Library(PAGES)
    await run(again, folder)
    assert len(again.calls) == 1
    assert all(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


async def test_fresh_begins_anew(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library(PAGES), folder)
    assert folder.journal(INQUIRY, fresh=True).count == 0


async def test_a_folder_belongs_to_one_inquiry(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library(PAGES), folder)
    with pytest.raises(InvalidInput, match="belongs to another report: 'How long is the Alder"):
        folder.journal(Inquiry.of("Another question"))


@pytest.mark.parametrize("content", ["not json\n", "[]\n", '{"a": 1}\n', "x", "\n"])
def test_another_file_is_no_journal(tmp_path: Path, content: str) -> None:
    (tmp_path / "journal.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput):
        RunFolder(tmp_path).journal(INQUIRY)


@pytest.mark.parametrize("content", ["", '{"journal": 1, "inq'])
def test_a_journal_that_was_cut_off_in_its_title_begins_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "journal.jsonl").write_text(content, encoding="utf-8")
    assert RunFolder(tmp_path).journal(INQUIRY).count == 0


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be used"):
        RunFolder(tmp_path / "file" / "below").journal(INQUIRY)


async def test_the_folder_holds_all_that_the_report_rests_on(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    result = await run(Library(PAGES), folder)
    folder.save(result)
    kept = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == kept["artifacts"]["report"][
        "text"
    ]
    for quote in kept["artifacts"]["evidence"]:
        page = tmp_path / "pages" / f"{quote['source_index']}.txt"
        with page.open(encoding="utf-8", newline="") as file:
            text = file.read()
        assert text[quote["start"] :].startswith(quote["quote"])


async def test_a_run_that_failed_leaves_no_older_report(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.save(await run(Library(PAGES), folder))
    (tmp_path / "journal.jsonl").unlink()
    folder.save(await run(Library({A: NetworkError("No answer.")}), folder))
    assert not (tmp_path / "report.md").exists()
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["ok"] is False


def test_the_same_inquiry_has_the_same_folder(tmp_path: Path) -> None:
    one = RunFolder.in_home(tmp_path, INQUIRY).path
    assert one == RunFolder.in_home(tmp_path, INQUIRY).path
    assert one != RunFolder.in_home(tmp_path, Inquiry.of("Another question")).path


def test_a_finished_run_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = RunFolder.in_home(tmp_path, INQUIRY)
    folder.journal(INQUIRY)
    folder.forget()
    assert not folder.path.exists()
