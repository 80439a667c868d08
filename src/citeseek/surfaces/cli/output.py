"""What the commands share: exit codes, notes on standard error, JSON, settings, the language."""

from __future__ import annotations

import argparse
import errno
import io
import json
import logging
import os
import shlex
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from citeseek.errors import CiteseekError, InvalidInput, SearchFailed
from citeseek.i18n.locale_language import locale_catalogue

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue
    from citeseek.settings import Settings


class ClosedOutput(io.TextIOBase):
    """Takes the place of an output that is not there, so that what is lost is not lost in silence.

    A command that prints nothing works as ever; :meth:`write` fails, and :meth:`flush` after it.
    """

    def __init__(self) -> None:
        self._has_lost = False

    def writable(self) -> bool:
        """Say that it may be tried."""
        return True

    def write(self, _: str, /) -> int:
        """Raise OSError."""
        self._has_lost = True
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self) -> None:
        """Raise OSError when something was to be written, also where nobody heard of that."""
        if self._has_lost:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def close(self) -> None:
        """Close without :meth:`flush`: at the end of the program nobody hears of what it raises."""
        self._has_lost = False
        super().close()


class ReaderGone(BrokenPipeError):
    """Whoever read the output has gone; the command ends with ``exit_code``, as if it were read."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(errno.EPIPE, os.strerror(errno.EPIPE))
        self.exit_code = exit_code


@contextmanager
def ending_with(exit_code: int) -> Iterator[None]:
    """Print what a command came to: it ends with ``exit_code`` also if nobody reads that."""
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone(exit_code) from None


T = TypeVar("T")

FOUND, NOTHING, BAD_INPUT, FAILED, BROKEN = range(5)
# What programs read: a failure is printed in it as well.
JSON_FORMATS = ("json", "contract", "results")
# What these log, a command says itself.
TOLD_BY_COMMANDS = (
    "citeseek.searching.service",
    "citeseek.assistant",
    "citeseek.language_model",
    "citeseek.citations",
)


def say(sentence: str) -> None:
    """Write a note for the person at the terminal, if there is any.

    One that cannot be written is lost: what the command comes to does not hang on it.
    """
    from citeseek.observing.log_lines import as_log_line  # noqa: PLC0415 - not for the help

    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{as_log_line(sentence)}\n")


def print_json(value: Any) -> None:
    """Print ``value`` as JSON that people can read."""
    from citeseek.observing.log_lines import takes_any_text  # noqa: PLC0415 - not for the help

    print(json.dumps(value, ensure_ascii=not takes_any_text(sys.stdout), indent=2))


def tell(error: CiteseekError, options: argparse.Namespace) -> None:
    """Say what failed, and print it as JSON where JSON was asked for."""
    words = catalogue_for(options)
    step = _next_step(error, options, words) if isinstance(error, SearchFailed) else ""
    for failure in error.earlier:
        say(words.sentence(failure))
    say(f"{words.sentence(error)} {step}".rstrip())
    if getattr(options, "format", "") in JSON_FORMATS:
        from msgspec import to_builtins  # noqa: PLC0415 - only for a failure

        from citeseek.models import Failure  # noqa: PLC0415 - only for a failure

        failed, *earlier = (Failure.of(one).translate(words) for one in (error, *error.earlier))
        print_json(to_builtins({"error": failed, "errors": earlier}))


def _next_step(error: SearchFailed, options: argparse.Namespace, words: Catalogue) -> str:
    """Return what to do at a terminal, where the failure itself does not say it."""
    # No engine reads a file of one's own.
    if error.hint or "file" in error.values:
        return ""
    from citeseek.surfaces.cli.next_step import next_step  # noqa: PLC0415 - only for a failure

    return next_step(
        words,
        error.error_code,
        error.detail_code,
        engine=error.engine,
        chooses_engine=hasattr(options, "engines"),
    )


@contextmanager
def _warning_unless_refused() -> Iterator[None]:
    """Hold what is warned of in settings until the end; it is dropped where that is not reached.

    A refusal stands alone: what it refuses does not count as not set.
    """
    log, held = logging.getLogger("citeseek.settings"), list[logging.LogRecord]()

    def passes(record: logging.LogRecord) -> bool:
        if is_warning := record.levelno >= logging.WARNING:
            held.append(record)
        return not is_warning

    log.addFilter(passes)
    try:
        yield
    finally:
        log.removeFilter(passes)
    for record in held:
        log.callHandlers(record)


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings from the files that the options name.

    What was not understood is logged with them; what mends it is said once for a command.
    """
    return settings_for(options, lambda _: None)[0]


def settings_for(options: argparse.Namespace, make: Callable[[Settings], T]) -> tuple[Settings, T]:
    """Return the settings as :func:`settings_of` does, and what ``make`` makes of them.

    It raises InvalidInput for settings that the command refuses, which is then all that is said.
    """
    from citeseek.settings import Settings  # noqa: PLC0415 - not for the help

    with _warning_unless_refused():
        options.loaded = settings = Settings.load(config=options.config, agents=options.agents)
        settings.check_words()
        made = make(settings)
    if settings.warnings and not getattr(options, "has_told_doctor", False):
        options.has_told_doctor = True
        files = {"--config": options.config, "--agents": options.agents}
        named = (f" {name} {shlex.quote(path)}" for name, path in files.items() if path)
        command = f"citeseek doctor config{''.join(named)}"
        say(catalogue_of(settings)("cli.mend_settings", command=command))
    return settings, made


def finish(work: Coroutine[Any, Any, T], progress: str) -> T:
    """Run ``work`` to its end, with a note of progress while a terminal waits."""
    waiting = sys.stderr is not None and sys.stderr.isatty()
    if waiting:
        sys.stderr.write(progress)
        sys.stderr.flush()
    from citeseek.concurrency.interruption import run_interruptible  # noqa: PLC0415 - 20 ms, and half of the commands do without

    try:
        return run_interruptible(work)
    finally:
        if waiting:
            sys.stderr.write("\r\x1b[K")


def catalogue_of(settings: Settings) -> Catalogue:
    """Return what things are said with: the language that somebody set, else of the locale."""
    from citeseek.i18n import catalogue, languages  # noqa: PLC0415 - not for the help
    from citeseek.i18n.locale_language import (  # noqa: PLC0415 - not for the help
        locale_language,
    )
    from citeseek.settings.server_settings import PageSection  # noqa: PLC0415 - not for the help

    lang = settings.page.language
    is_set = settings.was_given(PageSection.language) and lang in languages()
    return catalogue(lang if is_set else locale_language())


def catalogue_for(options: argparse.Namespace) -> Catalogue:
    """Return the same for a command, which may have failed before it had its settings."""
    settings: Settings | None = getattr(options, "loaded", None)
    return catalogue_of(settings) if settings else locale_catalogue()


def agrees(question: str) -> bool:
    """Ask the person at the terminal ``question`` and return whether they say yes.

    Raise InvalidInput where nobody can be asked.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidInput(
            "Nothing was done: there is nobody to ask.",
            hint="--yes agrees to it.",
            values={"case": "nobody_to_agree"},
        )
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
