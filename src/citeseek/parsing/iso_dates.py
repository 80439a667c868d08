"""Dates as pages write them, turned into ISO 8601."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime

from citeseek.models import Page

# Names of the months, whole and short, in the languages that pages write them in.
_MONTHS = (
    (
        "jan january januar jänner januari janvier janv enero ene gennaio gen janeiro stycznia "
        "styczeń ledna leden января январь янв січня ocak ianuarie gener tammikuuta január "
        "ιανουαρίου"
    ),
    (
        "feb february februar feber februari février févr fév febrero febbraio febr fevereiro fev "
        "lutego luty února únor февраля февраль фев лютого şubat februarie febrer helmikuuta "
        "február φεβρουαρίου"
    ),
    (
        "mar march märz maerz mrz mars marzo março marca marzec března březen maart марта март "
        "мар березня mart martie març maaliskuuta március μαρτίου"
    ),
    (
        "apr april avril avr abril abr aprile kwietnia kwiecień dubna duben апреля апрель апр "
        "квітня nisan aprilie huhtikuuta április απριλίου"
    ),
    (
        "may mai mayo maggio mag maio maja maj května květen mei мая май травня mayıs maig "
        "toukokuuta május μαΐου"
    ),
    (
        "jun june juni juin junio giugno giu junho czerwca czerwiec června červen июня июнь июн "
        "червня haziran iunie juny kesäkuuta június ιουνίου"
    ),
    (
        "jul july juli juillet juil julio luglio lug julho lipca lipiec července červenec июля "
        "июль июл липня temmuz iulie juliol heinäkuuta július ιουλίου"
    ),
    (
        "aug august août aout agosto ago sierpnia sierpień srpna srpen augustus augusti августа "
        "август авг серпня ağustos agost elokuuta augusztus αυγούστου"
    ),
    (
        "sep sept september septembre septiembre settembre set setembro września wrzesień září "
        "сентября сентябрь сен вересня eylül septembrie setembre syyskuuta szeptember σεπτεμβρίου"
    ),
    (
        "oct october okt oktober octobre octubre ottobre ott outubro out października październik "
        "října říjen октября октябрь окт жовтня ekim octombrie lokakuuta október οκτωβρίου"
    ),
    (
        "nov november novembre noviembre novembro listopada listopad ноября ноябрь ноя листопада "
        "kasım noiembrie marraskuuta νοεμβρίου"
    ),
    (
        "dec december dez dezember décembre déc diciembre dic dicembre dezembro grudnia grudzień "
        "prosince prosinec декабря декабрь дек грудня aralık decembrie desembre joulukuuta "
        "δεκεμβρίου"
    ),
)
_MONTH_OF = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split()}
_NAME = r"(?P<name>[^\W\d_]{3,12})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?"
_TIME = r"(?:[ t]?\d{1,2}:\d{2}(?::\d{2})?)?"
_ABSOLUTE = (
    r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})" + _TIME,
    r"(?:(?P<year>\d{4}) ?[年년] ?)?(?P<month>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日号일]" + _TIME,
    rf"{_NAME} {_DAY}(?:,? (?P<year>\d{{4}}))?{_TIME}",
    rf"{_DAY}[ -](?:de |d')?{_NAME}(?:(?:,| del?|-)?[ -]?(?P<year>\d{{4}}))?{_TIME}",
    # With full stops the day stands first in every country; with strokes only where it can be told.
    r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})" + _TIME,
    r"(?P<day>1[3-9]|2\d|3[01])([/-])(?P<month>\d{1,2})\2(?P<year>\d{4})" + _TIME,
    r"(?P<month>0?[1-9]|1[0-2])([/-])(?P<day>1[3-9]|2\d|3[01])\2(?P<year>\d{4})" + _TIME,
)
_WITHIN = tuple(rf"(?<!\d){pattern.removesuffix(_TIME)}(?!\d)" for pattern in _ABSOLUTE)
_AGE = (
    r"(?P<count>\d{1,4}) ?个? ?(?:"
    r"(?P<seconds>秒钟?|sec(?:ond)?s?)|(?P<minutes>分钟?|min(?:ute)?s?)|(?P<hours>小时|h(?:ou)?rs?)"
    r"|(?P<days>天|日|days?)|(?P<weeks>周|星期|weeks?)"
    r") ?(?:[之以]?前|ago)"
)
_DAYS = rf"(?:(?P<today>今天|today)|(?P<one>昨天|yesterday)|(?P<two>前天)){_TIME}"
_EXACT = frozenset({"seconds", "minutes", "hours"})
_AROUND = " -–—·•,，|"


def parse_date(text: str, now: datetime | None = None) -> str | None:
    """Return the date that ``text`` is, as ISO 8601, or None when it is not a date.

    ``now`` is when the text was written. Without it an age ("3天前") and a day without its year
    ("11月2日") are None. An age in hours or less gives the minute, everything else the day in the
    zone of ``now``; an age in months or years names no day and is None.
    """
    text = _fold(text)
    try:
        for pattern in _ABSOLUTE:
            if (match := re.fullmatch(pattern, text)) and _names_a_month(match):
                return _absolute(match, now)
        return _relative(text, now) if now else None
    except ValueError:  # a day that no calendar has
        return None


def find_date(text: str) -> str | None:
    """Return the first date with a year in ``text``, as ISO 8601; None without one."""
    text = _fold(text)
    matches = (match for pattern in _WITHIN for match in re.finditer(pattern, text))
    for match in sorted(matches, key=lambda match: match.start()):
        with suppress(ValueError):
            if _names_a_month(match) and (day := _absolute(match, None)):
                return day
    return None


def read_sent_at(page: Page) -> datetime | None:
    """Return the ``Date`` of the answer, the clock for the ages on its page; None without one."""
    try:
        return parsedate_to_datetime(page.headers.get("date", ""))
    except ValueError:
        return None


def _fold(text: str) -> str:
    return " ".join(text.split()).strip(_AROUND).casefold()


def _names_a_month(match: re.Match[str]) -> bool:
    name = match.groupdict().get("name")
    return name is None or name in _MONTH_OF


def _absolute(match: re.Match[str], now: datetime | None) -> str | None:
    found = match.groupdict()
    month = int(found.get("month") or _MONTH_OF[found["name"]])
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
