"""``citeseek tools``: what a model is told of the tools, as the JSON that its API takes."""

from __future__ import annotations

import argparse
from typing import Any

from citeseek.extras import missing
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import BAD_INPUT, FOUND, print_json, say, settings_of

MCP = "mcp"
FORMS = ("openai", "responses", "anthropic", "contract", MCP)
LANGUAGES = ("zh", "en", "ja")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--form",
        choices=FORMS,
        default=FORMS[0],
        help=describe("tools.form", usual=FORMS[0]),
    )
    parser.add_argument(
        "--lang",
        choices=LANGUAGES,
        help=describe("tools.lang"),
    )


def run(options: argparse.Namespace) -> int:
    """Print a list of tools."""
    if options.form == MCP:
        return _mcp()
    from citeseek.tools.schemas import offer_tools  # noqa: PLC0415 - imported when run
    from citeseek.tools.tool_language import tool_language  # noqa: PLC0415 - imported when run

    lang = options.lang or tool_language(settings_of(options))
    print_json(offer_tools(options.form, lang))
    return FOUND


def _mcp() -> int:
    from importlib.util import find_spec  # noqa: PLC0415 - imported when run

    if not find_spec("mcp"):
        say(missing("mcp"))
        return BAD_INPUT
    from citeseek.surfaces.mcp.offered import list_tools  # noqa: PLC0415 - imported when run

    shown: list[dict[str, Any]] = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in list_tools()
    ]
    print_json(shown)
    return FOUND
