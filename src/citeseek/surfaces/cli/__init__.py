"""The command line: data on standard output, progress and notes on standard error.

With a format that is JSON, a failure is printed as ``{"error": …}`` too.

Exit codes: 0 results, 1 nothing found, 2 bad input, 3 the search failed, 4 the program failed or
its output could not be written. A command is a module of this package with
``arguments(parser)`` and ``run(options) -> exit code``; the module is imported when the command is
given, and what it needs when it runs.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from citeseek.errors import CiteseekError, SearchFailed
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli.help_texts import HelpFormatter, describe, say_of_argparse
from citeseek.surfaces.cli.output import (
    BAD_INPUT,
    BROKEN,
    FAILED,
    FOUND,
    TOLD_BY_COMMANDS,
    ClosedOutput,
    ReaderGone,
    ending_with,
    say,
    tell,
)
from citeseek.surfaces.cli.shared_options import parse_command
from citeseek.version import VERSION

COMMANDS = tuple(
    (
        "search fetch ask research verify watch replay bundle serve worker mcp tools engines "
        "settings searxng database people programs doctor"
    ).split()
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; KeyboardInterrupt goes to the caller."""
    _accept_any_text()
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    exit_code = FOUND
    try:
        exit_code = _run(list(map(_utf8, sys.argv[1:] if argv is None else argv)))
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError as gone:
        # The reader has seen enough; what is left must not be tried again at exit.
        sys.stdout = None
        return gone.exit_code if isinstance(gone, ReaderGone) else exit_code
    except OSError as error:
        say(locale_catalogue()("cli.output_lost", reason=error.strerror))
        sys.stdout = None
        return BROKEN
    except Exception as error:
        from citeseek.extras import find_broken, install  # noqa: PLC0415 - only for a failure

        logging.getLogger(__name__).info("unexpected", exc_info=True)
        if isinstance(error, ImportError) and (wrong := find_broken()):
            say("; ".join(f"{one}: {one.repair}" for one in wrong))
            return BAD_INPUT
        if isinstance(error, ModuleNotFoundError) and error.name:
            # One that Citeseek does not work without was taken away.
            command = install(error.name.partition(".")[0])
            say(locale_catalogue()("cli.not_installed", name=error.name, command=command))
            return BAD_INPUT
        say(locale_catalogue()("cli.fault", kind=type(error).__name__))
        return BROKEN
    return exit_code


def _run(argv: list[str]) -> int:
    if (led := _lead(argv)) is not None:
        return led
    try:
        options = parse_command(_parser(), argv)
    except SystemExit as ended:
        # Help, the version or a wrong option was told; whether that could be written, is seen next.
        return int(ended.code or FOUND)
    _log_to_stderr(verbose=options.verbose)
    command: ModuleType = options.command
    try:
        exit_code: int = command.run(options)
    except CiteseekError as error:
        exit_code = FAILED if isinstance(error, SearchFailed) else BAD_INPUT
        with ending_with(exit_code):
            tell(error, options)
        return exit_code
    except SystemExit as ended:
        # What a command finds wrong with its options was told as any other misuse is.
        return int(ended.code or FOUND)
    return exit_code


def _lead(argv: Sequence[str]) -> int | None:
    """Lead to a command whoever names none, or one that is not there; return the exit code.

    None for what begins with a command, or with an option.
    """
    if argv and (argv[0] in COMMANDS or argv[0].startswith("-")):
        return None
    words = locale_catalogue()
    if not argv:
        print(words("cli.examples"))
        return FOUND
    from difflib import get_close_matches  # noqa: PLC0415 - likewise

    (near,) = get_close_matches(argv[0], COMMANDS, n=1) or ("",)
    key = "cli.did_you_mean" if near else "cli.no_command"
    say(words(key, name=argv[0], meant=f"citeseek {near}"))
    return BAD_INPUT


def _accept_any_text() -> None:
    """Let no character that a terminal cannot show end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _utf8(argument: str) -> str:
    """Return an argument as UTF-8 text, whatever the locale made of its bytes."""
    return os.fsencode(argument).decode(errors="replace")


class _Parser(argparse.ArgumentParser):
    """Fails where help cannot be written, which argparse would keep to itself.

    It is plain on every Python: since 3.14 argparse looks at one output and colours what may go to
    another.
    """

    def __init__(self, **about: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **about})
        self.color = False

    def _print_message(self, message: str, file: Any = None) -> None:
        out = file or sys.stderr
        # What is wrong with an option is that also where nobody hears of it.
        with suppress(*([OSError] if out is sys.stderr else [])):
            if out is not None:
                out.write(message)


class _CommandParser(_Parser):
    """The parser of one command, which gets its arguments when they are to be read."""

    command = ""
    _is_filled = False

    def add_subparsers(self, **about: Any) -> Any:
        """Add the parts of the command, whose parsers are plain ones."""
        return super().add_subparsers(**{"prog": self.prog, "parser_class": _Parser, **about})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read the arguments of the command."""
        if not self._is_filled:
            self._is_filled = True
            _common(self, **dict.fromkeys(("config", "agents", "verbose"), argparse.SUPPRESS))
            module = import_module(f"{__name__}.{self.command}")
            module.arguments(self)
            self.set_defaults(command=module, parser=self)
        return super().parse_known_args(args, namespace)


def _parser() -> argparse.ArgumentParser:
    # Its own sentences it asks gettext for, under this name.
    argparse._ = say_of_argparse  # type: ignore[attr-defined]
    parser = _Parser(prog="citeseek", description=describe("citeseek"), allow_abbrev=False)
    parser.add_argument(
        "--version", action="version", version=f"citeseek {VERSION}", help=describe("version")
    )
    _common(parser, config=None, agents=None, verbose=False)
    # Where it is not named, argparse formats a usage to find it out.
    commands = parser.add_subparsers(
        prog=parser.prog, metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    for name in COMMANDS:
        what = describe(name)
        commands.add_parser(name, help=what, description=what).command = name
    return parser


def _common(parser: argparse.ArgumentParser, **defaults: object) -> None:
    """Add the options that may stand before or behind the command."""
    group = parser.add_argument_group(describe("group_settings"))
    group.add_argument(
        "--config", metavar="PATH", default=defaults["config"], help=describe("config")
    )
    group.add_argument(
        "--agents", metavar="PATH", default=defaults["agents"], help=describe("agents")
    )
    group.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=defaults["verbose"],
        help=describe("verbose"),
    )


class _OfLibraries(logging.Filter):
    """Leaves out what libraries warn of, which is for their callers, unless all is ``verbose``.

    What they say of addresses, they say with passwords and keys: stars stand for those.
    """

    def __init__(self, *, verbose: bool) -> None:
        super().__init__()
        self._verbose = verbose

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; of a library, without secrets."""
        if record.name.partition(".")[0] == "citeseek":
            return True
        if not self._verbose and record.levelno < logging.ERROR:
            return False
        from citeseek.trace.redaction import Redactor  # noqa: PLC0415 - only where one speaks

        record.msg, record.args = Redactor().text(record.getMessage()), None
        return True


def _log_to_stderr(*, verbose: bool) -> None:
    from citeseek.observing.log_lines import JsonLines, Once, TextLines  # noqa: PLC0415 - as below
    from citeseek.settings import log_format  # noqa: PLC0415 - not for the help

    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if log_format() == "json" else TextLines())
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])
    logging.captureWarnings(capture=True)
    handler.addFilter(_OfLibraries(verbose=verbose))
    # A server reads its settings anew for each conversation.
    logging.getLogger("citeseek.settings").addFilter(Once())
    if not verbose:
        # A failed search or model is told once, as the command's own word.
        for name in TOLD_BY_COMMANDS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
