"""A run: search, read, rank, write; what failed is said, and all that is said has its source."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import msgspec
import pytest
from markdown_it import MarkdownIt
from tests.research.library import Library

from citeseek.errors import ModelFailed, NetworkError, WebBlocked
from citeseek.i18n import catalogue
from citeseek.research import (
    Evidence,
    Inquiry,
    Progress,
    ReportSource,
    Research,
    RunError,
    RunResult,
)
from citeseek.tools.runtime import Runtime

QUESTION = "How long is the Alder Bridge and what did it cost?"
A, B, C, D = (f"https://{name}.example/bridge" for name in "abcd")
FACTS = (
    "The Alder Bridge was opened on 3 May 2019. The Alder Bridge is 412 metres long and cost 98 "
    "million euros.\nIt replaced a ferry that had run across the river for more than a century."
)
COPY = f"Reprinted with permission of the city.\n{FACTS}\nSubscribe to our newsletter for more."
OTHER = (
    "The Alder Bridge took four years to build, during which two workers were hurt.\n"
    "The architect of the Alder Bridge was Mara Lindqvist, who lived on the south bank."
)
BLOCKED = WebBlocked("The site asks for a CAPTCHA.", detail_code="captcha_required")


async def report_on(library: Library, question: str = QUESTION, **limits: int) -> RunResult:
    """Return the run over ``library``."""
    return await Research(Runtime(library)).run(Inquiry.of(question, **limits))


@pytest.mark.requirement("S3-47")
async def test_pages_are_read_by_web_fetch_alone() -> None:
    library = Library({A: FACTS, B: OTHER})
    result = await report_on(library)
    assert library.asked("web.search") == [QUESTION]
    assert sorted(library.asked("web.fetch")) == [A, B]
    names = [step.name for step in result.steps]
    assert names[0] == "tool.web.search"
    assert names[1:3] == ["tool.web.fetch"] * 2
    assert names[3:] == ["extract", "dedupe_rank", "write_report"]
    assert all(step.ok and step.duration_ms >= 0 for step in result.steps)


async def test_every_quote_is_on_its_page_and_in_the_report() -> None:
    texts = {A: FACTS, B: OTHER}
    result = await report_on(Library(texts))
    report = result.report
    assert report is not None
    assert result.ok
    for quote in report.evidence:
        assert texts[quote.source_url][quote.start :].startswith(quote.quote)
        assert report.sources[quote.source_index - 1].url == quote.source_url
        assert quote.quote in report.text
    assert "412 metres" in report.evidence[0].quote
    assert f"[[1]]({A})" in report.text
    assert "\n## Sources\n" in report.text
    assert "\n## Evidence\n" in report.text


async def test_a_chinese_question_gets_a_chinese_report() -> None:
    text = "青榆大桥于2019年5月3日通车。青榆大桥全长412米，总造价9800万欧元。"
    result = await report_on(Library({A: text}), "青榆大桥有多长？")
    assert result.report is not None
    assert "## 来源" in result.report.text
    assert "## 证据" in result.report.text
    assert "未配置语言模型" in result.report.text
    assert "全长412米" in result.report.text


async def test_copies_are_one_source_and_another_page_is_read_instead() -> None:
    library = Library({A: FACTS, B: COPY, C: OTHER, D: "A page about ferries and their crews."})
    result = await report_on(library, max_sources=2)
    assert result.report is not None
    assert [source.url for source in result.report.sources] == [A, C]
    assert result.report.sources[0].copies == (B,)
    assert B in result.report.text
    assert D not in library.asked("web.fetch")


async def test_some_fetches_failed_is_a_note() -> None:
    result = await report_on(Library({A: BLOCKED, B: FACTS}))
    assert result.ok
    assert result.report is not None
    assert any(A in note and "CAPTCHA" in note for note in result.report.notes)
    (failed,) = [fetch for fetch in result.fetches if not fetch.ok]
    assert failed.error_code == "WebBlocked"
    assert failed.detail_code == "captcha_required"
    (step,) = [step for step in result.steps if not step.ok]
    assert step.name == "tool.web.fetch"
    assert step.meta["detail_code"] == "captcha_required"


async def test_all_fetches_failed_is_not_ok() -> None:
    result = await report_on(Library({A: BLOCKED, B: NetworkError("No answer.")}))
    assert not result.ok
    assert result.report is None
    assert result.error is not None
    assert result.error.step == "tool.web.fetch"
    assert result.error.code == "WebBlocked"
    as_json = result.as_json()
    assert as_json["ok"] is False
    assert as_json["result"] is None
    assert [fetch["ok"] for fetch in as_json["artifacts"]["fetch_summaries"]] == [False, False]


def captcha() -> WebBlocked:
    """Return a failure that is told in every language."""
    return WebBlocked(
        "The site asks for a CAPTCHA.",
        detail_code="captcha_required",
        values={"case": "page"},
    )


async def test_a_report_without_pages_is_told_in_each_language() -> None:
    """The failure of the first page is within the sentence, with its own hint behind it."""
    error = (await report_on(Library({A: captcha(), B: NetworkError("No answer.")}))).error
    assert error is not None
    kept = msgspec.json.decode(msgspec.json.encode(error), type=RunError)
    assert catalogue("en").explain(kept)[0] == (
        f"None of 2 pages could be read; the first: {A}: The site asks for a CAPTCHA."
    )
    message, hint = catalogue("zh").explain(kept)
    assert message == f"2 个网页都没有读到，第一个是 {A}：网站要求验证码或其他证明，需要人工处理。"
    assert hint == catalogue("zh")("error.WebBlocked.captcha_required.page.hint")
    assert kept.translate(catalogue("zh")).message == message


async def test_a_report_without_a_search_names_the_engine_in_each_language() -> None:
    failed = NetworkError(
        "No connection.", engine="searxng", values={"case": "direct", "host": "a.example"}
    )
    error = (await report_on(Library({}, found={QUESTION: failed}))).error
    assert error is not None
    assert catalogue("en").sentence(error) == "searxng: No connection."
    told = catalogue("zh").sentence(error)
    assert told == "searxng: 网络连接失败：无法连接 a.example，或连接中断。"


def test_an_error_that_an_earlier_version_kept_is_told_as_it_was_kept() -> None:
    kept = b'{"code":"Timeout","message":"ddg: Too late.","retryable":true,"step":"s","hint":""}'
    error = msgspec.json.decode(kept, type=RunError)
    assert catalogue("zh").sentence(error) == "ddg: Too late."


async def test_notes_of_what_was_missed_are_in_the_language_of_the_question() -> None:
    asked = "阿尔德桥有多长？"
    library = Library({A: captcha(), B: "阿尔德桥全长 412 米，于 2019 年 5 月 3 日正式通车。"})
    report = (await report_on(library, asked)).report
    assert report is not None
    assert f"没有读到 {A}：网站要求验证码或其他证明，需要人工处理。" in report.notes


async def test_a_failed_search_is_not_ok() -> None:
    failed = NetworkError("No answer.", engine="searxng")
    result = await report_on(Library({}, found={QUESTION: failed}))
    assert not result.ok
    assert result.error is not None
    assert (result.error.code, result.error.retryable) == ("NetworkError", True)
    summary = result.as_json()["artifacts"]["search_summary"]
    assert summary["ok"] is False
    assert summary["error_code"] == "NetworkError"
    assert summary["backend"] == "searxng"


async def test_nothing_found_is_no_failure() -> None:
    result = await report_on(Library({}))
    assert result.as_json()["artifacts"]["search_summary"]["backend"] == Library.id
    assert result.ok
    assert result.report is not None
    assert "Nothing was found." in result.report.text
    assert result.report.evidence == ()


async def test_sources_that_differ_are_told() -> None:
    changed = FACTS.replace("412", "421").replace("It replaced", "By the way, it replaced")
    result = await report_on(Library({A: FACTS, B: changed}))
    assert result.report is not None
    ((one, other),) = result.report.disagreements
    assert "412 metres" in one.text
    assert "421 metres" in other.text
    assert (one.sources, other.sources) == ((1,), (2,))
    section = result.report.text.partition("## Where sources differ")[2]
    assert f"[[1]]({A})" in section.partition("##")[0]


async def test_each_part_of_a_question_is_answered() -> None:
    question = "How long is the Alder Bridge? Who was its architect?"
    result = await report_on(Library({A: FACTS, B: OTHER}), question)
    assert result.report is not None
    said = [quote.quote for quote in result.report.evidence]
    assert any("412 metres" in quote for quote in said)
    assert any("Mara Lindqvist" in quote for quote in said)


async def test_the_run_result_has_the_shape_of_the_contract() -> None:
    result = (await report_on(Library({A: FACTS}))).as_json()
    assert list(result) == [
        "version",
        "ok",
        "trace_id",
        "task_type",
        "result",
        "artifacts",
        "steps",
        "trace_lines",
        "error",
    ]
    assert result["task_type"] == "research_report"
    assert result["artifacts"].keys() == {
        "report",
        "sources",
        "evidence",
        "disagreements",
        "citation_checks",
        "search_summary",
        "fetch_summaries",
    }
    assert result["artifacts"]["report"]["format"] == "markdown"
    assert len(result["trace_lines"]) == len(result["steps"])


async def test_depth_searches_for_more_like_the_best_pages() -> None:
    library = Library(
        {A: FACTS, B: OTHER},
        found={QUESTION: [A], "Bridges of Alderton": [A, B]},
        titles={A: "Bridges of Alderton"},
    )
    result = await report_on(library, depth=2, max_sources=4)
    assert library.asked("web.search") == [QUESTION, "Bridges of Alderton"]
    assert library.asked("web.fetch") == [A, B]
    assert result.report is not None
    assert [source.url for source in result.report.sources] == [A, B]


async def test_after_the_time_limit_the_report_is_written_from_what_is_there() -> None:
    library = Library({A: FACTS, B: OTHER})
    was_read = asyncio.Event()

    async def slow(asked: str) -> None:
        if asked == A:
            was_read.set()
        elif asked == B:
            await was_read.wait()
            await asyncio.Event().wait()

    library.before = slow
    result = await Research(Runtime(library)).run(Inquiry.of(QUESTION, seconds=1))
    assert result.report is not None
    assert [source.url for source in result.report.sources] == [A]
    assert any("time limit (1 s)" in note for note in result.report.notes)


async def test_progress_is_told() -> None:
    told: list[Progress] = []
    await Research(Runtime(Library({A: FACTS})), watch=told.append).run(Inquiry.of(QUESTION))
    stages = list(dict.fromkeys(progress.stage for progress in told))
    assert stages == ["search", "read", "rank", "write"]
    assert told[-1].done == told[-1].total


class Desk:
    """A writer that says what it is told to."""

    name = "desk"
    judge = None

    def __init__(self, plan: list[str] | ModelFailed, summary: str | ModelFailed) -> None:
        self._plan = plan
        self._summary = summary

    async def plan(self, question: str, limit: int) -> list[str]:
        if isinstance(self._plan, ModelFailed):
            raise self._plan
        return self._plan[:limit]

    async def follow_up(
        self, question: str, evidence: Sequence[Evidence], asked: Sequence[str], limit: int
    ) -> list[str]:
        return []

    async def write(
        self, question: str, sources: Sequence[ReportSource], evidence: Sequence[Evidence]
    ) -> str:
        if isinstance(self._summary, ModelFailed):
            raise self._summary
        return self._summary


async def test_a_model_plans_and_writes() -> None:
    library = Library({A: FACTS, B: OTHER}, found={QUESTION: [A], "Alder Bridge architect": [B]})
    desk = Desk(
        ["Alder Bridge architect"],
        "It is 412 metres long [1]. The architect was Mara Lindqvist [2]. It is beautiful.",
    )
    result = await Research(Runtime(library), writer=desk).run(Inquiry.of(QUESTION))
    assert result.report is not None
    text = result.report.text
    assert f"It is 412 metres long [[1]]({A})." in text
    assert f"The architect was Mara Lindqvist [[2]]({B})." in text
    assert "beautiful" not in text
    assert "named no source and are left out: 1." in text
    assert "\n## Summary\n" in text
    assert [step.name for step in result.steps if "." not in step.name] == [
        "plan",
        "extract",
        "dedupe_rank",
        "summarize",
        "check_citations",
        "write_report",
    ]
    assert [check.verdict for check in result.report.checks] == ["unclear", "supported"]


async def test_a_note_s_address_can_be_followed() -> None:
    odd = "https://a.example/st?s=404&x_y=1"
    result = await report_on(Library({odd: BLOCKED, B: FACTS}))
    assert result.report is not None
    assert f"<{odd}> was not read" in result.report.text


async def test_a_plan_may_not_use_up_the_time() -> None:
    class Slow(Desk):
        async def plan(self, question: str, limit: int) -> list[str]:
            await asyncio.Event().wait()
            return []

    desk = Slow([], "It is 412 metres long [1].")
    research = Research(Runtime(Library({A: FACTS})), writer=desk)
    result = await research.run(Inquiry.of(QUESTION, seconds=1))
    assert result.report is not None
    assert "did not come in time" in result.report.text
    assert f"412 metres long [[1]]({A})" in result.report.text


async def test_what_a_source_does_not_say_is_told() -> None:
    desk = Desk(
        [],
        "The Alder Bridge is 421 metres long [1]. The Alder Bridge was opened on 3 May 2019 [1].",
    )
    result = await Research(Runtime(Library({A: FACTS})), writer=desk).run(Inquiry.of(QUESTION))
    assert result.report is not None
    assert [check.verdict for check in result.report.checks] == ["contradicted", "supported"]
    assert "421 metres long [[1]]" in result.report.text
    (note,) = [note for note in result.report.notes if "contradicts this" in note]
    assert "421 metres" in note


async def test_without_the_model_s_help_the_report_quotes() -> None:
    broken = ModelFailed("The model is away.", detail_code="unreachable")
    library = Library({A: FACTS})
    result = await Research(Runtime(library), writer=Desk(broken, broken)).run(Inquiry.of(QUESTION))
    assert result.ok
    assert result.report is not None
    assert "## Findings" in result.report.text
    assert "the language model desk wrote no summary" in result.report.text
    assert sum("The model is away." in note for note in result.report.notes) == 2


@pytest.mark.parametrize("title", ["](javascript:alert(1))", "<script>", "a\nb", "`x`", ""])
async def test_what_pages_say_cannot_break_the_report(title: str) -> None:
    result = await report_on(Library({A: FACTS}, titles={A: title}))
    assert result.report is not None
    html = MarkdownIt().render(result.report.text)
    assert "<script>" not in html
    links = re.findall(r'href="([^"]*)"', html)
    assert links
    assert all(link.startswith(A) for link in links)
