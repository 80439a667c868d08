"""What a run gives back, in the shape of the tool contract: artifacts, steps, the error if any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from citeseek.errors import CiteseekError
from citeseek.locators import Locator, PageStart
from citeseek.observing.receipt import EgressReceipt
from citeseek.tools.runtime import Step
from citeseek.verification import CitationCheck

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue

VERSION = 1
TASK = "research_report"


class ReportSource(msgspec.Struct, frozen=True, kw_only=True):
    """A page that the report rests on; its number is its place in the list, from 1.

    ``url`` is the page's own address, ``found_as`` the one in the search results. ``copies`` are
    the addresses of pages that say the same.
    """

    number: int
    title: str
    url: str
    found_as: str
    domain: str
    snippet: str
    provider: str
    site_name: str = ""
    published_at: str = ""
    copies: tuple[str, ...] = ()


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """A quote, letter by letter from the text of the source ``source_index`` (from 1).

    It stands there at the character ``start``; ``score`` says how well it fits, from 0 to 1;
    ``page`` is that of a document.
    """

    quote: str
    source_url: str
    source_index: int
    start: int
    score: float
    page: Locator | None = None


class SaidBy(msgspec.Struct, frozen=True):
    """A statement, letter by letter, and the numbers of the sources that make it.

    ``value`` is what in it answers the question, empty where the whole statement differs; then
    sources behind the first may give it in words of their own. It stands
    on ``pages`` pages, copies included, which come to ``origins`` different texts. ``about`` is
    what the sources call the thing that they speak of, where that is more than the question has.
    """

    text: str
    sources: tuple[int, ...]
    value: str = ""
    pages: int = 1
    origins: int = 1
    about: str = ""


class SearchSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one search went."""

    query: str
    backend: str
    result_count: int
    ok: bool
    duration_ms: int
    error_code: str = ""
    detail_code: str = ""
    message: str = ""


class FetchSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one fetch went."""

    url: str
    ok: bool
    final_url: str = ""
    status_code: int = 0
    truncated: bool = False
    cache_hit: bool = False
    error_code: str = ""
    detail_code: str = ""
    message: str = ""
    hint: str = ""
    retryable: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report and what it rests on.

    Each of ``disagreements`` is one statement in the versions of different sources, or the values
    that they give for the question. ``checks`` are those of the citations in ``summary``, the part
    of ``text`` that a model wrote. ``notes`` say what was missed on the way, ``pages`` are the
    texts of ``sources``, in order; ``page_starts`` tell where in them parts of documents begin.
    """

    text: str
    summary: str = ""
    sources: tuple[ReportSource, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    disagreements: tuple[tuple[SaidBy, ...], ...] = ()
    checks: tuple[CitationCheck, ...] = ()
    notes: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    page_starts: tuple[tuple[PageStart, ...], ...] = ()


class RunError(msgspec.Struct, frozen=True):
    """Why a run is not ok, what can be done about it, and the step in which that was decided.

    ``message`` and ``hint`` are English; with ``values`` a catalogue says them in another language
    (:meth:`citeseek.i18n.Catalogue.explain`). ``engine`` is the one that failed, if it was one.
    """

    code: str
    message: str
    retryable: bool
    step: str
    detail_code: str = ""
    hint: str = ""
    engine: str = ""
    values: Mapping[str, str] = {}

    @classmethod
    def of(cls, error: CiteseekError, step: str) -> RunError:
        """Return what is safe to say of ``error``."""
        return cls(
            code=error.error_code,
            message=error.message,
            retryable=error.retryable,
            step=step,
            detail_code=error.detail_code,
            hint=error.hint,
            engine=error.engine,
            values=error.values,
        )

    @property
    def error_code(self) -> str:
        """The kind, as errors name it."""
        return self.code

    def translate(self, say: Catalogue) -> RunError:
        """Return the same in the words of ``say``."""
        message, hint = say.explain(self)
        return structs.replace(self, message=message, hint=hint)


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended. ``report`` is None when it is not ok.

    ``egress`` is what this run sent out and brought in, None where nobody counted.
    """

    trace_id: str
    question: str
    report: Report | None
    searches: tuple[SearchSummary, ...]
    fetches: tuple[FetchSummary, ...]
    steps: tuple[Step, ...]
    error: RunError | None = None
    egress: EgressReceipt | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a report."""
        return self.error is None

    def as_json(self) -> dict[str, Any]:
        """Return the run result of the tool contract (docs/tools.md)."""
        builtins = msgspec.to_builtins
        report = self.report
        artifacts: dict[str, Any] = {
            "search_summary": _sum_up(self.searches),
            "fetch_summaries": [_whole(fetch) for fetch in self.fetches],
        }
        if report:
            artifacts = {
                "report": {"text": report.text, "format": "markdown"},
                "sources": builtins(report.sources),
                "evidence": builtins(report.evidence),
                "disagreements": builtins(report.disagreements),
                "citation_checks": builtins(report.checks),
                **artifacts,
            }
        if self.egress:
            artifacts["egress"] = builtins(self.egress)
        return {
            "version": VERSION,
            "ok": self.ok,
            "trace_id": self.trace_id,
            "task_type": TASK,
            "result": {"query": self.question, "notes": list(report.notes)} if report else None,
            "artifacts": artifacts,
            "steps": builtins(self.steps),
            "trace_lines": [_trace_line(step) for step in self.steps],
            "error": builtins(self.error),
        }


def _sum_up(searches: Sequence[SearchSummary]) -> Mapping[str, Any]:
    """Return one summary for all searches, which are listed in it; the first failure speaks."""
    failed = next((search for search in searches if not search.ok), None)
    found = [search for search in searches if search.ok]
    total = {
        "backend": "+".join(dict.fromkeys(s.backend for s in searches if s.backend)),
        "result_count": sum(search.result_count for search in found),
        "ok": bool(found),
        "duration_ms": sum(search.duration_ms for search in searches),
        "searches": msgspec.to_builtins(searches),
    }
    if failed and not found:
        total |= {"error_code": failed.error_code, "detail_code": failed.detail_code}
    return total


def _trace_line(step: Step) -> str:
    how = "ok" if step.ok else f"failed: {step.meta.get('detail_code') or step.error_code}"
    what = step.meta.get("args_preview", "")
    return f"{step.name} {how} in {step.duration_ms} ms {what}".rstrip()


def _whole(fetch: FetchSummary) -> dict[str, Any]:
    """Return the summary with what is always said of a fetch, false or not."""
    said = {"truncated": fetch.truncated, "cache_hit": fetch.cache_hit}
    return {**msgspec.to_builtins(fetch), **said}
