"""What ``--help`` and wrong options say, in the language of the locale.

No setting is known yet when it is said, so the language of the settings does not count.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from unicodedata import east_asian_width

from citeseek.i18n import ENGLISH
from citeseek.i18n.locale_language import locale_catalogue

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
_WIDE = "WF"
# No line of Chinese or Japanese begins with one of these.
_CLOSING = "，。、；：！？）”』」》%)],.;:"


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

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else list(_lines(text, width))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(f"{indent}{line}" for line in _lines(text, width - len(indent)))


def _lines(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of ``text``, which end between words and between wide characters."""
    line, used = "", 0
    for unit in _units(" ".join(text.split())):
        wanted = sum(map(_columns, unit.rstrip()))
        if line and used + wanted > columns:
            yield line.rstrip()
            line, used = "", 0
        line += unit
        used += sum(map(_columns, unit))
    if line:
        yield line.rstrip()


def _units(text: str) -> Iterator[str]:
    """Yield what stays on one line: a word or a wide character, with what closes it."""
    unit = ""
    for char in text:
        ends = unit.endswith(" ") or (unit and (_is_wide(char) or _is_wide(unit[-1])))
        if ends and char not in f"{_CLOSING} ":
            yield unit
            unit = ""
        unit += char
    yield unit


def _columns(char: str) -> int:
    return 2 if _is_wide(char) else 1


def _is_wide(char: str) -> bool:
    return east_asian_width(char) in _WIDE
