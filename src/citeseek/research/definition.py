"""What a model is told of reports as a tool: when to ask for one, what it takes, what it gives."""

from __future__ import annotations

from typing import Any

import msgspec

from citeseek.observing.receipt import EgressReceipt
from citeseek.research import inquiry
from citeseek.research.result import Evidence, FetchSummary, ReportSource
from citeseek.tools.outputs import schema
from citeseek.tools.runtime import Step
from citeseek.tools.tool_definitions import Definition

# Programs that call a tool give up after a minute, many of them.
SECONDS = 45


class ReportText(msgspec.Struct, kw_only=True):
    """The report, in Markdown."""

    text: str
    format: str


class Artifacts(msgspec.Struct, kw_only=True):
    """What a run has made; the report and what it rests on only when there is one."""

    search_summary: dict[str, Any]
    fetch_summaries: list[FetchSummary]
    report: ReportText | None = None
    sources: list[ReportSource] = []
    evidence: list[Evidence] = []
    egress: EgressReceipt | None = None


class ReportOutput(msgspec.Struct, kw_only=True):
    """The run result of the tool contract (docs/research.md)."""

    version: int
    ok: bool
    trace_id: str
    task_type: str
    result: dict[str, Any] | None
    artifacts: Artifacts
    steps: list[Step]
    trace_lines: list[str]


RESEARCH_REPORT = Definition(
    name="research_report",
    description="""Research a question: search, read several pages, and write a report in \
Markdown whose every statement has a numbered source and its exact words.
Use it when one search is not enough: comparisons, overviews, disputed facts. It takes up to a \
minute; for a single fact use web_search. Notes in the report say what could not be read and where \
sources differ.""",
    parameters={
        "type": "object",
        "properties": {
            "question": {
                "type": "string",
                "minLength": 1,
                "description": "The question to answer",
                "examples": [
                    "How long is the Hong Kong–Zhuhai–Macau bridge, and what did it cost?"
                ],
            },
            "max_sources": {
                "type": "integer",
                "minimum": 1,
                "maximum": inquiry.MAX_SOURCES,
                "default": inquiry.SOURCES,
                "description": "Most pages to rest on",
            },
            "depth": {
                "type": "integer",
                "minimum": 1,
                "maximum": inquiry.MAX_DEPTH,
                "default": inquiry.DEPTH,
                "description": "Rounds of searching",
            },
            "seconds": {
                "type": "number",
                "minimum": inquiry.MIN_SECONDS,
                "maximum": inquiry.MAX_SECONDS,
                "default": SECONDS,
                "description": "Seconds after which no further page is waited for",
            },
        },
        "required": ["question"],
    },
    output=schema(ReportOutput),
)
