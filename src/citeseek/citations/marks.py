"""Citation marks: their written forms, the numbers and places that they name, where they stand.

A place is one in a document that a mark names behind a number: ``p. 2``, ``第 2 页``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from citeseek.locators import Locator, LocatorKind

# A range names no more pages than that; nobody cites so many for one sentence.
_MAX_PAGES = 20

_PLACE_RANGE = r"\d{1,9}+(?:[ ]?[-–—－~～][ ]?\d{1,9}+)?+"
# What no name of a sheet or chapter holds: it could end the mark, or open something in it.
NO_NAME = r"\[\]【】［］()<>`*~$\\|\n,，、;；"
_NAME = rf"[^\s{NO_NAME}][^{NO_NAME}]{{0,39}}+"

# As `citeseek.locators` writes them, in every language, and as people do.
_KINDS: dict[LocatorKind, str] = {
    "page": rf"""
        (?:pp[ ]?\.?|pages)[ ]?{_PLACE_RANGE}(?:,[ ]?{_PLACE_RANGE})*+
      | (?:p|pg|page)[ ]?\.?[ ]?{_PLACE_RANGE}
      | 第[ ]?{_PLACE_RANGE}(?:[ ]?[、,，和][ ]?{_PLACE_RANGE})*+[ ]?[页頁]
      | {_PLACE_RANGE}[ ]?(?:[页頁]|ページ)""",
    "slide": rf"(?:slide|スライド)[ ]?{_PLACE_RANGE} | 第[ ]?{_PLACE_RANGE}[ ]?张幻灯片",
    "chapter": rf"""
        (?:ch|chapter)[ ]?\.?[ ]?{_PLACE_RANGE} | 第[ ]?{_PLACE_RANGE}[ ]?章
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
_PLACE_NUMBERS = re.compile(r"(\d{1,9})(?:[ ]?[-–—－~～][ ]?(\d{1,9}))?")
_AROUND_NAME = re.compile(
    r"\A(?:sheet |ch\. |シート ?|工作表 ?|第 |at )|(?: ?(?:处|から)| ?章)\Z", re.IGNORECASE
)
# Digits past this many are a typing accident, and int() refuses very long ones.
_MAX_DIGITS = 9
# A longer range is not a citation: nobody reads that many sources for one sentence.
MAX_RANGE = 20

_SEPARATOR = re.compile("[,，、;；]")
_DASH = re.compile("[-–—－~～]")
_ITEM = rf"\d+(?:[ ]?{_DASH.pattern}[ ]?\d+)?"
_WORD = (
    r"(?:(?:citation|cite|sources?|doc(?:ument)?|result)(?::[ ]?|[ ])"
    "|(?:来源|引用|参考)[ ：:]?)"
)
_BETWEEN = rf"(?:[ ]?(?:{_SEPARATOR.pattern}|[:：])[ ]?|[ ])"
_MEMBER = rf"{_ITEM}(?:{_BETWEEN}{PLACE})*"
_BODY = rf"{_WORD}?{_MEMBER}(?:[ ]?{_SEPARATOR.pattern}[ ]?{_MEMBER})*"
# OpenAI's models name the place in the source behind a dagger.
_DAGGER = r"(?:†[^\[\]【】\n]{0,40})?"

MARK = re.compile(
    rf"\[{_BODY}\]|［{_BODY}[］\]]|【{_BODY}{_DAGGER}】|\[\^\d{{1,9}}\]", re.IGNORECASE | re.VERBOSE
)
"""A mark as a whole.

``[1]``, ``[1, 3]``, ``[1; 3]``, ``[1-3]``, ``[citation:2]``, ``[cite: 2]``, ``[Source 2]``,
``[Document 2]``, ``[来源2]``, ``［1］``, ``【1】``, ``【1†source】``; with a place in a document
``[1, p. 2]``, ``[1, pp. 2–4; 3]``, ``[1, 第 2 页]``. ``[^1]``, that of a footnote, names no number.
"""

MARK_CUT = re.compile(
    r"[\[［【]\^?[a-z来源引用参考]{0,8}+[:：]?[ ]?(?:"
    rf"(?=\d)[\d,，、;； –—－~～:：-]*+[{PLACE_BEGINS}][^{NO_NAME}]{{0,50}}+"
    rf"(?:[,，、;；][^{NO_NAME}]{{0,50}}+){{0,8}}+"
    r"|[\d,，、;； –—－~～:：-]*+(?:(?<!\[)†[^\[\]【】\n]{0,40}+)?)\Z",
    re.IGNORECASE,
)
"""The beginning of what may become a mark, whose rest has not arrived."""

_NUMBERS = re.compile(r"\d.*\Z", re.DOTALL)
_THOUSANDS = re.compile(r"\[\d{1,3}(?:,\d{3})+\]")
_PART = re.compile(rf"(?P<place>{PLACE})|(?P<item>{_ITEM})", re.IGNORECASE | re.VERBOSE)


def read_place(written: str) -> Iterator[Locator]:
    """Yield the parts of a document that a place names, each page of a range."""
    found = _PLACE.fullmatch(written)
    kind = found.lastgroup if found else None
    numbers = _PLACE_NUMBERS.findall(written)
    if kind in ("page", "slide") or (kind == "chapter" and numbers):
        for first, last in numbers:
            for number in range(int(first), min(int(last or first), int(first) + _MAX_PAGES) + 1):
                yield Locator(kind, number)  # type: ignore[arg-type]
    elif kind:
        yield Locator(kind, 0, _AROUND_NAME.sub("", written))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Item:
    """One member of a mark: ``first`` to ``last``, the same for a single number, as written.

    ``places`` are where in a document it is cited, as written: ``p. 2``.
    """

    first: int
    last: int
    text: str
    places: tuple[str, ...] = ()

    @property
    def numbers(self) -> range:
        """The numbers meant, none when the range falls or is longer than ``MAX_RANGE``."""
        size = self.last - self.first + 1
        return range(self.first, self.last + 1) if 0 < size <= MAX_RANGE else range(0)

    @property
    def written(self) -> str:
        """The member with its places, as it stands in a mark."""
        return ", ".join((self.text, *self.places))

    @property
    def locators(self) -> tuple[Locator, ...]:
        """The parts of a document that ``places`` name."""
        return tuple(one for place in self.places for one in read_place(place))


def items(mark: str) -> tuple[Item, ...]:
    """Return the members of ``mark``, none when it only looks like a mark.

    A number may be written with two digits (``[01]``), and else never begins with 0: ``[007]`` is
    a name, ``[0, 1]`` an interval and ``[1,000]`` a thousand. The lone ``[0]`` is a mark with a
    number that no source has.
    """
    numbers = _NUMBERS.search(mark.partition("†")[0].rstrip("］]】"))
    if numbers is None or is_footnote(mark):
        return ()
    found: list[Item] = []
    for part in _PART.finditer(numbers[0]):
        if part["place"] is None:
            item = _item(part[0])
            if item is None:
                return ()
            found.append(item)
        elif found:
            found[-1] = replace(found[-1], places=(*found[-1].places, part[0]))
    if len(found) > 1 and not all(item.first for item in found):
        return ()
    return tuple(found)


def is_footnote(mark: str) -> bool:
    """Whether ``mark`` is that of a footnote, ``[^1]``, which cites no number."""
    return mark.startswith("[^")


def like_thousands(mark: str) -> bool:
    """Whether ``mark`` may be one large number with separators, such as ``[1,200]``."""
    return _THOUSANDS.fullmatch(mark) is not None


def _item(part: str) -> Item | None:
    ends = [end.strip() for end in _DASH.split(part)]
    if any(len(end) > _MAX_DIGITS or _is_padded(end, len(ends)) for end in ends):
        return None
    return Item(int(ends[0]), int(ends[-1]), part)


def _is_padded(end: str, ends: int) -> bool:
    """Whether a number begins with 0 as no number of a source does."""
    is_two = ends == 1 and len(end) == 2 and int(end) > 0  # noqa: PLR2004 - 01 to 09
    return len(end) > 1 and int(end[0]) == 0 and not is_two


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark in running text.

    ``text`` is the mark, after a ``!`` when one stands directly before it. It is a part of a
    reference link if the label ``unless`` is defined anywhere in the answer, or if the label
    ``following``, which is itself a mark, was defined before.
    """

    start: int
    end: int
    text: str
    unless: str = ""
    following: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A finished link whose whole text is a mark, with its target as it is written."""

    start: int
    end: int
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class LinkDefinition:
    """A link reference definition, up to and with its line end."""

    start: int
    end: int
    label: str


Event: TypeAlias = Mark | Link | LinkDefinition


def label_key(label: str) -> str:
    """Return the form in which two labels are the same to a Markdown reader."""
    return " ".join(label.split()).casefold()
