"""What the commands share: exit codes, notes on standard error, JSON, options, the search."""

from __future__ import annotations

import argparse
import errno
import io
import json
import logging
import os
import shlex
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from citeseek.errors import CiteseekError, InvalidInput, SearchFailed
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli.help_texts import describe, say_of_argparse

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue
    from citeseek.settings import Settings
    from citeseek.settings.values import Reader, UnreadableValue


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


def settings_of(
    options: argparse.Namespace, check: Callable[[Settings], object] | None = None
) -> Settings:
    """Return the settings from the files that the options name.

    What was not understood is logged with them; what mends it is said once for a command. ``check``
    raises InvalidInput for settings that the command refuses, which is then all that is said.
    """
    from citeseek.settings import Settings  # noqa: PLC0415 - not for the help

    with _warning_unless_refused():
        options.loaded = settings = Settings.load(config=options.config, agents=options.agents)
        settings.check_words()
        if check is not None:
            check(settings)
    if settings.warnings and not getattr(options, "has_told_doctor", False):
        options.has_told_doctor = True
        files = {"--config": options.config, "--agents": options.agents}
        named = (f" {name} {shlex.quote(path)}" for name, path in files.items() if path)
        command = f"citeseek doctor config{''.join(named)}"
        say(catalogue_of(settings)("cli.mend_settings", command=command))
    return settings


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


def add_engines(parser: argparse.ArgumentParser) -> None:
    """Add the option that names whom to ask."""
    parser.add_argument(
        "-e",
        "--engine",
        metavar="ID",
        action="append",
        default=[],
        dest="engines",
        help=describe("engine"),
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of everything that searches."""
    add_engines(parser)
    parser.add_argument("-n", "--count", type=int, metavar="N", help=describe("count"))
    parser.add_argument("--timeout", type=float, metavar="S", help=describe("search_timeout"))


def add_listening_options(parser: argparse.ArgumentParser, usual_port: int) -> None:
    """Add where a server listens; ``usual_port`` is told, what is not given stays None."""
    from citeseek.settings.values import host, whole  # noqa: PLC0415 - for servers alone

    parser.add_argument(
        "--host",
        metavar="HOST",
        type=read_by(host),
        help=describe("host"),
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        type=read_by(whole(0, 65_535)),
        help=describe("port", usual=usual_port),
    )


def read_given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the named options that were given; defaults are decided elsewhere, once."""
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def wrong_value(text: str, reason: UnreadableValue) -> argparse.ArgumentTypeError:
    """Return what argparse is to say of a value that cannot be read, in the reader's language."""
    return argparse.ArgumentTypeError(f"{text!r:.60} {reason.explain(locale_catalogue())}")


def read_by(reader: Reader[T]) -> Callable[[str], T]:
    """Return what argparse calls to read an option as the setting of its name is read."""
    from citeseek.settings.values import UnreadableValue  # noqa: PLC0415 - of who has a reader already

    def read(text: str) -> T:
        try:
            return reader(text)
        except UnreadableValue as reason:
            raise wrong_value(text, reason) from None

    return read


def not_blank(text: str) -> str:
    """Return what an option names."""
    if not text.strip():
        from citeseek.settings.values import UnreadableValue  # noqa: PLC0415 - not for the help

        raise wrong_value(text, UnreadableValue("value_empty"))
    return text


def read_path(text: str) -> Path:
    """Return the path that an option names: a blank one would be the folder that one is in."""
    return Path(not_blank(text))


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the option for files of one's own."""
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        type=read_path,
        dest="files",
        metavar="PATH",
        help=describe("file"),
    )


def add_trace_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--trace",
        metavar="FILE",
        type=read_path,
        help=describe("trace"),
    )


@contextmanager
def trace_calls(options: argparse.Namespace) -> Iterator[None]:
    """Record what is called within, if the option is given; raise InvalidInput if it cannot be."""
    if options.trace is None:
        yield
        return
    from citeseek import trace  # noqa: PLC0415 - only where one is asked for

    with trace.into(options.trace):
        yield


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
    from citeseek.i18n.locale_language import (  # noqa: PLC0415 - not for the help
        locale_catalogue,
    )

    settings: Settings | None = getattr(options, "loaded", None)
    return catalogue_of(settings) if settings else locale_catalogue()


def add_question(
    parser: argparse.ArgumentParser, name: str, *, help_text: str, may_be_missing: bool = False
) -> None:
    """Add the question ``name`` to a command; one that is missing is None."""
    words = parser.add_argument(name, metavar=name.upper(), nargs="*", help=help_text)
    # Whether there are any is known when what stands behind options has been read as well.
    words.required = False
    parser.set_defaults(question_name=name, may_be_missing=may_be_missing)


def parse_command(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command, with one text for all words of its question.

    Exit as ``argparse`` does for what is no option and belongs to no question.
    """
    options, rest = parser.parse_known_args(argv)
    command: argparse.ArgumentParser = options.parser
    name = getattr(options, "question_name", None)
    options_end = rest.index("--") if "--" in rest else len(rest)
    unknown = [word for word in rest[:options_end] if word.startswith("-") or name is None]
    if unknown:
        hint = "" if name is None else locale_catalogue()("help.no_option", command=command.prog)
        told = say_of_argparse("unrecognized arguments: %s") % " ".join(unknown)
        command.error(f"{told}{hint}")
    if name is not None:
        words = [*(getattr(options, name) or ()), *rest[:options_end], *rest[options_end + 1 :]]
        may_be_missing = options.may_be_missing or getattr(options, "batch", None)
        if not words and not may_be_missing:
            command.error(
                say_of_argparse("the following arguments are required: %s") % name.upper()
            )
        setattr(options, name, " ".join(words) if words else None)
    return options


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
