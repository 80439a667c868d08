"""A line with dates: which of its words belong to which, and which are the ends of a range."""

from __future__ import annotations

import re

from citeseek.extraction.date_labels import COLON, DAY_BEFORE, SEPARATOR, WEEKDAY, is_told
from citeseek.parsing.iso_dates import find_dates, fold
from citeseek.parsing.months import MONTH_OF

# A bracket that opens behind a date tells of it, unless it leads to another.
_BRACKETS = re.compile(r"\s*[(（\[【]([^)）\]】\d]{1,30})[)）\]】]")
_HOUR = re.compile(
    r"^[\s,，(（]*(?:at |um |à |alle |a las |às |в |kl\.? |오[전후] ?|[上下]午 ?|午[前後] ?)?"
    r"\d{1,2}(?::|：|\.|h|時|时|点|시) ?(?:\d{1,2}(?:[:.]\d\d)?[分분]?)?"
    r"(?: ?[ap]\.?m\b\.?| uhr\b)?[)）]?"
)
# "日" in brackets and the like, and what else may stand between a day and the next one of a range.
_DAY_AFTER = re.compile(rf"^[\s,]*(?:[(（][^)）]{{1,3}}[)）]|{WEEKDAY}\b)")
_TO = (
    r"(?:[–—~～〜-]|to|until|till|through|bis|au|à|al|a|até|ao|hasta|fino al|до|по|до|do|tot|til"
    r"|إلى|حتى|至|到|から|부터|ile)"
)
_RANGE = re.compile(rf"\s*(?:{_TO}\s*){{1,2}}(?:the|zum|den|le|el|il)?\s*")
# A day without its year, as the first of a range has it, and as the last of one.
_FROM_DAY = re.compile(
    r"(?:(?:^|[|·•(]\s*|[:：]\s+|\b(?:from|vom|von|van|du|del|dal|de|od|с)\s)\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
    r"|(?<![\d:.,])\d{1,2}(?:st|nd|rd|th|er|\.|º)?\s(?:de\s)?(?P<name>\w{3,12})\.?"
    r"|(?P<before>\w{3,12})\.? \d{1,2}|(?<!\d)\d{1,2}(?:\.\d{1,2}\.|/\d{1,2})"
    r"|\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
    rf"\s*(?:[(（]\w[)）])?\s*{_TO}\s*(?:the\s|den\s|zum\s)?$"
)
_TO_DAY = re.compile(
    rf"^\s*{_TO}\s*(?:{WEEKDAY},?\s)?(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:de\s)?(?P<name>\w{{3,12}})"
    r"|(?P<before>\w{3,12}) \d{1,2}\b"
    r"|(?:\d{1,2}\s?[月월]\s?)?\d{1,2}\s?[日일])"
)


class Dateline:
    """A line of text with the dates in it, and which of its words belong to which.

    A label belongs to the date behind it; to the one before it in lines that end with a label, or
    where only a separator parts it from the date behind.
    """

    def __init__(self, line: str, *, day_first: bool | None) -> None:
        self.text = fold(line)
        self.dates = list(find_dates(line, day_first=day_first))
        self.spans = [
            (len(one.before), len(self.text) - len(one.after)) for one in self.dates
        ]  # fmt: skip

    def beside(self, start: int, end: int) -> tuple[str, str]:
        """Return what before and behind the text from ``start`` to ``end`` tells of it."""
        ends = [one for _, one in self.spans if one <= start]
        starts = [one for one, _ in self.spans if one >= end]
        before = self._shared(ends[-1], start)[1] if ends else self.text[:start]
        behind = self._shared(end, starts[0])[0] if starts else _own(self.text[end:])[0]
        return before, _without_hour(behind)

    def is_of_range(self, start: int, end: int) -> bool:
        """Whether a day stands there that others begin or end with: "4 May – 6 June 2026"."""
        before, behind = self.text[:start], self.text[end:]
        for one, other in self.spans:
            between = self.text[other:start] if other <= start else self.text[end:one]
            between = _without_hour(DAY_BEFORE.sub("", between))
            if (other <= start or one >= end) and _RANGE.fullmatch(between):
                return True
        days = (_FROM_DAY.search(before), _TO_DAY.match(_without_hour(behind)))
        return any(match is not None and _is_day(match) for match in days)

    def _shared(self, start: int, end: int) -> tuple[str, str]:
        """Return what between two dates belongs to the first and what to the second of them."""
        between = DAY_BEFORE.sub("", self.text[start:end])
        own, rest = _own(between)
        told = _without_hour(own)
        is_behind = self._ends_told or told[:1].isalpha()
        if len(own) < len(between) and (is_behind or is_told(rest) or not is_told(told)):
            return own, rest
        return (between, "") if is_behind and not COLON.search(between) else ("", between)

    @property
    def _ends_told(self) -> bool:
        """Whether the last date of the line has its label behind it, and the first none before."""
        if not self.spans:
            return False
        last = _own(self.text[self.spans[-1][1] :])[0]
        return is_told(last) and not is_told(self.text[: self.spans[0][0]])


def _own(behind: str) -> tuple[str, str]:
    """Return what of the words behind a date is of it alone, and the rest."""
    start = match.end() if (match := _HOUR.match(behind)) else 0
    if match := _BRACKETS.match(behind, start):
        return match[1], behind[match.end() :]
    match = SEPARATOR.search(behind, start)
    return (behind[: match.start()], behind[match.end() :]) if match else (behind, "")


def _without_hour(behind: str) -> str:
    return _DAY_AFTER.sub("", _HOUR.sub("", _DAY_AFTER.sub("", behind)))


def _is_day(match: re.Match[str]) -> bool:
    """Whether what looks like a day without its year names a month, or none at all."""
    return all(one in MONTH_OF for one in match.group("name", "before") if one)
