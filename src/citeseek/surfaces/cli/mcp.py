"""``citeseek mcp``: the tools for programs that speak the Model Context Protocol."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from citeseek.extras import missing
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    BAD_INPUT,
    FOUND,
    TOLD_BY_COMMANDS,
    catalogue_of,
    say,
    settings_for,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import add_listening_options

if TYPE_CHECKING:
    from citeseek.settings import Settings

PORT = 8_001


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--http",
        action="store_true",
        help=describe("mcp.http"),
    )
    add_listening_options(parser, PORT)


def run(options: argparse.Namespace) -> int:
    """Serve until the host closes standard input, or until a signal comes."""
    from importlib.util import find_spec  # noqa: PLC0415 - imported when run

    if not find_spec("mcp"):
        say(missing("mcp"))
        return BAD_INPUT
    # Whoever reads the log of a server does not see the answers.
    for name in TOLD_BY_COMMANDS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    try:
        if options.http:
            _http(options)
        else:
            _stdio(options)
    except KeyboardInterrupt:
        return FOUND
    finally:
        # Looking for garbage once more would hold up the end.
        gc.disable()
        gc.freeze()
    return FOUND


def _stdio(options: argparse.Namespace) -> None:
    from citeseek.surfaces.mcp.stdio import serve_stdio  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    _check_engines(settings)
    if sys.stdin is not None and sys.stdin.isatty():
        from citeseek.health.texts import locate  # noqa: PLC0415 - for people alone

        about = locate("docs/mcp.md")
        say(catalogue_of(settings)("cli.mcp_waiting", about=about))
    _collect_garbage()
    # SIGTERM cancels it.
    with suppress(asyncio.CancelledError):
        asyncio.run(serve_stdio(settings))


def _http(options: argparse.Namespace) -> None:
    from citeseek.surfaces.server.connections import (  # noqa: PLC0415 - imported when run
        ConnectionLimits,
    )
    from citeseek.surfaces.server.listening import (  # noqa: PLC0415 - imported when run
        address_of,
        listen,
        serve,
    )
    from citeseek.surfaces.server.rules import Rules  # noqa: PLC0415 - imported when run

    settings, rules = settings_for(options, lambda read: Rules.of(read, host=options.host))
    _check_engines(settings)
    with listen(rules.host, PORT if options.port is None else options.port) as listening:
        # What is refused is refused before the second that this takes.
        from citeseek.surfaces.mcp.http import http_app  # noqa: PLC0415 - imported when run
        from citeseek.surfaces.mcp.protected_resource import PATH  # noqa: PLC0415 - likewise

        app = http_app(settings, rules)
        address = address_of(listening)

        def ready() -> None:
            print(f"Citeseek MCP: {address}{PATH}", flush=True)
            say(catalogue_of(settings)("cli.serve_stop"))

        _collect_garbage()
        serve(app, listening, limits=ConnectionLimits.of(settings), ready=ready)


def _check_engines(settings: Settings) -> None:
    """Raise InvalidInput where the settings name an engine that there is not.

    Each search would fail, and a model, which names none, can do nothing about it.
    """
    from citeseek.faces import OPEN  # noqa: PLC0415 - imported when run
    from citeseek.searching.engine_choice import groups, usual_names  # noqa: PLC0415 - likewise
    from citeseek.searching.engine_registry import Registry  # noqa: PLC0415 - likewise

    registry = Registry()
    groups(*usual_names(settings.face(OPEN), registry, settings), registry, settings)


def _collect_garbage() -> None:
    """Collect from here on: a server runs long enough for garbage to matter."""
    gc.freeze()
    gc.enable()
