"""``citeseek doctor [PART …]``: what is well, what is not, and what mends it."""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeseek.health.finding import PARTS
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    ending_with,
    finish,
    print_json,
    wrong_value,
)

if TYPE_CHECKING:
    from citeseek.health.finding import Finding
    from citeseek.i18n import Catalogue

# Sign and style of each status: colour alone tells nobody anything.
MARKS = {
    "error": ("✗", "bold red"),
    "warning": ("!", "yellow"),
    "skipped": ("-", "dim"),
    "ok": ("✓", "green"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "parts",
        nargs="*",
        type=_part,
        metavar="PART",
        help=describe("doctor.parts", parts=", ".join(PARTS)),
    )
    parser.add_argument(
        "--ask",
        action="store_true",
        help=describe("doctor.ask"),
    )
    parser.add_argument("--json", action="store_true", help=describe("json"))


def run(options: argparse.Namespace) -> int:
    """Print what was found out; 3 when something is an error."""
    from citeseek.health.examination import examine  # noqa: PLC0415 - imported when run
    from citeseek.health.finding import is_well  # noqa: PLC0415 - imported when run
    from citeseek.health.settings.readable_files import read_files  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.output import catalogue_of  # noqa: PLC0415 - imported when run

    if not options.verbose:
        # What is logged on the way is a finding here, with its repair.
        logging.getLogger("citeseek").setLevel(logging.CRITICAL)
    files = read_files(options.config, options.agents)
    findings = finish(examine(files, options.parts, ask=options.ask), "Looking at each part …")
    ok = is_well(findings)
    with ending_with(FOUND if ok else FAILED):
        if options.json:
            from msgspec import to_builtins  # noqa: PLC0415 - imported when run

            print_json({"findings": to_builtins([each.text() for each in findings]), "ok": ok})
        else:
            _print(findings, catalogue_of(files.settings), verbose=options.verbose)
    return FOUND if ok else FAILED


def _part(name: str) -> str:
    if name not in PARTS:
        from citeseek.settings.values import UnreadableValue  # noqa: PLC0415 - not for the help

        raise wrong_value(name, UnreadableValue("value_choice", known=", ".join(PARTS)))
    return name


def _print(findings: Sequence[Finding], say: Catalogue, *, verbose: bool = False) -> None:
    """Print what is wrong with its repair; what is well is one line, unless all is ``verbose``."""
    from rich.text import Text  # noqa: PLC0415 - imported when run

    from citeseek.health.texts import locate  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.terminal import console  # noqa: PLC0415 - imported when run

    out = console()
    told = [each.text(say) for each in findings]
    for finding in (one for one in told if verbose or one.status != "ok"):
        mark, style = MARKS[finding.status]
        word = say(f"cli.{finding.status}")
        out.print(Text(f"{mark} {word}  {finding.part}: {finding.code}", style=style))
        for sentence in filter(None, (finding.seen, finding.why)):
            out.print(Text(f"    {sentence}"))
        for number, block in enumerate(finding.blocks):
            if number:
                out.print()
            for line in block.splitlines():
                out.print(Text(f"      {line}", style="cyan"))
        if finding.docs:
            out.print(Text(f"    {say('cli.more', docs=locate(finding.docs))}", style="dim"))
    if not verbose and (well := dict.fromkeys(one.part for one in told if one.status == "ok")):
        mark, style = MARKS["ok"]
        out.print(Text(f"{mark} {say('cli.ok')}  {', '.join(well)}", style=style))
    counts: Counter[str] = Counter(finding.status for finding in findings)
    parts = (f"{counts[status]} {say(f'cli.{status}')}" for status in MARKS if counts[status])
    out.print(Text(", ".join(parts), style="bold"))
