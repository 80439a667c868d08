"""The options that commands share, and how a command line with a question is read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli.help_texts import describe, say_of_argparse

if TYPE_CHECKING:
    from citeseek.settings.values import Reader, UnreadableValue

T = TypeVar("T")


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
    parser.add_argument("-n", "--count", type=read_whole, metavar="N", help=describe("count"))
    parser.add_argument("--timeout", type=read_number, metavar="S", help=describe("search_timeout"))


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


def read_whole(text: str) -> int:
    """Return the whole number that an option has; what may be asked for is checked elsewhere."""
    return _read_as(int, text, "value_whole")


def read_number(text: str) -> float:
    """Return the number that an option has, likewise."""
    return _read_as(float, text, "value_number")


def _read_as(kind: Callable[[str], T], text: str, fault: str) -> T:
    from citeseek.settings.values import UnreadableValue  # noqa: PLC0415 - not for the help

    try:
        return kind(text)
    except ValueError:
        raise wrong_value(text, UnreadableValue(fault)) from None


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
