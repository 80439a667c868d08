"""Reports from a real SearXNG over a web of our own: each is checked against what is true there."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.loopback import replies
from tests.research.reading import client_over, squeezed
from tests.research.site import Question, ResearchSite, SitePage
from tests.searxng.instance import FAILING, GOOD, Searxng
from tests.searxng.programs import PATIENCE, running

from citeseek.research import Inquiry, Journal, Report, RunResult, research

# All reports are written when the first test asks for them.
pytestmark = [pytest.mark.searxng, pytest.mark.timeout(180)]

MAX_SOURCES = 5
AT_ONCE = 4
CITESEEK = [
    sys.executable,
    "-c",
    "from citeseek.__main__ import run; run()",
]
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
MARK = r"\[\[(\d+)\]\]\(\S+?\)"
# A finding, a quote, or one of the versions in which sources differ, and the marks behind it.
STATEMENT = re.compile(rf"(?:^- |↔ )(.+?) ((?:{MARK})+)", re.MULTILINE)


class Statement(NamedTuple):
    """A sentence of a report as a reader sees it, and the numbers of the sources behind it."""

    text: str
    sources: tuple[int, ...]


class Run(NamedTuple):
    """A question to the site, and how the report on it went."""

    question: Question
    result: RunResult

    @property
    def report(self) -> Report:
        assert self.result.report is not None
        return self.result.report

    @property
    def statements(self) -> list[Statement]:
        """All that the report says with a source."""
        return [
            Statement(
                re.sub(r"\\(?=\W)", "", match[1]).strip("“”"),
                tuple(map(int, re.findall(MARK, match[2]))),
            )
            for match in STATEMENT.finditer(self.report.text)
        ]


async def asked(
    site: ResearchSite, searxng: Searxng, question: str, journal: Journal | None = None, **how: Any
) -> RunResult:
    """Return the run for ``question`` with the SearXNG's engine alone."""
    inquiry = Inquiry.of(question, **{"max_sources": MAX_SOURCES, **how})
    async with client_over(site, searxng.base_url, timeout_ms=10_000) as client:
        return await research(inquiry, client, engines=["searxng"], journal=journal)


@pytest.fixture(scope="module")
def runs(research_site: ResearchSite, searxng_over_site: Searxng) -> list[Run]:
    """Return a report for one question of each subject, the first, second and third in turn."""
    questions = [
        list(of_topic)[n % 3]
        for n, (_, of_topic) in enumerate(
            itertools.groupby(research_site.truth.questions, key=lambda each: each.topic)
        )
    ]

    async def all_of_them() -> list[Run]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(question: Question) -> Run:
            async with turn:
                return Run(question, await asked(research_site, searxng_over_site, question.text))

        return await asyncio.gather(*map(one, questions))

    return asyncio.run(all_of_them())


@contextmanager
def index_of(site: ResearchSite, searxng: Searxng, *pages: SitePage) -> Iterator[None]:
    """Let the SearXNG find ``pages`` and nothing else, whatever it is asked."""
    answer = replies.as_json({"results": {"items": site.results(pages, "")}})
    searxng.index.on(GOOD, answer)
    try:
        yield
    finally:
        searxng.index.on(GOOD, site.search)


def test_every_question_has_a_report_of_different_sources(runs: list[Run]) -> None:
    assert len(runs) >= 25
    for run in runs:
        assert run.result.ok
        sources = run.report.sources
        assert 1 <= len(sources) <= MAX_SOURCES
        assert [source.number for source in sources] == list(range(1, len(sources) + 1))
        assert len({source.url for source in sources}) == len(sources)
        assert run.report.evidence
        assert {quote.source_index for quote in run.report.evidence} <= {
            source.number for source in sources
        }


def test_every_quote_is_on_its_page_letter_by_letter(
    runs: list[Run], research_site: ResearchSite
) -> None:
    for run in runs:
        for quote in run.report.evidence:
            text = run.report.pages[quote.source_index - 1]
            assert text[quote.start :].startswith(quote.quote)
            # What the site wrote there, which the product has never seen in this form.
            page = research_site.at(quote.source_url)
            assert quote.source_url == run.report.sources[quote.source_index - 1].url
            assert squeezed(quote.quote) in squeezed(page.text), page.path


def test_every_statement_and_every_number_in_it_is_in_its_source(
    runs: list[Run], research_site: ResearchSite
) -> None:
    for run in runs:
        assert len(run.statements) > len(run.report.evidence)
        for statement in run.statements:
            assert statement.sources
            for number in statement.sources:
                text = research_site.at(run.report.sources[number - 1].url).text
                assert set(NUMBER.findall(statement.text)) <= set(NUMBER.findall(text))
                assert squeezed(statement.text) in squeezed(text)


def test_no_two_sources_hold_one_text_and_copies_are_named(
    runs: list[Run], research_site: ResearchSite
) -> None:
    copies_of = research_site.truth.copies_of
    named = 0
    for run in runs:
        groups = [copies_of(research_site.at(source.url).path) for source in run.report.sources]
        assert len(set(groups)) == len(groups)
        for source, group in zip(run.report.sources, groups, strict=True):
            assert {research_site.at(url).path for url in source.copies} <= group
            assert all(url in run.report.text for url in source.copies)
            named += len(source.copies)
    assert named >= len(runs)


def test_a_page_that_moved_is_one_source_at_its_new_address(
    runs: list[Run], research_site: ResearchSite
) -> None:
    moved = {research_site.url(page): page for page in research_site.of("moved")}
    fetched = [each for run in runs for each in run.result.fetches if each.url in moved]
    assert fetched
    for fetch in fetched:
        assert fetch.ok
        assert fetch.final_url == research_site.server.url(moved[fetch.url].leads_to)
    listed = {source.url for run in runs for source in run.report.sources}
    assert not listed & moved.keys()


def test_broken_pages_are_named_with_their_reason_and_never_cited(
    runs: list[Run], research_site: ResearchSite
) -> None:
    failures, met = research_site.truth.failures, set()
    for run in runs:
        for fetch in run.result.fetches:
            wanted = failures.get(research_site.at(fetch.url).path, "")
            assert (fetch.detail_code or fetch.error_code) == wanted, fetch
            assert fetch.ok == (not wanted)
            if wanted:
                met.add(wanted)
                assert any(fetch.url in note for note in run.report.notes)
                assert fetch.url in run.report.text
        cited = {research_site.at(source.url).path for source in run.report.sources}
        assert not cited & failures.keys()
    assert len(met) >= 8, met


def test_pages_of_every_kind_become_sources(runs: list[Run], research_site: ResearchSite) -> None:
    kinds = {
        research_site.at(url).kind
        for run in runs
        for source in run.report.sources
        for url in (source.url, *source.copies)
    }
    assert kinds >= {
        *("article", "mirror", "print", "syndicated", "retelling", "rumour"),
        *("pdf", "json", "text", "windows-1252", "gbk", "big5", "slow"),
    }


def test_sources_that_contradict_each_other_are_told(
    runs: list[Run], research_site: ResearchSite
) -> None:
    told = 0
    for run in runs:
        fact = run.question.fact
        quoted = {research_site.at(quote.source_url).kind for quote in run.report.evidence}
        kinds = {research_site.at(source.url).kind for source in run.report.sources}
        if NUMBER.search(fact.value) and "rumour" in quoted and "article" in kinds:
            said = [[version.text for version in versions] for versions in run.report.disagreements]
            assert any(
                any(fact.value in text for text in texts)
                and any(fact.wrong in text for text in texts)
                for texts in said
            ), run.question.text
            told += 1
    assert told >= 3


def test_the_right_answer_is_quoted(runs: list[Run]) -> None:
    silent = [
        run.question.text
        for run in runs
        if not any(
            squeezed(run.question.fact.value) in squeezed(quote.quote)
            for quote in run.report.evidence
        )
    ]
    assert not silent


def test_nothing_that_is_said_is_a_mere_question(runs: list[Run]) -> None:
    said = [statement.text for run in runs for statement in run.statements]
    assert not [text for text in said if text.rstrip("\"'”,").endswith(("?", "？"))]


def test_steps_tell_what_was_done(runs: list[Run]) -> None:
    for run in runs:
        names = [step.name for step in run.result.steps]
        assert names[0] == "tool.web.search"
        assert names.count("tool.web.search") == len(run.result.searches) == 1
        assert names.count("tool.web.fetch") == len(run.result.fetches)
        assert names[-3:] == ["extract", "dedupe_rank", "write_report"]
        assert all(step.duration_ms >= 0 for step in run.result.steps)
        failed = [step for step in run.result.steps if not step.ok]
        assert all(step.error_code for step in failed)


def test_the_run_is_json_with_all_that_the_report_shows(runs: list[Run]) -> None:
    for run in runs:
        whole = json.loads(json.dumps(run.result.as_json()))
        artifacts = whole["artifacts"]
        assert artifacts["report"]["text"] == run.report.text
        assert len(artifacts["sources"]) == len(run.report.sources)
        assert len(artifacts["evidence"]) == len(run.report.evidence)
        assert whole["trace_id"] == run.result.trace_id


def test_the_same_site_gives_the_same_report(
    runs: list[Run], research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    run = next(run for run in runs if all(fetch.ok for fetch in run.result.fetches))
    again = asyncio.run(asked(research_site, searxng_over_site, run.question.text))
    assert again.report == run.report


async def test_no_more_sources_than_asked_for(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    question = research_site.truth.questions[0].text
    for limit in (1, 2):
        result = await asked(research_site, searxng_over_site, question, max_sources=limit)
        assert result.report is not None
        assert len(result.report.sources) == limit
    result = await asked(research_site, searxng_over_site, question, max_sources=20)
    assert result.report is not None
    found = len(result.report.sources)
    assert 5 <= found < 20
    assert any(str(found) in note and "20" in note for note in result.report.notes)


async def test_depth_searches_again(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    question = research_site.truth.questions[30].text
    result = await asked(research_site, searxng_over_site, question, depth=2)
    assert result.ok
    assert len(result.searches) > 1
    assert len({search.query for search in result.searches}) == len(result.searches)
    assert result.report is not None
    assert len(result.report.sources) <= MAX_SOURCES


async def test_when_no_page_can_be_read_there_is_no_report(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    broken = research_site.of("missing", "empty", "challenge", "login", "refusing")
    with index_of(research_site, searxng_over_site, *broken[:6]):
        result = await asked(research_site, searxng_over_site, "the lighthouse at night")
    assert not result.ok
    assert result.report is None
    assert result.error is not None
    assert result.error.step == "tool.web.fetch"
    assert len(result.fetches) == 6


async def test_when_the_search_fails_there_is_no_report(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    searxng_over_site.index.on(GOOD, replies.status(int(FAILING.rpartition("/")[2])))
    try:
        result = await asked(research_site, searxng_over_site, "the lighthouse by day")
    finally:
        searxng_over_site.index.on(GOOD, research_site.search)
    assert not result.ok
    assert result.error is not None
    assert result.error.step == "tool.web.search"
    assert not result.fetches


async def test_one_page_is_enough(research_site: ResearchSite, searxng_over_site: Searxng) -> None:
    question = next(q for q in research_site.truth.questions if q.topic == "kestrel-array")
    pages = [page for page in research_site.pages if page.topic == question.topic]
    article = next(page for page in pages if page.kind == "article")
    with index_of(research_site, searxng_over_site, pages[-1], article):
        result = await asked(research_site, searxng_over_site, question.text)
    assert result.ok
    assert result.report is not None
    (source,) = result.report.sources
    assert source.url == research_site.url(article)
    assert any(question.fact.value in quote.quote for quote in result.report.evidence)


def environment(site: ResearchSite, searxng: Searxng) -> Mapping[str, str]:
    """Return the settings of a command that reads the site."""
    return {
        "PYTHONUTF8": "1",
        "SEARXNG_BASE_URL": searxng.base_url,
        "WEB_FETCH_ALLOW": site.server.host,
        "WEB_FETCH_DELAY_SECONDS": "0",
        "WEB_FETCH_TIMEOUT_MS": "30000",
    }


def lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


def test_an_interrupted_command_goes_on_where_it_was(
    research_site: ResearchSite, searxng_over_site: Searxng, tmp_path: Path
) -> None:
    page = research_site.of("hanging")[0]
    question = next(q for q in research_site.truth.questions if q.topic == page.topic)
    out, folder = tmp_path / "out", tmp_path / "program"
    folder.mkdir()
    journal = out / "journal.jsonl"
    command = [*CITESEEK, "research", question.text, "-e", "searxng", "--model", "extractive"]
    command += ["--max-sources", "20", "--out", str(out), "--format", "json"]
    env = environment(research_site, searxng_over_site)
    requests = research_site.server.requests
    requests.clear()
    with running(command, env, folder) as program:
        # Its title, the search, and two pages; the one that hangs is waited for.
        program.wait_for(lambda: lines(journal) >= 4)
        program.wait_for(lambda: any(request.path == page.path for request in requests))
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(PATIENCE) == 130
        assert "再次运行同一条命令会接着做" in program.log.read_text(encoding="utf-8")
    kept = lines(journal)
    before = [request.path for request in requests]
    requests.clear()
    research_site.server.on(page.path, replies.status(404))
    try:
        with running(command, env, folder) as program:
            ended = program.process.wait(PATIENCE)
    finally:
        research_site.server.on(page.path, page.answer)
    log = program.log.read_text(encoding="utf-8")
    assert ended == 0, log
    assert "接着上一次运行" in log
    assert f"沿用上一次运行的答复：{kept - 1}" in log
    # What was answered is not asked again; what hung is.
    again = [request.path for request in requests]
    assert page.path in again
    assert len(set(before) & set(again)) <= len(before) - (kept - 2)
    whole = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert whole["ok"]
    report = (out / "report.md").read_text(encoding="utf-8")
    assert report == whole["artifacts"]["report"]["text"]
    for quote in whole["artifacts"]["evidence"]:
        text = (out / "pages" / f"{quote['source_index']}.txt").read_text(encoding="utf-8")
        assert text[quote["start"] :].startswith(quote["quote"])
