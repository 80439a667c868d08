"""Whether what a command prints is in one language: what is left when names are taken out."""

from __future__ import annotations

import re

HAN = re.compile("[\u4e00-\u9fff]")
# What is the same in every language: commands, addresses, paths, options, settings, versions.
_NAMES = re.compile(
    r"`[^`]*`"
    r"|https?://\S+"
    r"|[\w.~-]*/[^\s，。；：（）、]+"
    # A line of the doctor that is to be copied, up to what it is for.
    r"|(?m:^ {6}[^#\n]*)"
    r"|--?[A-Za-z][\w-]*(?:[ =][A-Z]+)?"
    r"|\b[\w-]+(?:[._:][\w*-]+)+\b"
    r"|\b[A-Z][A-Z0-9_]+\b"
    r"|\bciteseek(?: [a-z-]+)*"
    r"|'[^']*'|\"[^\"]*\""
)
_WORD = re.compile(r"[A-Za-z]{2,}")


def english_words(text: str, names: frozenset[str]) -> list[str]:
    """Return the words of ``text``, Chinese, that are English and none of ``names``."""
    left = _NAMES.sub(" ", text)
    return [word for word in _WORD.findall(left) if word.lower() not in names]


def chinese_letters(text: str) -> list[str]:
    """Return the Chinese characters of ``text``, which is English."""
    return HAN.findall(text)
