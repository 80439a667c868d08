"""``citeseek doctor [PART …]``: what is well, what is not, and what mends it."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from citeseek.health.finding import PARTS
from citeseek.surfaces.cli.drawn_lines import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    YELLOW,
    DrawnLine,
    is_terminal,
    print_lines,
)
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.line_breaks import break_lines, cell_len, columns_of
from citeseek.surfaces.cli.output import FAILED, FOUND, ending_with, finish, print_json
from citeseek.surfaces.cli.shared_options import wrong_value

if TYPE_CHECKING:
    from citeseek.health.finding import Finding, FindingText, Status
    from citeseek.i18n import Catalogue

# Sign and style of each status: colour alone tells nobody anything.
MARKS: dict[Status, tuple[str, str]] = {
    "error": ("✗", RED),
    "warning": ("!", YELLOW),
    "skipped": ("-", DIM),
    "ok": ("✓", GREEN),
}
_INDENT = "    "


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
    """Print what is wrong with its repair; parts that are well share a line, unless ``verbose``."""
    told = [each.text(say) for each in findings]
    shown = [one for one in told if verbose or one.status != "ok"]
    columns = columns_of(sys.stdout) if is_terminal(sys.stdout) else None
    lines = [line for one in shown for line in _finding_lines(one, say, columns)]
    counts = Counter(one.status for one in shown)
    not_well = {one.part for one in shown}
    if well := dict.fromkeys(one.part for one in told if one.part not in not_well):
        counts["ok"] += len(well)
        lines.append(_headline("ok", ", ".join(well), say))
    parts = (f"{counts[status]} {say(f'cli.{status}')}" for status in MARKS if counts[status])
    print_lines((*lines, DrawnLine(", ".join(parts), style=BOLD)), sys.stdout)


def _headline(status: Status, what: str, say: Catalogue) -> DrawnLine:
    mark, style = MARKS[status]
    return DrawnLine(what, f"{mark} {say(f'cli.{status}')}  ", style, before_style=style)


def _finding_lines(
    finding: FindingText, say: Catalogue, columns: int | None
) -> Iterator[DrawnLine]:
    from citeseek.health.texts import locate  # noqa: PLC0415 - imported when run

    yield _headline(finding.status, f"{finding.part}: {finding.code}", say)
    for sentence in filter(None, (finding.seen, finding.why)):
        yield DrawnLine(sentence, _INDENT)
    for number, block in enumerate(finding.blocks):
        if number:
            yield DrawnLine("")
        for line in block.splitlines():
            yield from _repair_lines(line, columns)
    if finding.docs:
        yield DrawnLine(say("cli.more", docs=locate(finding.docs)), _INDENT, DIM)


def _repair_lines(line: str, columns: int | None) -> Iterator[DrawnLine]:
    """Yield a line that mends something; its remark goes above it where both do not fit."""
    indent = f"{_INDENT}  "
    command, _, remark = line.partition("  # ")
    if remark and columns and cell_len(indent + line) > columns:
        before = f"{indent}# "
        for part in break_lines(remark, columns - len(before)):
            yield DrawnLine(part, before, CYAN, before_style=CYAN)
        line = command
    yield DrawnLine(line, indent, CYAN, is_copied=True)
