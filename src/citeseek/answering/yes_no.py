"""Questions for yes or no that name a value: what they come to as a question for that value.

"Is the bridge 421 metres long?" is answered by how long it is. Asked in its own words, only the
page that says yes would be found.
"""

from __future__ import annotations

import re

import msgspec

from citeseek.answering.asked_properties import units_beside
from citeseek.answering.word_tables import degrees
from citeseek.verification.values import partial_dates, quantity_reading

_ENGLISH = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b", re.IGNORECASE
)
_CHINESE = re.compile(r"[吗么][?？\s]*$|是不是|是否|有没有")
_ASKERS = re.compile(r"是不是|是否|有没有|[吗么](?=[?？\s]*$)")
_HAN = re.compile(r"[\u4e00-\u9fff]")
# What stands before the day of an event, and not before a year that belongs to a name.
_ON = re.compile(r"\b(?:in|on|since|from|until) (?:the )?\Z")
_MAKER = re.compile(
    r"\bby (?:the )?[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|of|the|de|van|von|and))*(?=\W*$)"
)
# What a number counts that stands at the end of a name: Line 2, Python 3.
_NAME = re.compile(r"[A-Z][\w.'’+#-]* \Z")


class OpenQuestion(msgspec.Struct, frozen=True):
    """A question for a value, and what a number may measure that answers, empty for anything."""

    text: str
    units: frozenset[str] = frozenset()


def open_question(text: str) -> OpenQuestion:
    """Return the question for the value that ``text`` names; itself where it is of no such kind."""
    if _HAN.search(text):
        return _chinese(text) if _CHINESE.search(text) else OpenQuestion(text)
    return _english(text) if _ENGLISH.match(text) else OpenQuestion(text)


def _english(text: str) -> OpenQuestion:
    small = text[0].lower() + text[1:]
    for match in partial_dates.pattern().finditer(small):
        told = partial_dates.read(match)
        before = _ON.search(small[: match.start()])
        if (told.year or told.month) and before:
            return OpenQuestion(f"when {small[: before.start()]}{small[match.end() :]}")
    for match in quantity_reading.pattern().finditer(small):
        number = quantity_reading.read(match)
        if number is None or number.kind == "ordinal" or not re.search(r"\d", match[0]):
            continue
        if not number.kind and _NAME.search(small[: match.start()]):
            continue
        adjective = re.match(
            rf"[ -]({'|'.join(filter(str.isascii, degrees()))})\b", small[match.end() :]
        )
        asker = f"how {adjective[1]}" if adjective else "how much"
        end = match.end() + (adjective.end() if adjective else 0)
        rest = f"{small[: match.start()]}{small[end:]}"
        return OpenQuestion(f"{asker} {rest}", units_beside(number.kind))
    if maker := _MAKER.search(small):
        return OpenQuestion(f"who {small[: maker.start()]}{small[maker.end() :]}")
    return OpenQuestion(text)


def _chinese(text: str) -> OpenQuestion:
    plain = _ASKERS.sub("", text)
    for match in partial_dates.pattern().finditer(plain):
        told = partial_dates.read(match)
        if told.year and match[0].endswith(tuple("年月日号")):
            return OpenQuestion(f"{plain[: match.start()]}哪年{plain[match.end() :]}")
    for match in quantity_reading.pattern().finditer(plain):
        number = quantity_reading.read(match)
        if number is not None and number.kind not in ("", "ordinal"):
            rest = f"{plain[: match.start()]}多少{plain[match.end() :]}"
            return OpenQuestion(rest, units_beside(number.kind))
    return OpenQuestion(text)
