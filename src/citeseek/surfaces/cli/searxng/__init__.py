"""``citeseek searxng init|up|down|status|logs|restart``: a SearXNG of one's own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from citeseek.surfaces.cli.output import FAILED, say

__all__ = ["arguments", "run"]

MAX_PORT = 65_535
SHOWN_LINES = 50


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    from citeseek.searxng_host import DeploymentFailed  # noqa: PLC0415 - when run
    from citeseek.surfaces.cli.searxng.actions import (  # noqa: PLC0415 - imported when run
        ACTIONS,
        own_searxng,
    )

    try:
        return ACTIONS[options.action](own_searxng(options), options)
    except KeyboardInterrupt as signal:
        # What was left half done is noted by what did it.
        notes = getattr(
            signal, "__notes__", ["broken off; `citeseek searxng status` shows what runs."]
        )
        for note in notes:
            say(note)
        raise
    except DeploymentFailed as error:
        if error.log:
            print(error.log, file=sys.stderr)
        say(str(error))
        return FAILED


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)

    def action(name: str, meaning: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=meaning, description=meaning, allow_abbrev=False)
        added.add_argument(
            "folder",
            metavar="DIR",
            nargs="?",
            type=Path,
            help="folder with the files (default: ./searxng)",
        )
        return added

    init = action("init", "write docker-compose.yml, settings.yml, limiter.toml and .env")
    init.add_argument(
        "--force", action="store_true", help="replace files that exist, with copies of the old"
    )
    init.add_argument(
        "--port", type=_port, metavar="N", help="port on this machine for Docker (default: 8080)"
    )
    up = action("up", "start SearXNG and wait until it is well")
    up.add_argument(
        "--native", action="store_true", help="without Docker, in an environment of its own"
    )
    up.add_argument(
        "--port", type=_port, metavar="N", help="with --native: port to listen on (default: 8080)"
    )
    up.add_argument("--yes", action="store_true", help="install what --native needs, do not ask")
    action("down", "stop SearXNG")
    status = action("status", "show whether it runs, since when, on which port, and its health")
    status.add_argument("--json", action="store_true", help="print JSON")
    logs = action("logs", "print the end of SearXNG's log")
    logs.add_argument(
        "-n",
        type=_lines,
        default=SHOWN_LINES,
        dest="count",
        metavar="N",
        help=f"number of lines (default: {SHOWN_LINES})",
    )
    action("restart", "restart SearXNG, so that it reads its settings again")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:9]) <= MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no port from 1 to {MAX_PORT}")
    return int(text)


def _lines(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:9]) < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no number of lines")
    return int(text[:9])
