"""What an answer that was kept says its sources say: from a certificate, a report or a turn."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from citeseek.certificate import Certificate
from citeseek.citations import Source
from citeseek.conversations.conversation_record import Record, Turn
from citeseek.errors import InvalidInput, reason_of
from citeseek.research.folder import RUN
from citeseek.research.result import TASK, Evidence, ReportSource
from citeseek.verification import CitationCheck, SourceText, Verdict, check_answer

# More than this a report never takes: a file of that size is another's.
_MAX_BYTES = 64_000_000


class KeptSource(msgspec.Struct, frozen=True):
    """A source as the answer names it."""

    number: int
    title: str
    url: str


class CitedStatement(msgspec.Struct, frozen=True):
    """What the source ``number`` was cited for.

    ``quote`` is what it said then, letter by letter; empty where nothing in it came near, or where
    nobody kept what it said. ``verdict`` is what the check said of the claim then: a quote that
    contradicted it is no less what the source said.
    """

    number: int
    claim: str
    quote: str = ""
    verdict: Verdict = "supported"


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer or report, its sources and what they were cited for; ``made_at`` is ISO 8601."""

    question: str
    made_at: str
    sources: tuple[KeptSource, ...]
    statements: tuple[CitedStatement, ...]


def of_certificate(certificate: Certificate) -> KeptAnswer:
    """Return what ``certificate`` holds."""
    statements = [
        *(
            _statement(one.number, one.claim, one.verdict, one.quote)
            for one in certificate.verdicts
        ),
        *(CitedStatement(one.source, one.text, one.text) for one in certificate.quotes),
    ]
    return _kept(
        certificate.question,
        certificate.made_at,
        [KeptSource(one.number, one.title, one.url) for one in certificate.sources],
        statements,
    )


def of_report(folder: Path) -> KeptAnswer:
    """Return what the report in ``folder`` rests on, as ``research --out`` wrote it.

    Raise InvalidInput where there is no report.
    """
    path = folder / RUN
    try:
        run = msgspec.json.decode(_content(path), type=_Run)
    except (msgspec.DecodeError, RecursionError):
        run = None
    if run is None or run.task_type != TASK:
        raise InvalidInput(
            f"{path} is not of a report of Citeseek.",
            hint="Name the folder that `research --out` wrote.",
            values={"case": "no_report_folder", "path": str(path)},
        )
    if run.result is None:
        raise InvalidInput(
            f"The run in {folder} ended without a report.",
            values={"case": "run_without_report", "folder": str(folder)},
        )
    found = run.artifacts
    statements = [
        *(CitedStatement(one.source_index, one.quote, one.quote) for one in found.evidence),
        *(
            _statement(one.number, one.claim, one.verdict, one.evidence)
            for one in found.citation_checks
        ),
    ]
    return _kept(
        run.result.query,
        _written_at(path),
        [KeptSource(one.number, one.title, one.url) for one in found.sources],
        statements,
    )


def of_conversation(record: Record, turn_ids: Container[str] | None = None) -> list[KeptAnswer]:
    """Return the answers of a conversation that cite anything: those of ``turn_ids``, or all."""
    return [
        of_turn(turn, record.sources if turn.mode == "agent" else ())
        for turn in record.turns
        if turn.cited and (turn_ids is None or turn.id in turn_ids)
    ]


def of_turn(turn: Turn, earlier: Iterable[Source] = ()) -> KeptAnswer:
    """Return what is known of an answer of a conversation.

    Of a page the conversation keeps what the search said of it and the passages that the model was
    given. ``earlier`` are sources of answers before, which one in Agent mode may cite.
    """
    sources = {one.number: one for one in (*earlier, *turn.sources)}
    passages: dict[int, tuple[str, ...]] = {page.number: page.passages for page in turn.reads}
    texts = {
        number: SourceText(
            "\n".join((one.snippet, *passages.get(number, ()))),
            is_whole_page=False,
            title=one.title,
            url=one.url,
        )
        for number, one in sources.items()
    }
    checks: list[CitationCheck] = check_answer(turn.written, texts)
    return _kept(
        turn.message,
        datetime.fromtimestamp(turn.at, UTC).isoformat(timespec="seconds"),
        [KeptSource(number, one.title, one.url) for number, one in sources.items()],
        [_statement(one.number, one.claim, one.verdict, one.evidence) for one in checks],
    )


class _Asked(msgspec.Struct):
    query: str


class _Artifacts(msgspec.Struct):
    sources: tuple[ReportSource, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    citation_checks: tuple[CitationCheck, ...] = ()


class _Run(msgspec.Struct):
    """What is read of ``run.json``; the rest of it is passed over."""

    task_type: str
    result: _Asked | None
    artifacts: _Artifacts


def _statement(number: int, claim: str, verdict: Verdict, quote: str) -> CitedStatement:
    return CitedStatement(number, claim, "" if verdict == "unfetched" else quote, verdict)


def _kept(
    question: str,
    made_at: str,
    sources: Iterable[KeptSource],
    statements: Iterable[CitedStatement],
) -> KeptAnswer:
    """Return the answer with the sources that it cites, and each statement once."""
    known: Mapping[int, KeptSource] = {source.number: source for source in sources}
    cited = tuple(one for one in dict.fromkeys(statements) if one.number in known)
    numbers = sorted({one.number for one in cited})
    return KeptAnswer(
        question=question,
        made_at=made_at,
        sources=tuple(known[number] for number in numbers),
        statements=cited,
    )


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES)
    except OSError as reason:
        raise InvalidInput(
            f"{path} cannot be read ({reason.strerror}).",
            hint="Name the folder that `research --out` wrote.",
            values={"case": "not_read", "path": str(path), **reason_of(reason)},
        ) from None


def _written_at(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
