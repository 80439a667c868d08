"""``citeseek engines [check [ID …]]``: what each engine can do, and whether it is well."""

from __future__ import annotations

import argparse
from typing import Any

from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    catalogue_of,
    ending_with,
    finish,
    print_json,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import add_engines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help=describe("json"))
    actions = parser.add_subparsers(metavar="check", dest="action")
    check = actions.add_parser("check", help=describe("engines.check"))
    check.add_argument("ids", nargs="*", metavar="ID", help=describe("engines.ids"))
    add_engines(check)
    check.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help=describe("json")
    )


def run(options: argparse.Namespace) -> int:
    """Print a row for each engine."""
    return _check(options) if options.action == "check" else _list(options)


def _list(options: argparse.Namespace) -> int:
    from citeseek.searching.engine_registry import Registry  # noqa: PLC0415 - imported when run
    from citeseek.surfaces import overview  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli import table_output  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    if options.json:
        print_json(overview.engines(Registry(), settings))
    else:
        words = catalogue_of(settings)
        table_output.print_engines(overview.engines(Registry(), settings, words), words)
    return FOUND


def _check(options: argparse.Namespace) -> int:
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.health.engine_checks import WELL, EngineCheck, check_engines  # noqa: PLC0415 - when run
    from citeseek.surfaces.cli import table_output  # noqa: PLC0415 - imported when run

    settings = settings_of(options)

    async def check() -> list[EngineCheck]:
        async with Client(settings) as client:
            return await check_engines(
                client, [*options.ids, *options.engines], settings.evidence_folder
            )

    findings = finish(check(), catalogue_of(settings)("cli.checking_engines"))
    exit_code = FOUND if all(finding.state in WELL for finding in findings) else FAILED
    with ending_with(exit_code):
        if options.json:
            print_json([_row(to_builtins(finding)) for finding in findings])
        else:
            table_output.print_findings(findings, catalogue_of(settings))
    return exit_code


def _row(check: dict[str, Any]) -> dict[str, Any]:
    """Return a check for programs: of its failure, what happened and what can be done."""
    failure = check.pop("failure", {})
    named = {"detail": failure.get("message"), "hint": failure.get("hint")}
    return check | {name: text for name, text in named.items() if text}
