"""Citation marks: their written forms, the numbers that they name, and where a text has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

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
_BODY = rf"{_WORD}?{_ITEM}(?:[ ]?{_SEPARATOR.pattern}[ ]?{_ITEM})*"
# OpenAI's models name the place in the source behind a dagger.
_DAGGER = r"(?:†[^\[\]【】\n]{0,40})?"

MARK = re.compile(rf"\[{_BODY}\]|［{_BODY}[］\]]|【{_BODY}{_DAGGER}】", re.IGNORECASE)
"""A mark as a whole.

``[1]``, ``[1, 3]``, ``[1; 3]``, ``[1-3]``, ``[citation:2]``, ``[cite: 2]``, ``[Source 2]``,
``[Document 2]``, ``[来源2]``, ``［1］``, ``【1】``, ``【1†source】``.
"""

MARK_CUT = re.compile(
    r"[\[［【][a-z来源引用参考]{0,8}+[:：]?[ ]?[\d,，、;； –—－~～-]*+"
    r"(?:(?<!\[)†[^\[\]【】\n]{0,40}+)?\Z",
    re.IGNORECASE,
)
"""The beginning of what may become a mark, whose rest has not arrived."""

_NUMBERS = re.compile(r"\d.*\Z")
_THOUSANDS = re.compile(r"\[\d{1,3}(?:,\d{3})+\]")


@dataclass(frozen=True, slots=True)
class Item:
    """One member of a mark: ``first`` to ``last``, the same for a single number, as written."""

    first: int
    last: int
    text: str

    @property
    def numbers(self) -> range:
        """The numbers meant, none when the range falls or is longer than ``MAX_RANGE``."""
        size = self.last - self.first + 1
        return range(self.first, self.last + 1) if 0 < size <= MAX_RANGE else range(0)


def items(mark: str) -> tuple[Item, ...]:
    """Return the members of ``mark``, none when it only looks like a mark.

    A number never begins with 0: ``[01]`` is a set of characters, ``[0, 1]`` an interval and
    ``[1,000]`` a thousand. The lone ``[0]`` is a mark with a number that no source has.
    """
    numbers = _NUMBERS.search(mark.partition("†")[0].rstrip("］]】"))
    parts = [part.strip() for part in _SEPARATOR.split(numbers[0])] if numbers else [""]
    found = tuple(item for part in parts if (item := _item(part)))
    if len(found) < len(parts) or (len(parts) > 1 and not all(item.first for item in found)):
        return ()
    return found


def like_thousands(mark: str) -> bool:
    """Whether ``mark`` may be one large number with separators, such as ``[1,200]``."""
    return _THOUSANDS.fullmatch(mark) is not None


def _item(part: str) -> Item | None:
    ends = [end.strip() for end in _DASH.split(part)]
    if any(len(end) > _MAX_DIGITS or (len(end) > 1 and int(end[0]) == 0) for end in ends):
        return None
    return Item(int(ends[0]), int(ends[-1]), part)


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
