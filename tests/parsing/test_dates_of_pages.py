"""Dates as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from citeseek.models import Page
from citeseek.parsing.iso_dates import find_dates, parse_date, read_sent_at
from citeseek.parsing.months import MONTH_OF

# Half past nine in the morning in Beijing on the second of March 2026.
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=timezone(timedelta(hours=8)))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025年11月2日", "2025-11-02"),
        (" 2025年11月2日 - ", "2025-11-02"),
        ("2025 年 11 月 2 日 14:05", "2025-11-02"),
        ("2025-11-02", "2025-11-02"),
        ("2025-11-02T08:15:00", "2025-11-02"),
        ("2025/1/9", "2025-01-09"),
        ("2025.12.31", "2025-12-31"),
        ("Nov 2, 2025", "2025-11-02"),
        ("Nov 2, 2025\u00a0·", "2025-11-02"),
        ("NOVEMBER 2 2025", "2025-11-02"),
        ("2 Sept. 2025", "2025-09-02"),
        ("2 May 2025", "2025-05-02"),
    ],
)
def test_a_whole_date_needs_no_clock(text: str, day: str) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3天前", "2026-02-27"),
        ("3 天之前", "2026-02-27"),
        ("3 days ago", "2026-02-27"),
        ("1 day ago —", "2026-03-01"),
        ("2周前", "2026-02-16"),
        ("1个星期前", "2026-02-23"),
        ("2 weeks ago", "2026-02-16"),
        ("今天 08:00", "2026-03-02"),
        ("昨天14:30", "2026-03-01"),
        ("Yesterday", "2026-03-01"),
        ("前天", "2026-02-28"),
        ("3月2日", "2026-03-02"),
        ("3月3日", "2025-03-03"),
        ("Dec 30", "2025-12-30"),
    ],
)
def test_an_age_and_a_day_without_year_count_from_the_page(text: str, day: str) -> None:
    assert parse_date(text, NOW) == day
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("10小时前", "2026-03-01T23:30+08:00"),
        ("2个小时前", "2026-03-02T07:30+08:00"),
        ("45分钟前", "2026-03-02T08:45+08:00"),
        ("30秒前", "2026-03-02T09:29+08:00"),
        ("1 hour ago", "2026-03-02T08:30+08:00"),
        ("5 mins ago", "2026-03-02T09:25+08:00"),
    ],
)
def test_a_young_age_gives_the_minute(text: str, minute: str) -> None:
    assert parse_date(text, NOW) == minute


@pytest.mark.parametrize(
    "text",
    [
        "",
        "·",
        "2025年13月1日",
        "2025-02-30",
        "2月29日",
        "Marvel 10, 2025",
        "2025年11月2日发布的公告",
        "3.11",
        "1-2/2025",
        "2025-11.02",
        "3 months ago",
        "1年前",
        "99999天前",
        "days ago",
    ],
)
def test_what_names_no_day_is_none(text: str) -> None:
    assert parse_date(text, NOW) is None


def test_the_clock_is_the_answers_own_date() -> None:
    page = Page(url="https://e.example/", headers={"date": "Mon, 02 Mar 2026 01:30:00 GMT"})
    assert read_sent_at(page) == datetime(2026, 3, 2, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize("headers", [{}, {"date": "yesterday"}])
def test_an_answer_without_date_has_no_clock(headers: dict[str, str]) -> None:
    assert read_sent_at(Page(url="https://e.example/", headers=headers)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Tuesday 5th of March 2024",
        "March 5th, 2024",
        "MAR. 5, 2024, 10:15",
        "Tue Mar 05 2024 10:15:00 GMT+0100",
        "5-Mar-2024",
        "2024-03-05T10:15:00Z",
        "Dienstag, 05.03.24",
        "Do.05.03.2024",
        "le 5 mars 2024",
        "5 de marzo del 2024",
        "5 de março de 2024",
        "5. března 2024",
        "2024. március 5.",
        "2024 m. kovo 5 d.",
        "5 d\u2019març de 2024",
        "5 березня 2024",
        "05 марта 2024 г.",
        "5 Μαρτίου 2024",
        "5 MART 2024 Salı",
        "5 tháng 3 năm 2024",
        "٥ مارس ٢٠٢٤",
        "5 آذار، 2024",
        "5 במרץ 2024",
        "5 मार्च 2024",
        "5 มีนาคม 2567",
        "2024年3月5日10:15",
        "二〇二四年三月五日",
        "令和6年3月5日",
        "民國113年3月5日",
        "2024/03/05(火)",
        "2024. 3. 5. 오전",
        "5 Maret 2024",
        "5 березня 2024 р.",
        "5 III 2024 r.",
        "5.III.2024",
        "20240305",
        "۵ مارس ۲۰۲۴",
        "۱۵ اسفند ۱۴۰۲",
        "۱۴۰۲/۱۲/۱۵",
        "2024년3월5일",
    ],
)
def test_a_date_is_found_in_the_notation_of_its_language(text: str) -> None:
    assert [found.day for found in find_dates(f"x: {text}")] == ["2024-03-05"]


@pytest.mark.parametrize(
    ("text", "day_first", "day"),
    [
        ("13/3/2024", None, "2024-03-13"),
        ("3/13/2024", None, "2024-03-13"),
        ("3-3-2024", None, "2024-03-03"),
        ("4/3/2024", True, "2024-03-04"),
        ("4/3/2024", False, "2024-04-03"),
        ("4/3/2024", None, None),
        ("13/13/2024", True, None),
    ],
)
def test_the_order_of_two_numbers_is_told_or_unknown(text, day_first, day) -> None:
    assert next((one.day for one in find_dates(text, day_first=day_first)), None) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("۱ فروردین ۱۳۷۵", "1996-03-20"),
        ("۱ فروردین ۱۴۰۰", "2021-03-21"),
        ("۳۰ اسفند ۱۴۰۳", "2025-03-20"),
        ("۳۱ شهریور ۱۴۰۴", "2025-09-22"),
        ("۱۲ مهر ۱۴۰۱", "2022-10-04"),
    ],
)
def test_a_day_of_the_iranian_calendar_is_that_of_ours(text: str, day: str) -> None:
    assert [found.day for found in find_dates(text)] == [day]


def test_dates_have_what_stands_around_them() -> None:
    first, second = find_dates("Published March 5, 2024 | Updated 7 March 2024.")
    assert (first.day, first.before) == ("2024-03-05", "published ")
    assert (second.before, second.after) == ("published march 5, 2024 | updated ", ".")


@pytest.mark.parametrize(
    "text",
    [
        "version 10.04.12.3",
        "1.2.3.2024",
        "20240305123",
        "mars 2024",
        "20241305",
        "5 x 2024",
        "1402/12/32",
        "۱۴۰۲/۱۲/۳۰",
        "۱۵ اسفند ۲۰۲۴",
    ],
)
def test_other_numbers_are_no_dates(text: str) -> None:
    assert not list(find_dates(text, day_first=True))


def test_names_of_months_are_folded_as_texts_are() -> None:
    assert all(name == name.casefold() for name in MONTH_OF)
    assert set(MONTH_OF.values()) == set(range(1, 13))
