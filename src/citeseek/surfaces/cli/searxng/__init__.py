"""``citeseek searxng init|up|down|status|logs|restart``: a SearXNG of one's own."""

from __future__ import annotations

import argparse
import sys

from citeseek.i18n.locale_language import locale_catalogue
from citeseek.settings.values import UnreadableValue
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FAILED, say
from citeseek.surfaces.cli.shared_options import read_path, wrong_value

__all__ = ["arguments", "run"]

MAX_PORT = 65_535
SHOWN_LINES = 50


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    from citeseek.searxng_host import BrokenOff, DeploymentFailed  # noqa: PLC0415 - when run
    from citeseek.surfaces.cli.searxng.actions import (  # noqa: PLC0415 - imported when run
        ACTIONS,
        own_searxng,
    )

    try:
        return ACTIONS[options.action](own_searxng(options), options)
    except BrokenOff as broken:
        say(locale_catalogue()(f"cli.searxng.{broken.code}", **broken.values))
        raise
    except KeyboardInterrupt:
        say(locale_catalogue()("cli.searxng.broken_off"))
        raise
    except DeploymentFailed as error:
        if error.log:
            print(error.log, file=sys.stderr)
        say(locale_catalogue().sentence(error))
        return FAILED


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)

    def action(name: str) -> argparse.ArgumentParser:
        meaning = describe(f"searxng.{name}")
        added = actions.add_parser(name, help=meaning, description=meaning, allow_abbrev=False)
        added.add_argument(
            "folder",
            metavar="DIR",
            nargs="?",
            type=read_path,
            help=describe("searxng.folder"),
        )
        return added

    init = action("init")
    init.add_argument("--force", action="store_true", help=describe("searxng.force"))
    init.add_argument("--port", type=_port, metavar="N", help=describe("searxng.port"))
    up = action("up")
    up.add_argument("--native", action="store_true", help=describe("searxng.native"))
    up.add_argument("--port", type=_port, metavar="N", help=describe("searxng.native_port"))
    up.add_argument("--yes", action="store_true", help=describe("searxng.yes"))
    action("down")
    status = action("status")
    status.add_argument("--json", action="store_true", help=describe("json"))
    logs = action("logs")
    logs.add_argument(
        "-n",
        type=_lines,
        default=SHOWN_LINES,
        dest="count",
        metavar="N",
        help=describe("searxng.lines", usual=SHOWN_LINES),
    )
    action("restart")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:9]) <= MAX_PORT:
        raise wrong_value(text, UnreadableValue("value_port", most=str(MAX_PORT)))
    return int(text)


def _lines(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:9]) < 1:
        raise wrong_value(text, UnreadableValue("value_lines"))
    return int(text[:9])
