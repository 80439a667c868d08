"""The places in documents that marks name behind a number: ``p. 2``, ``第 2 页``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeseek.locators import Locator, LocatorKind

# A range names no more pages than that; nobody cites so many for one sentence.
_MAX_PAGES = 20

_RANGE = r"\d{1,9}+(?:[ ]?[-–—－~～][ ]?\d{1,9}+)?+"
# What no name of a sheet or chapter holds: it could end the mark, or open something in it.
NO_NAME = r"\[\]【】［］()<>`*~$\\|\n,，、;；"
_NAME = rf"[^\s{NO_NAME}][^{NO_NAME}]{{0,39}}+"

# As `citeseek.locators` writes them, in every language, and as people do.
_KINDS: dict[LocatorKind, str] = {
    "page": rf"""
        (?:pp[ ]?\.?|pages)[ ]?{_RANGE}(?:,[ ]?{_RANGE})*+
      | (?:p|pg|page)[ ]?\.?[ ]?{_RANGE}
      | 第[ ]?{_RANGE}(?:[ ]?[、,，和][ ]?{_RANGE})*+[ ]?[页頁]
      | {_RANGE}[ ]?(?:[页頁]|ページ)""",
    "slide": rf"(?:slide|スライド)[ ]?{_RANGE} | 第[ ]?{_RANGE}[ ]?张幻灯片",
    "chapter": rf"""
        (?:ch|chapter)[ ]?\.?[ ]?{_RANGE} | 第[ ]?{_RANGE}[ ]?章
      | ch\.[ ]{_NAME} | 第[ ](?:[^\s{NO_NAME}章][^{NO_NAME}章]{{0,39}}+)章""",
    "sheet": rf"(?:sheet[ ]|シート[ ]?|工作表[ ]?){_NAME}",
    "time": r"at[ ](?:\d{1,2}+:)++\d\d | (?:\d{1,2}+:)++\d\d[ ]?(?:处|から)",
}
PLACE = rf"(?:{'|'.join(_KINDS.values())})"
"""A place as a regular expression, to be compiled with VERBOSE and IGNORECASE."""

PLACE_BEGINS = "psca第工スシ页頁ペ处か章张"
"""The letters with which the part of a place begins that is no number."""

_PLACE = re.compile(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()),
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERS = re.compile(r"(\d{1,9})(?:[ ]?[-–—－~～][ ]?(\d{1,9}))?")
_AROUND_NAME = re.compile(
    r"\A(?:sheet |ch\. |シート ?|工作表 ?|第 |at )|(?: ?(?:处|から)| ?章)\Z", re.IGNORECASE
)


def read_place(written: str) -> Iterator[Locator]:
    """Yield the parts of a document that a place names, each page of a range."""
    found = _PLACE.fullmatch(written)
    kind = found.lastgroup if found else None
    numbers = _NUMBERS.findall(written)
    if kind in ("page", "slide") or (kind == "chapter" and numbers):
        for first, last in numbers:
            for number in range(int(first), min(int(last or first), int(first) + _MAX_PAGES) + 1):
                yield Locator(kind, number)  # type: ignore[arg-type]
    elif kind:
        yield Locator(kind, 0, _AROUND_NAME.sub("", written))  # type: ignore[arg-type]
