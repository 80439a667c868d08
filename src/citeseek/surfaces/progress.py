"""How far a report is, for a person who waits at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from citeseek.research.gathering import Progress, Watch
from citeseek.text import plain_line, shorten

_STAGES = {
    "plan": "planning 规划",
    "search": "searching 搜索",
    "read": "reading 阅读",
    "rank": "ranking 排序",
    "write": "writing 撰写",
}
ABOUT_CHARS = 50


@contextmanager
def watching() -> Iterator[Watch]:
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
                description=_STAGES[progress.stage],
                completed=progress.done,
                total=progress.total,
                about=shorten(plain_line(progress.about), ABOUT_CHARS),
            )

        yield show
