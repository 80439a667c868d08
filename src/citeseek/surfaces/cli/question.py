"""The question of a command, in quotes or as bare words with options anywhere between them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

_NO_OPTION = (
    "what begins with - and is no option stands behind --, as in: citeseek search -- tea -green"
)


def add_question(
    parser: argparse.ArgumentParser, name: str, *, help_text: str, may_be_missing: bool = False
) -> None:
    """Add the question ``name`` to a command; one that is missing is None."""
    words = parser.add_argument(name, metavar=name.upper(), nargs="*", help=help_text)
    # Whether there are any is known when what stands behind options has been read as well.
    words.required = False
    parser.set_defaults(question_name=name, may_be_missing=may_be_missing)


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command, with one text for all words of its question.

    Exit as ``argparse`` does for what is no option and belongs to no question.
    """
    options, rest = parser.parse_known_args(argv)
    command: argparse.ArgumentParser = options.parser
    name = getattr(options, "question_name", None)
    options_end = rest.index("--") if "--" in rest else len(rest)
    unknown = [word for word in rest[:options_end] if word.startswith("-") or name is None]
    if unknown:
        hint = "" if name is None else f" ({_NO_OPTION})"
        command.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if name is not None:
        words = [*(getattr(options, name) or ()), *rest[:options_end], *rest[options_end + 1 :]]
        may_be_missing = options.may_be_missing or getattr(options, "batch", None)
        if not words and not may_be_missing:
            command.error(f"the following arguments are required: {name.upper()}")
        setattr(options, name, " ".join(words) if words else None)
    return options
