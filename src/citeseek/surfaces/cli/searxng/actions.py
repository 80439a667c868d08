"""What each action of ``citeseek searxng`` does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from citeseek.errors import InvalidInput
from citeseek.health.texts import locate
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.searxng_host import BrokenOff, DeploymentFailed, files
from citeseek.searxng_host.files import FOLDER, command_line, quote_path
from citeseek.searxng_host.own import OwnSearxng
from citeseek.searxng_host.status import Status
from citeseek.settings import Settings
from citeseek.surfaces.cli.output import BAD_INPUT, FOUND, NOTHING, say, settings_of
from citeseek.surfaces.cli.searxng.status_text import (
    AskedAddress,
    as_json,
    in_words,
    next_steps,
    print_row,
)


def own_searxng(options: argparse.Namespace) -> OwnSearxng:
    """Return the SearXNG that the options mean. None of our own files has to be right for it."""
    try:
        settings = settings_of(options)
    except InvalidInput as error:
        words = locale_catalogue()
        say(words("cli.searxng.config_ignored", reason=words.sentence(error)))
        settings = Settings.load(config={}, agents={})
    options.asked = AskedAddress.of(settings, options.config)
    named = options.folder is not None
    return OwnSearxng(_folder(options), settings.home, settings.sources.env, named=named)


def _init(own: OwnSearxng, options: argparse.Namespace) -> int:
    if options.folder is None and not own.folder.exists() and files.are_in(Path()):
        raise InvalidInput(
            "This folder has the files of a SearXNG; nothing was written.",
            hint=f"`{command_line('init', Path())}` writes what is missing of them here, "
            "`citeseek searxng init DIR` others elsewhere.",
            values={"case": "searxng_here", "command": command_line("init", Path())},
        )
    written = files.write(own.folder, port=options.port or files.PORT, force=options.force)
    _print_written(written, quote_path(own.folder), options.port)
    words, folder = locale_catalogue(), quote_path(own.folder)
    print()
    print_row("with_docker", command_line("up", own.folder))
    print_row("", words("cli.searxng.or", command=f"cd {folder} && docker compose up -d"))
    print_row("without_docker", f"{_native(own.folder)}\n")
    if port := files.published_port(own.folder):
        print_row("then", f"curl 'http://localhost:{port}/search?q=test&format=json'")
        next_steps(port, options.asked)
    else:
        status = command_line("status", own.folder)
        print_row("then", words("cli.searxng.shows_address", command=status))
    print_row("guide", locate("docs/searxng.zh.md" if words.lang == "zh" else "docs/searxng.md"))
    return FOUND


def _print_written(written: files.Written, folder: str, port: int | None) -> None:
    words = locale_catalogue()
    print(words("cli.searxng.written", folder=folder, files=", ".join(written.new)))
    if written.copies:
        print(words("cli.searxng.copies", files=", ".join(written.copies)))
    for name, led_to in written.links:
        print(words("cli.searxng.was_link", name=name, target=led_to))
    if written.left:
        print(words("cli.searxng.left", files=", ".join(written.left)))
        if port and files.COMPOSE_FILE in written.left:
            say(words("cli.searxng.port_no_effect", port=port, file=files.COMPOSE_FILE))
    if files.SETTINGS_FILE in written.new:
        print(words("cli.searxng.fresh_secret"))


def _up(own: OwnSearxng, options: argparse.Namespace) -> int:
    status = _status_or_warning(own) if options.native else own.status()
    if options.native or (status and status.running and status.how == "native"):
        return _up_native(own, options, status)
    if missing := own.missing_for_docker():
        words = locale_catalogue()
        say(words.sentence(missing))
        folder = _folder(options)
        docker, native = command_line("up", folder), _native(folder)
        of_docker, of_native = locate("docs/searxng.md#docker"), locate("docs/searxng.md#native")
        print(words("cli.searxng.two_ways"), file=sys.stderr)
        print(words("cli.searxng.way_docker", docker=docker, guide=of_docker), file=sys.stderr)
        print(words("cli.searxng.way_native", native=native, guide=of_native), file=sys.stderr)
        return BAD_INPUT
    if options.port:
        raise InvalidInput(
            "--port is for --native.",
            hint="With Docker the port stands in docker-compose.yml, under ports.",
            values={"case": "port_of_native"},
        )
    own.up_docker()
    return _print_started(own, options)


def _up_native(own: OwnSearxng, options: argparse.Namespace, status: Status | None) -> int:
    if status and status.how == "docker" and not status.has_ended:
        raise InvalidInput(
            f"SearXNG runs already (docker, {status.since}) with {status.settings}; "
            "it was left as it is.",
            hint=f"Stop it first: {command_line('down', _folder(options))}",
            values={
                "case": "searxng_runs",
                "since": str(status.since),
                "settings": str(status.settings),
                "command": command_line("down", _folder(options)),
            },
        )
    is_new = own.up_native(
        options.port, ask=lambda terms: _agrees(terms, yes=options.yes), tell=_tell
    )
    if not is_new:
        say(locale_catalogue()("cli.searxng.runs_already"))
    return _print_started(own, options)


def _down(own: OwnSearxng, _: argparse.Namespace) -> int:
    if how := own.down(tell=_tell):
        print(locale_catalogue()("cli.searxng.stopped", how=how))
    else:
        say(locale_catalogue()("cli.searxng.nothing_to_stop"))
        _say_untold(own)
    return FOUND


def _restart(own: OwnSearxng, options: argparse.Namespace) -> int:
    if own.restart(tell=_tell):
        return _print_started(own, options)
    command = command_line("up", _folder(options))
    say(locale_catalogue()("cli.searxng.start_by", command=command))
    _say_untold(own)
    return NOTHING


def _status(own: OwnSearxng, options: argparse.Namespace) -> int:
    status = own.status()
    if status is None:
        _say_untold(own)
    if options.json:
        return as_json(own, status, _folder(options))
    return in_words(own, status, _folder(options), options.asked)


def _logs(own: OwnSearxng, options: argparse.Namespace) -> int:
    if text := own.last_lines(options.count):
        print(text)
        return FOUND
    say(locale_catalogue()("cli.searxng.no_log"))
    return NOTHING


ACTIONS: dict[str, Callable[[OwnSearxng, argparse.Namespace], int]] = {
    "init": _init,
    "up": _up,
    "down": _down,
    "status": _status,
    "logs": _logs,
    "restart": _restart,
}


def _print_started(own: OwnSearxng, options: argparse.Namespace) -> int:
    status = own.status()
    code = in_words(own, status, _folder(options), options.asked)
    if status and code == FOUND:
        next_steps(status.port, options.asked)
    return code


def _status_or_warning(own: OwnSearxng) -> Status | None:
    """Return the status; what Docker does not tell keeps nobody from going without it."""
    try:
        return own.status()
    except DeploymentFailed as error:
        words = locale_catalogue()
        say(words("cli.searxng.warning", reason=words.sentence(error)))
        return None


def _say_untold(own: OwnSearxng) -> None:
    if untold := own.untold():
        say(locale_catalogue().sentence(untold))


def _tell(code: str, /, **values: str) -> None:
    say(locale_catalogue()(f"cli.searxng.{code}", **values))


def _agrees(terms: Mapping[str, str], *, yes: bool) -> bool:
    """Show what would be installed and return whether the person at the terminal wants it."""
    print(locale_catalogue()("cli.searxng.terms", **terms), file=sys.stderr)
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidInput(
            "Nothing was installed: there is nobody to ask.",
            hint="--yes agrees to it.",
            values={"case": "nobody_to_ask"},
        )
    try:
        # Whoever sees the question may answer it with Ctrl-C at once.
        print(locale_catalogue()("cli.searxng.agree"), end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise BrokenOff("nothing_installed") from None


def _native(folder: Path) -> str:
    """Return the command that starts it without Docker where Docker would have it."""
    port = files.published_port(folder) or files.PORT
    return command_line(
        "up", folder, "--native", *(["--port", str(port)] if port != files.PORT else [])
    )


def _folder(options: argparse.Namespace) -> Path:
    return FOLDER if options.folder is None else options.folder
