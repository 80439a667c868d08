"""A time of day: read from text in Chinese or English, as minutes since midnight."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from citeseek.verification.values import numerals
from citeseek.verification.values.quantity import CLOCK, Quantity

_HOURS, _HALF_DAY, _MINUTES = 24, 12, 60
_LATE = frozenset("下午 傍晚 晚上 晚间 当晚 今晚".split())
_EARLY = frozenset("凌晨 清晨 早上 早晨 上午".split())
FIRST = frozenset("0123456789").union(part[0] for part in _LATE | _EARLY)
"""What a time of day begins with: nearly all characters of a text are left behind at this look."""
_HAN = f"[{numerals.HAN_CHARS}]{{1,3}}"


@cache
def pattern() -> re.Pattern[str]:
    """Return how a time of day is written, compiled when it is first needed."""
    part = "|".join((*_LATE, *_EARLY))
    half = r"(?P<half>[ap])(?:\.m\.|m\b)"
    return re.compile(
        "(?:"
        rf"(?<![A-Za-z0-9_.:])(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d{{2}}))? ?{half}"
        r"|(?<![A-Za-z0-9_.:])(?P<hour24>\d{1,2}):(?P<minute24>\d{2})(?![\d:]|\.\d)"
        rf"|(?P<part>{part})(?P<told>\d{{1,2}}|{_HAN})[点时:](?P<past>\d{{1,2}}|{_HAN}|半|整)?分?"
        rf"|(?<![\d.])(?P<hour_of>\d{{1,2}})(?:[点时](?P<minute_of>\d{{1,2}})分|时(?![代间期速段长刻]))"
        r")",
        re.IGNORECASE,
    )


def read(match: re.Match[str]) -> Quantity | None:
    """Return the time of a match of :func:`pattern`; None when a day has no such hour.

    ``is_vague`` of it is true when the half of the day is not told: "at 7:30".
    """
    group = {name: value for name, value in match.groupdict().items() if value}
    hour = _number(
        next(group[name] for name in ("hour", "hour24", "told", "hour_of") if name in group)
    )
    past = next(
        (group[name] for name in ("minute", "minute24", "past", "minute_of") if name in group), "0"
    )
    minute = _MINUTES // 2 if past == "半" else 0 if past == "整" else _number(past)
    half, part = group.get("half", "").casefold(), group.get("part", "")
    if hour > (_HALF_DAY if half else _HOURS) or minute >= _MINUTES:
        return None
    if half or part:
        is_late = half == "p" or part in _LATE
        hour = (hour % _HALF_DAY) + _HALF_DAY * is_late if hour <= _HALF_DAY else hour
    is_padded = group.get("hour24", "").startswith("0")
    is_vague = not (half or part or is_padded) and 0 < hour <= _HALF_DAY
    value = Fraction(_MINUTES * (hour % _HOURS) + minute)
    return Quantity(value, Fraction(1), CLOCK, is_vague=is_vague)


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else int(numerals.of_han(written))
