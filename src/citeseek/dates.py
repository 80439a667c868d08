"""Dates as result pages write them, in Chinese and English, turned into ISO 8601."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime

from citeseek.models import Page

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_TIME = r"(?:[ t]?\d{1,2}:\d{2}(?::\d{2})?)?"
_ABSOLUTE = (
    r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})" + _TIME,
    r"(?:(?P<year>\d{4}) ?年 ?)?(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?日" + _TIME,
    rf"{_NAME} (?P<day>\d{{1,2}})(?:,? (?P<year>\d{{4}}))?{_TIME}",
    rf"(?P<day>\d{{1,2}}) {_NAME}(?:,? (?P<year>\d{{4}}))?{_TIME}",
)
_AGE = (
    r"(?P<count>\d{1,4}) ?个? ?(?:"
    r"(?P<seconds>秒钟?|sec(?:ond)?s?)|(?P<minutes>分钟?|min(?:ute)?s?)|(?P<hours>小时|h(?:ou)?rs?)"
    r"|(?P<days>天|日|days?)|(?P<weeks>周|星期|weeks?)"
    r") ?(?:[之以]?前|ago)"
)
_DAYS = rf"(?:(?P<today>今天|today)|(?P<one>昨天|yesterday)|(?P<two>前天)){_TIME}"
_EXACT = frozenset({"seconds", "minutes", "hours"})
_AROUND = " -–—·•,，|"


def published(text: str, now: datetime | None = None) -> str | None:
    """Return the date that ``text`` is, as ISO 8601, or None when it is not a date.

    ``now`` is when the text was written. Without it an age ("3天前") and a day without its year
    ("11月2日") are None. An age in hours or less gives the minute, everything else the day in the
    zone of ``now``; an age in months or years names no day and is None.
    """
    text = " ".join(text.split()).strip(_AROUND).casefold()
    try:
        for pattern in _ABSOLUTE:
            if match := re.fullmatch(pattern, text):
                return _absolute(match, now)
        return _relative(text, now) if now else None
    except ValueError:  # a day that no calendar has
        return None


def sent_at(page: Page) -> datetime | None:
    """Return the ``Date`` of the answer, the clock for the ages on its page; None without one."""
    try:
        return parsedate_to_datetime(page.headers.get("date", ""))
    except ValueError:
        return None


def _absolute(match: re.Match[str], now: datetime | None) -> str | None:
    found = match.groupdict()
    month = int(found.get("month") or _MONTHS.index(found["name"][:3]) + 1)
    day = int(found["day"])
    if found["year"]:
        return date(int(found["year"]), month, day).isoformat()
    if now is None:
        return None
    latest = date(now.year, month, day)
    return (latest if latest <= now.date() else date(now.year - 1, month, day)).isoformat()


def _relative(text: str, now: datetime) -> str | None:
    if match := re.fullmatch(_AGE, text):
        unit = next(name for name in match.groupdict() if name != "count" and match[name])
        then = now - timedelta(**{unit: int(match["count"])})
        return then.isoformat(timespec="minutes") if unit in _EXACT else then.date().isoformat()
    if match := re.fullmatch(_DAYS, text):
        ago = 0 if match["today"] else 1 if match["one"] else 2
        return (now.date() - timedelta(days=ago)).isoformat()
    return None
