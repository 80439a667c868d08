"""A run that was cut off goes on where it was: what is known is not asked for again."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.research.library import Library

from citeseek.errors import InvalidInput, NetworkError
from citeseek.research import Inquiry, Research, RunFolder, RunResult
from citeseek.research.memoization import Remembered, RememberedWriter
from citeseek.tools.runtime import Runtime

INQUIRY = Inquiry.of("How long is the Alder Bridge?", max_sources=2)
A, B = "https://a.example/", "https://b.example/"
PAGES = {
    A: "The Alder Bridge is 412 metres long and stands on six piers.",
    B: "The Alder Bridge was built in four years by a firm from Elmford.",
}


class Planner:
    """A writer that plans one search."""

    name = "planner"

    async def plan(self, question: str, limit: int) -> list[str]:
        return ["How old is it?"]

    async def follow_up(self, *asked: object) -> list[str]:
        raise AssertionError(asked)

    async def write(
        self, question: str, sources: Sequence[object], evidence: Sequence[object]
    ) -> str:
        raise AssertionError(question)


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


async def test_results_are_those_of_whom_is_asked(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library(PAGES), folder)
    other = Library(PAGES)
    other.id = "another"
    await run(other, folder)
    # A page is the same whoever found it.
    assert {name for name, _ in other.calls} == {"web.search"}


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


@pytest.mark.parametrize(
    "damaged",
    [b"[]", b"null", b"7", b'{"of": 5, "answer": {}}', b'{"of": "x"}', b"\xff", b"{", b"[" * 9_999],
    ids=["list", "null", "number", "key", "no answer", "no text", "no json", "deep"],
)
@pytest.mark.parametrize("at", [1, 2])
async def test_a_damaged_line_costs_no_other(tmp_path: Path, damaged: bytes, at: int) -> None:
    folder = RunFolder(tmp_path)
    first = await run(Library(PAGES), folder)
    file = tmp_path / "journal.jsonl"
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([*lines[:at], damaged, *lines[at:]]))
    again = Library(PAGES)
    second = await run(again, folder)
    assert again.calls == []
    assert second.report == first.report
    assert file.read_bytes().split(b"\n") == lines


@pytest.mark.parametrize("wrong", [5, [], "text", {}, {"text": 5}, None], ids=json.dumps)
@pytest.mark.parametrize("tool", ["web.search", "web.fetch"])
async def test_a_kept_answer_of_a_wrong_kind_is_asked_for_again(
    tmp_path: Path, wrong: object, tool: str
) -> None:
    folder = RunFolder(tmp_path)
    first = await run(Library(PAGES), folder)
    file = tmp_path / "journal.jsonl"
    title, *answers = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    for answer in answers:
        if tool in answer["of"]:
            answer["answer"] = wrong
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [title, *answers]))
    again = Library(PAGES)
    second = await run(again, folder)
    assert {name for name, _ in again.calls} == {tool}
    assert second.report == first.report
    assert (await run(Library({}), folder)).report == first.report


async def test_a_page_with_other_ends_of_lines_is_kept(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    pages = {A: f"{PAGES[A]}\u2028{PAGES[B]}\x85It is old.\x0cIt is long."}
    first = await run(Library(pages), folder)
    again = Library({})
    assert (await run(again, folder)).report == first.report
    assert again.calls == []


@pytest.mark.parametrize("wrong", [5, "tea", ["tea", 5], {"tea": 1}])
async def test_a_kept_plan_of_a_wrong_kind_is_made_again(tmp_path: Path, wrong: object) -> None:
    journal = RunFolder(tmp_path).journal(INQUIRY)
    await journal.put("plan", wrong)
    assert await RememberedWriter(Planner(), journal).plan("", 3) == ["How old is it?"]
    assert RunFolder(tmp_path).journal(INQUIRY).get("plan") == ["How old is it?"]


async def test_the_day_of_the_oldest_answer_is_known(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.journal(INQUIRY).since is None
    await run(Library(PAGES), folder)
    assert folder.journal(INQUIRY).since == datetime.now(UTC).date().isoformat()
    file = tmp_path / "journal.jsonl"
    title, first, *rest = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    first["at"] = "2026-01-31T23:59:59+00:00"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [title, first, *rest]))
    assert folder.journal(INQUIRY).since == "2026-01-31"
    assert folder.journal(INQUIRY, fresh=True).since is None


async def test_an_answer_without_a_day_is_as_old_as_its_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.journal(INQUIRY)
    file = tmp_path / "journal.jsonl"
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"of": "plan", "answer": []}\n')
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert folder.journal(INQUIRY).since == "2023-11-14"


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
    folder.journal(INQUIRY, fresh=True)
    folder.save(await run(Library({A: NetworkError("No answer.")}), folder))
    assert not (tmp_path / "report.md").exists()
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["ok"] is False


@pytest.mark.parametrize("name", ["report.md", "run.json", "pages/99.txt", "pages/1.txt"])
@pytest.mark.parametrize("fresh", [False, True])
def test_files_of_others_are_not_replaced(tmp_path: Path, name: str, *, fresh: bool) -> None:
    foreign = tmp_path / name
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("precious", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not of a report of Citeseek"):
        RunFolder(tmp_path).journal(INQUIRY, fresh=fresh)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [foreign]
    assert foreign.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("name", ["report.md", "run.json", "pages", "journal.jsonl"])
async def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    folder = RunFolder(tmp_path / "out")
    folder.save(await run(Library(PAGES), folder))
    place, target = folder.path / name, tmp_path / name
    place.rename(target)
    place.symlink_to(target)
    with pytest.raises(InvalidInput, match=f"{name} is a link"):
        folder.journal(INQUIRY, fresh=True)


async def test_what_others_put_into_the_folder_of_a_run_stays(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.save(await run(Library(PAGES), folder))
    kept = [tmp_path / name for name in ("notes.md", "pages/99.txt", "pages/mine.txt")]
    for path in kept:
        path.write_text("precious", encoding="utf-8")
    folder.journal(INQUIRY, fresh=True)
    folder.save(await run(Library({A: PAGES[A]}), folder))
    assert all(path.read_text(encoding="utf-8") == "precious" for path in kept)
    assert (tmp_path / "pages" / "1.txt").exists()
    assert not (tmp_path / "pages" / "2.txt").exists()


async def test_fresh_takes_the_folder_of_another_report_and_no_other_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    await run(Library(PAGES), folder)
    assert folder.journal(Inquiry.of("Another question"), fresh=True).count == 0
    (tmp_path / "journal.jsonl").write_text("not ours\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not the journal of a report"):
        folder.journal(INQUIRY, fresh=True)
    assert (tmp_path / "journal.jsonl").read_text(encoding="utf-8") == "not ours\n"


def test_the_same_inquiry_has_the_same_folder(tmp_path: Path) -> None:
    one = RunFolder.in_home(tmp_path, INQUIRY).path
    assert one == RunFolder.in_home(tmp_path, INQUIRY).path
    assert one != RunFolder.in_home(tmp_path, Inquiry.of("Another question")).path


def test_a_finished_run_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = RunFolder.in_home(tmp_path, INQUIRY)
    folder.journal(INQUIRY)
    folder.forget()
    assert not folder.path.exists()
