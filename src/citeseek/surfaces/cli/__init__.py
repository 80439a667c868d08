"""The command line: data on standard output, progress and notes on standard error.

Exit codes: 0 results, 1 nothing found, 2 bad input, 3 the search failed. A command is a module of
this package with ``HELP``, ``arguments(parser)`` and ``run(options) -> exit code``; what a command
needs is imported when it runs.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from citeseek.errors import CiteseekError, SearchFailed
from citeseek.surfaces.cli.output import BAD_INPUT, FAILED, say
from citeseek.version import VERSION

COMMANDS = ("search", "ask", "engines", "settings")

DESCRIPTION = "Search the web for people and for language models, with the sources."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    # A command is over before garbage would matter, and collecting while importing costs 5 ms.
    gc.disable()
    options = _parser().parse_args(argv)
    _log_to_stderr(verbose=options.verbose)
    command: ModuleType = options.command
    try:
        exit_code: int = command.run(options)
    except SearchFailed as error:
        for failure in (*error.earlier, error):
            say(str(failure))
        return FAILED
    except CiteseekError as error:
        say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has seen enough; the interpreter must not try again at exit.
        sys.stdout = None
        return 0
    return exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="citeseek", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"citeseek {VERSION}")
    _common(parser, config=None, agents=None, verbose=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        _common(command, **dict.fromkeys(("config", "agents", "verbose"), argparse.SUPPRESS))
        module.arguments(command)
        command.set_defaults(command=module)
    return parser


def _common(parser: argparse.ArgumentParser, **defaults: object) -> None:
    """Add the options that may stand before or behind the command."""
    group = parser.add_argument_group("settings")
    group.add_argument(
        "--config", metavar="PATH", default=defaults["config"], help="config.json to read"
    )
    group.add_argument(
        "--agents", metavar="PATH", default=defaults["agents"], help="agents.json to read"
    )
    group.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=defaults["verbose"],
        help="log what is done",
    )


def _log_to_stderr(*, verbose: bool) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="citeseek: %(message)s"
    )
    if not verbose:
        # A failed search is told once, as the command's own last word.
        logging.getLogger("citeseek.service").setLevel(logging.CRITICAL)
