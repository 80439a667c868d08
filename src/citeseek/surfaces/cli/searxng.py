"""``citeseek searxng init|up|down|status|logs|restart``: a SearXNG of one's own."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.output import (
    BAD_INPUT,
    FAILED,
    FOUND,
    NOTHING,
    print_json,
    say,
    settings_of,
)

if TYPE_CHECKING:
    from citeseek.deployment.own import OwnSearxng
    from citeseek.deployment.status import Status

HELP = "a SearXNG of your own: write its files, start it, stop it, look at it"
FOLDER = "searxng"
MAX_PORT = 65_535
SHOWN_LINES = 50
TWO_WAYS = """\
SearXNG can be started in two ways:
  with Docker     install or start Docker, then: citeseek searxng up     (docs/searxng.md#docker)
  without Docker  citeseek searxng up --native                           (docs/searxng.md#native)"""


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
            help=f"folder with the files (default: ./{FOLDER})",
        )
        return added

    init = action("init", "write docker-compose.yml, settings.yml, limiter.toml and .env")
    init.add_argument("--force", action="store_true", help="replace files that exist")
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


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    from citeseek.deployment.failures import (  # noqa: PLC0415 - imported when run
        DeploymentFailed,
    )
    from citeseek.deployment.own import OwnSearxng  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    own = OwnSearxng(_folder(options), settings.home, settings.sources.env)
    try:
        return ACTIONS[options.action](own, options)
    except DeploymentFailed as error:
        if error.log:
            print(error.log, file=sys.stderr)
        say(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        say(f"{error.filename or 'a file of SearXNG'}: {error.strerror}.")
    return FAILED


def _init(own: OwnSearxng, options: argparse.Namespace) -> int:
    from citeseek.deployment import files  # noqa: PLC0415 - imported when run

    port = options.port or files.PORT
    written = files.write(own.folder, port=port, force=options.force)
    folder = shlex.quote(str(own.folder))
    argument = "" if options.folder is None else f" {folder}"
    print(f"Written into {folder}: {', '.join(path.name for path in written)}.")
    print("settings.yml holds a fresh secret; keep it to yourself.\n")
    print(f"With Docker:     citeseek searxng up{argument}")
    print(f"                 or: cd {folder} && docker compose up -d")
    print(f"Without Docker:  citeseek searxng up{argument} --native\n")
    print(f"Then:            curl 'http://localhost:{port}/search?q=test&format=json'")
    _print_next(port)
    print("Guide:           docs/searxng.md (中文: docs/searxng.zh.md)")
    return FOUND


def _up(own: OwnSearxng, options: argparse.Namespace) -> int:
    running = own.status()
    if options.native or (running and running.how == "native"):
        return _up_native(own, options, running)
    if missing := own.docker.missing():
        say(missing)
        print(TWO_WAYS, file=sys.stderr)
        return BAD_INPUT
    if options.port:
        raise InvalidInput(
            "--port is for --native.",
            hint="With Docker the port stands in docker-compose.yml, under ports.",
        )
    own.up_docker()
    return _print_started(own.status())


def _up_native(own: OwnSearxng, options: argparse.Namespace, running: Status | None) -> int:
    from citeseek.deployment.files import PORT  # noqa: PLC0415 - imported when run

    if running and running.how == "docker":
        say("SearXNG runs already (docker).")
        return _print_status(running)
    is_new = own.up_native(
        options.port or PORT, ask=lambda terms: _agrees(terms, yes=options.yes), tell=say
    )
    if not is_new:
        say("SearXNG runs already (native).")
    return _print_started(own.status())


def _down(own: OwnSearxng, _: argparse.Namespace) -> int:
    if how := own.down(tell=say):
        print(f"SearXNG was stopped ({how}).")
    else:
        say("SearXNG does not run; nothing to stop.")
    return FOUND


def _restart(own: OwnSearxng, options: argparse.Namespace) -> int:
    if own.restart(with_folder=options.folder is not None, tell=say):
        return _print_started(own.status())
    say("SearXNG does not run; `citeseek searxng up` starts it.")
    return NOTHING


def _status(own: OwnSearxng, options: argparse.Namespace) -> int:
    status = own.status()
    if not options.json:
        return _print_status(status)
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    print_json({"running": status is not None, **(to_builtins(status) if status else {})})
    return _exit_code(status)


def _logs(own: OwnSearxng, options: argparse.Namespace) -> int:
    if text := own.last_lines(options.count):
        print(text)
        return FOUND
    say("there is no log: SearXNG was not started here, or has said nothing.")
    return NOTHING


ACTIONS = {
    "init": _init,
    "up": _up,
    "down": _down,
    "status": _status,
    "logs": _logs,
    "restart": _restart,
}


def _print_started(status: Status | None) -> int:
    code = _print_status(status)
    if status and code == FOUND:
        _print_next(status.port)
    return code


def _print_status(status: Status | None) -> int:
    """Print the status and return its exit code."""
    if status is None:
        from citeseek.deployment import address, files  # noqa: PLC0415 - imported when run

        print("SearXNG does not run: none that was started here.")
        if address.is_well(files.PORT):
            print(address.taken(files.PORT))
        return _exit_code(status)
    who = f"pid {status.pid}, " if status.pid else ""
    where = status.url or "an address inside Docker alone"
    print(f"SearXNG runs at {where} ({status.how}, {who}since {status.since}).")
    print(f"Health:          {'OK' if status.healthy else 'no answer; see the log'}")
    print(f"Settings:        {status.settings}")
    print(f"Log:             {status.log or 'docker compose logs searxng'}")
    return _exit_code(status)


def _exit_code(status: Status | None) -> int:
    """Return 0 when SearXNG is well, 1 when it does not run, 3 when it runs and is not well."""
    if status is None:
        return NOTHING
    return FOUND if status.healthy else FAILED


def _print_next(port: int) -> None:
    from citeseek.deployment.files import PORT  # noqa: PLC0415 - imported when run

    if port != PORT:
        print(f"                 export SEARXNG_BASE_URL=http://localhost:{port}")
    print("                 citeseek doctor searxng")
    print('                 citeseek search "test" --engine searxng')


def _agrees(terms: str, *, yes: bool) -> bool:
    """Show what would be installed and return whether the person at the terminal wants it."""
    print(terms, file=sys.stderr)
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidInput(
            "Nothing was installed: there is nobody to ask.", hint="--yes agrees to it."
        )
    print("Install it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _folder(options: argparse.Namespace) -> Path:
    return Path(FOLDER) if options.folder is None else options.folder


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to {MAX_PORT}")
    return int(text)


def _lines(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return int(text)
