"""``--batch FILE --out FILE``: a command for each line of a file, with its answers in another."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FAILED, FOUND, catalogue_for, say
from citeseek.surfaces.cli.shared_options import read_by, read_path

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue
    from citeseek.jobs.batch import Answer
    from citeseek.jobs.batch_files import Answers, Asked


AT_ONCE, MOST_AT_ONCE = 4, 64
# So often progress is told: on one line at a terminal, else in a log.
AT_TERMINAL_SECONDS, IN_LOG_SECONDS = 0.2, 30.0
_MINUTE, _HOUR = 60, 3600

# Opens what answers the questions of a batch.
Opener = Callable[[argparse.Namespace], "AbstractAsyncContextManager[Answer]"]
# What holds for lines that do not say otherwise, fit for JSON.
Usual = Callable[[argparse.Namespace], dict[str, Any]]


def add_batch_options(parser: argparse.ArgumentParser, *, has_out: bool = False) -> None:
    """Add the options for many questions; ``has_out`` to a command that has --out already."""
    from citeseek.settings.values import whole  # noqa: PLC0415 - not for the help of others

    group = parser.add_argument_group(describe("group_batch"))
    group.add_argument(
        "--batch",
        type=read_path,
        metavar="FILE",
        help=describe("batch.file"),
    )
    if not has_out:
        group.add_argument("--out", type=read_path, metavar="FILE", help=describe("batch.out"))
    group.add_argument(
        "--retry-failed",
        action="store_true",
        help=describe("batch.retry_failed"),
    )
    group.add_argument(
        "--spread",
        action="store_true",
        help=describe("batch.spread"),
    )
    group.add_argument(
        "--at-once",
        type=read_by(whole(1, MOST_AT_ONCE)),
        metavar="N",
        help=describe("batch.at_once", most=MOST_AT_ONCE, usual=AT_ONCE),
    )


def run_batch(options: argparse.Namespace, name: str, opener: Opener, usual: Usual) -> int:
    """Answer the file of the options, whose texts stand under ``name``; return the exit code.

    ``opener`` answers here; ``usual`` says what the options mean to those who answer elsewhere.
    What is answered already is not asked again: the same command goes on where it ended.
    """
    from citeseek.jobs.batch_files import Answers, count_lines, read_asked  # noqa: PLC0415 - when run

    if getattr(options, name) is not None:
        raise InvalidInput(
            f"With --batch the file has each {name}: leave the other out.",
            values={"case": "batch_and_one"},
        )
    if options.out is None:
        raise InvalidInput(
            "--batch needs --out FILE, where the answers go.", values={"case": "batch_without_out"}
        )
    if options.trace is not None:
        raise InvalidInput(
            "--trace records one call, not a batch.", values={"case": "trace_of_batch"}
        )
    if options.format not in ("json", options.parser.get_default("format")):
        raise InvalidInput(
            "A batch is written as JSON Lines: leave --format out.", values={"case": "batch_format"}
        )
    words = catalogue_for(options)
    total = count_lines(options.batch)
    from citeseek.concurrency.interruption import run_interruptible  # noqa: PLC0415 - when run

    command = options.parser.command
    with Answers(options.out, command, retry_failed=options.retry_failed) as answers:
        questions = answers.skip(read_asked(options.batch, name))
        progress = _Progress(answers, total, words)
        try:
            if options.spread:
                from citeseek.surfaces.cli.spread_batch import spread  # noqa: PLC0415 - when run

                work = spread(questions, answers, options, usual(options), progress.tell_of)
            else:
                work = _answer(questions, answers, opener, options, progress.tell)
            run_interruptible(work)
        except KeyboardInterrupt:
            progress.end()
            say(words("cli.batch_interrupted", done=answers.done))
            raise
        progress.end()
    told = {"done": answers.done, "failed": answers.failed, "file": str(options.out)}
    say(words("cli.batch_done", **told))
    return FAILED if answers.failed else FOUND


def refuse_without_batch(options: argparse.Namespace, *names: str) -> None:
    """Raise InvalidInput for options of a batch where there is none."""
    for name in names:
        if getattr(options, name):
            raise InvalidInput(
                f"--{name.replace('_', '-')} is for a batch: name one with --batch.",
                values={"case": "only_for_batch", "option": name.replace("_", "-")},
            )


async def _answer(
    questions: Iterable[Asked],
    answers: Answers,
    opener: Opener,
    options: argparse.Namespace,
    told: Callable[[], None],
) -> None:
    from citeseek.jobs.batch import answer_all  # noqa: PLC0415 - when run

    async with opener(options) as answer:
        await answer_all(
            iter(questions), answer, answers, at_once=options.at_once or AT_ONCE, told=told
        )


class _Progress:
    """How far a batch is, told now and then on standard error."""

    def __init__(self, answers: Answers, total: int | None, words: Catalogue) -> None:
        self._answers, self._total, self._words = answers, total, words
        self._elsewhere = self._failed_elsewhere = 0
        self._before, self._began = answers.done, time.monotonic()
        self._watched = sys.stderr is not None and sys.stderr.isatty()
        self._next = 0.0

    def tell(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        seconds = AT_TERMINAL_SECONDS if self._watched else IN_LOG_SECONDS
        is_first, self._next = not self._next, now + seconds
        if self._watched:
            sys.stderr.write(f"\r\x1b[K{self._line(now)}")
            sys.stderr.flush()
        elif not is_first:
            say(self._line(now))

    def tell_of(self, done: int, failed: int) -> None:
        """Tell that so many are answered elsewhere, which are not written yet."""
        self._elsewhere, self._failed_elsewhere = done, failed
        self.tell()

    def end(self) -> None:
        if self._watched:
            sys.stderr.write("\r\x1b[K")

    def _line(self, now: float) -> str:
        done = max(self._answers.done, self._before + self._elsewhere)
        failed = max(self._answers.failed, self._failed_elsewhere)
        rate = (done - self._before) / max(now - self._began, 1e-3)
        return self._words(
            "cli.batch_progress",
            done=f"{done:,}",
            total="?" if self._total is None else f"{self._total:,}",
            rate=f"{rate:.1f}",
            left=_as_time((self._total - done) / rate) if rate and self._total else "?",
            failed=f"{failed:,}",
        )


def _as_time(seconds: float) -> str:
    whole_seconds = round(seconds)
    hours, minutes = whole_seconds // _HOUR, whole_seconds % _HOUR // _MINUTE
    return f"{hours}:{minutes:02}:{whole_seconds % _MINUTE:02}"
