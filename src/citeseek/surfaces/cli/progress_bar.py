"""How far a report is, for a person who waits at a terminal, and what it was busy with."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from citeseek.i18n import Catalogue
from citeseek.research import RunResult
from citeseek.research.gathering import Progress, Watch
from citeseek.text import plain_line, shorten
from citeseek.tools.runtime import Step
from citeseek.urls import domain

ABOUT_CHARS = 50
STEP_CHARS = 80


@contextmanager
def watching(say: Catalogue) -> Iterator[Watch]:
    """Yield what is to be told of progress; it shows on standard error if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[about]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    with bars:
        task = bars.add_task("", total=None, about="")

        def show(progress: Progress) -> None:
            bars.update(
                task,
                description=say(f"cli.stage_{progress.stage}"),
                completed=progress.done,
                total=progress.total,
                about=shorten(plain_line(progress.about), ABOUT_CHARS),
            )

        yield show


# The steps of a run that have a name among people.
_STAGES = {
    "plan": "cli.stage_plan",
    "tool.web.search": "cli.stage_search",
    "tool.web.fetch": "cli.stage_read",
    "extract": "cli.stage_rank",
    "dedupe_rank": "cli.stage_rank",
    "summarize": "cli.stage_write",
    "check_citations": "cli.check",
    "write_report": "cli.stage_write",
}


def step_lines(result: RunResult, say: Catalogue) -> Iterator[str]:
    """Yield a line for each step: how long, what, how it ended, and the words or the page."""
    sources = result.report.sources if result.report else ()
    titles = {source.found_as: source.title for source in sources}
    for step in result.steps:
        how = "" if step.ok else f" {step.meta.get('detail_code') or step.error_code}"
        asked = _describe(step)
        if title := titles.get(asked):
            asked = f"{domain(asked)}: {title}"
        about = shorten(plain_line(asked), STEP_CHARS)
        what = say(_STAGES[step.name]) if step.name in _STAGES else step.name
        yield f"{say('cli.took', ms=f'{step.duration_ms:>6}')}  {what}{how}  {about}".rstrip()


def _describe(step: Step) -> str:
    """Return the query or the address that a tool was called with, empty for other steps."""
    preview: str = step.meta.get("args_preview", "")
    try:
        values = json.loads(preview or "{}").values()
    except ValueError:
        # It was cut at its end.
        return preview
    return next((value for value in values if isinstance(value, str)), "")
