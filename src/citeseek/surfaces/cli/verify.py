"""``citeseek verify FILE``: repeat the verdicts of a certificate without the network."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from citeseek.concurrency.interruption import run_interruptible
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    NOTHING,
    catalogue_of,
    ending_with,
    print_json,
    say,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import read_path
from citeseek.surfaces.cli.written_dates import write_moment
from citeseek.text import plain_line, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from citeseek.certificate import Deviation, Repeated
    from citeseek.i18n import Catalogue

FORMATS = ("text", "json")
_CLAIM_CHARS = 80


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=read_path, help=describe("certificate_file"))
    parser.add_argument(
        "--key",
        metavar="FINGERPRINT",
        help=describe("verify.key"),
    )
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help=describe("format", usual="text")
    )


def run(options: argparse.Namespace) -> int:
    """Repeat; the exit code says whether all of it was repeated and came out the same."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.certificate import read, repeat  # noqa: PLC0415 - imported when run
    from citeseek.text import without_controls  # noqa: PLC0415 - imported when run

    words = catalogue_of(settings_of(options))
    signed = read(options.file, signed_by=options.key)
    found = run_interruptible(repeat(signed))
    exit_code = NOTHING if found.differences else FOUND if found.is_complete else FAILED
    with ending_with(exit_code):
        if options.format == "json":
            outcome = {"same": found.is_same, "complete": found.is_complete}
            print_json({"key": signed.fingerprint, **to_builtins(found), **outcome})
        else:
            for line in _lines(signed.fingerprint, found, words):
                print(without_controls(line))
    say(_summary(found, words))
    return exit_code


def _summary(found: Repeated, words: Catalogue) -> str:
    if found.differences:
        key = "cli.not_verified"
    elif found.is_complete:
        key = "cli.verified"
    elif found.repeated or found.quotes:
        key = "cli.partly_verified"
    else:
        key = "cli.nothing_verified"
    return words(
        key,
        differences=len(found.differences),
        repeated=found.repeated,
        all=found.verdicts,
        quotes=found.quotes,
        pages=found.pages,
        sources=found.sources,
    )


def _lines(fingerprint: str, found: Repeated, words: Catalogue) -> Iterator[str]:
    yield words("cli.signed_by", key=fingerprint)
    yield words(
        f"cli.certificate_{found.kind}",
        question=plain_line(shorten(found.question, _CLAIM_CHARS)),
        at=write_moment(found.made_at, words),
        version=found.citeseek,
        sources=found.sources,
    )
    for one in (*found.differences, *found.notes):
        yield _line(one, words)


def _line(one: Deviation, words: Catalogue) -> str:
    claim, was, now = (
        plain_line(shorten(text, _CLAIM_CHARS)) for text in (one.claim, one.was, one.now)
    )
    mark = f"[{one.number}] " if one.number else ""
    told = words(f"cli.certificate_{one.code}", was=was, now=now)
    return f"{mark}{told}{f': {claim}' if claim else ''}"
