"""What ``--help`` and wrong options say, in the language of the locale.

No setting is known yet when it is said, so the language of the settings does not count.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any
from unicodedata import east_asian_width

from citeseek.i18n import ENGLISH
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli.line_breaks import break_lines, columns_of

# What argparse says by itself, which it hands to gettext, and what says it in the catalogues.
_OF_ARGPARSE = {
    "usage: ": "usage",
    "positional arguments": "positional",
    "options": "options",
    "show this help message and exit": "help",
    "show program's version number and exit": "version",
    "%(prog)s: error: %(message)s\n": "error",
    "argument %(argument_name)s: %(message)s": "of_argument",
    "the following arguments are required: %s": "missing",
    "unrecognized arguments: %s": "unrecognized",
    "expected one argument": "one_value",
    "expected at least one argument": "some_values",
    "invalid choice: %(value)r (choose from %(choices)s)": "invalid_choice",
    "invalid %(type)s value: %(value)r": "invalid_value",
    "ignored explicit argument %r": "no_value",
    "ambiguous option: %(option)s could match %(matches)s": "ambiguous",
}


def describe(key: str, /, **values: object) -> str:
    """Return what the help says under ``key``, for argparse, to which a per cent sign says more."""
    return locale_catalogue()(f"help.{key}", **values).replace("%", "%%")


def say_of_argparse(sentence: str) -> str:
    """Return a sentence of argparse itself, as the locale has it; English where it has none."""
    words = locale_catalogue()
    key = _OF_ARGPARSE.get(sentence)
    return words(f"help.{key}") if key and words.lang != ENGLISH else sentence


class HelpFormatter(argparse.HelpFormatter):
    """Breaks lines by the columns that they take, also between characters without spaces."""

    def __init__(self, prog: str, **layout: Any) -> None:
        # One is made for each option; argparse would load shutil to learn how wide the terminal is.
        super().__init__(prog, **{"width": columns_of(sys.stdout) - 2, **layout})

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else _lines(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(f"{indent}{line}" for line in _lines(text, width - len(indent)))


def _lines(text: str, columns: int) -> list[str]:
    return list(break_lines(" ".join(text.split()), columns, _columns))


def _columns(text: str) -> int:
    """Return how many columns ``text`` takes, which has no emoji and no marks above letters."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
