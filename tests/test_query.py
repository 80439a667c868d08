"""The query is cleaned and checked once, before any engine sees it."""

from __future__ import annotations

from datetime import date
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from citeseek.errors import InvalidInput
from citeseek.query import DateRange, Query, clean

JANUARY = DateRange(date(2026, 1, 1), date(2026, 1, 31))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("tea", "tea"),
        ("  red\n\tpanda \r\n zoo ", "red panda zoo"),
        ("\u3000全角\u3000空格\u00a0", "全角 空格"),
        ("a\0b", "a b"),
        ("\ud83c\udf78 bar", "\U0001f378 bar"),
        ("bad \ud83c tail", "bad tail"),
        ("C++ & C# 100%", "C++ & C# 100%"),
        ('-site:spam.example "exact words"', '-site:spam.example "exact words"'),
    ],
)
@pytest.mark.requirement("S0-2")
def test_the_words_stay_and_white_space_is_folded(raw: str, text: str) -> None:
    assert clean(raw) == text


@pytest.mark.parametrize("raw", ["", " ", "\n\t \r\n", "\u3000\u00a0", "\0", "\ud83c"])
@pytest.mark.requirement("S3-10", "S4-43", "P37")
def test_an_empty_or_blank_query_is_invalid(raw: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        clean(raw)


@pytest.mark.parametrize("raw", [None, 5, ["tea"], {"query": "tea"}, b"tea", True])
def test_a_query_is_text(raw: object) -> None:
    with pytest.raises(InvalidInput, match="must be text"):
        clean(raw)


def test_a_query_has_at_most_4000_characters() -> None:
    assert clean("茶" * 4000) == "茶" * 4000
    with pytest.raises(InvalidInput, match="4,001 characters"):
        clean("茶" * 4001)


@hypothesis.given(st.text(st.characters()))
def test_cleaning_again_changes_nothing(raw: str) -> None:
    try:
        text = clean(raw)
    except InvalidInput:
        return
    assert clean(text) == text
    assert text == " ".join(text.split())
    assert text.encode().decode() == text


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        ("count", 1, 1),
        ("count", 50, 50),
        ("page", 100, 100),
        ("language", None, "auto"),
        ("language", "", "auto"),
        ("language", "AUTO", "auto"),
        ("language", "ZH", "zh"),
        ("language", "zh_cn", "zh-CN"),
        ("language", "zh-Hans", "zh"),
        ("language", "zh-Hant-TW", "zh-TW"),
        ("language", "fil", "fil"),
        ("country", "CN", "cn"),
        ("country", "", None),
        ("freshness", "Week", "week"),
        ("freshness", "", None),
        ("freshness", "2026-01-01..2026-01-31", JANUARY),
        ("freshness", JANUARY, JANUARY),
        ("freshness", "2026-01-01..2026-01-01", DateRange(date(2026, 1, 1), date(2026, 1, 1))),
        ("safesearch", "STRICT", "strict"),
        ("category", "Papers", "papers"),
        ("category", "", "web"),
        ("safesearch", "", None),
        ("site", "Docs.Python.org", "docs.python.org"),
        ("site", "https://docs.python.org/", "docs.python.org"),
        ("site", " docs.python.org/3/ ", "docs.python.org/3"),
        ("site", "", None),
    ],
)
def test_a_field_is_kept_in_one_spelling(field: str, given: Any, kept: object) -> None:
    assert getattr(Query.of("tea", **{field: given}), field) == kept


@pytest.mark.parametrize(
    ("field", "given"),
    [
        *[("count", wrong) for wrong in (0, 51, -1, 2.5, "x", "5", True, None)],
        *[("page", wrong) for wrong in (0, 101, -1, "x")],
        *[("language", wrong) for wrong in ("chinese", "z", "zh CN", "zh-CNN", "中文", 5)],
        *[("country", wrong) for wrong in ("china", "c", "c1", " ", "ſe", 5)],
        *[("freshness", wrong) for wrong in ("yesterday", "2026-01-01", "2026-13-01..", "..", 7)],
        *[("safesearch", wrong) for wrong in ("on", "high", 1, True)],
        *[("category", wrong) for wrong in ("general", "image", 1, True)],
        *[("site", wrong) for wrong in ("no host", "localhost", "e.example/a b", "site:e.x", 5)],
    ],
)
def test_what_cannot_be_asked_is_invalid(field: str, given: Any) -> None:
    with pytest.raises(InvalidInput):
        Query.of("tea", **{field: given})


@pytest.mark.parametrize(
    "given", ["2026-01-31..2026-01-01", DateRange(JANUARY.last, JANUARY.first)]
)
def test_a_range_does_not_end_before_it_begins(given: str | DateRange) -> None:
    with pytest.raises(InvalidInput, match=r"2026-01-31\.\.2026-01-01"):
        Query.of("tea", freshness=given)


def test_the_defaults_leave_every_choice_to_the_engine() -> None:
    query = Query.of("tea")
    assert (query.category, query.count, query.page, query.language) == ("web", 10, 1, "auto")
    assert query.country is query.freshness is query.safesearch is query.site is None
    assert query.filters() == set()


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("category", "news"),
        ("page", 2),
        ("language", "zh"),
        ("country", "cn"),
        ("freshness", "day"),
        ("safesearch", "off"),
        ("site", "e.example"),
    ],
)
def test_filters_name_what_is_asked_for(field: str, given: Any) -> None:
    assert Query.of("tea", count=3, **{field: given}).filters() == {field}


@pytest.mark.parametrize(
    ("text", "language", "header"),
    [
        ("上海 天气", None, "zh-CN,zh;q=0.9,en;q=0.5"),
        ("weather", None, "en-US,en;q=0.9"),
        ("weather", "zh-TW", "zh-TW,zh;q=0.9,en;q=0.5"),
        ("上海", "de", "de,de;q=0.9,en;q=0.5"),
    ],
)
@pytest.mark.requirement("S4-7")
def test_the_language_hint_suits_the_query(text: str, language: str | None, header: str) -> None:
    assert Query.of(text, language=language).accept_language == header


@pytest.mark.parametrize(
    ("fields", "region"),
    [
        ({"country": "DE"}, "de"),
        ({"language": "zh-TW"}, "tw"),
        ({"country": "cn", "language": "zh-TW"}, "cn"),
        ({"language": "zh"}, None),
        ({}, None),
    ],
)
def test_the_region_is_the_country_or_that_of_the_language(
    fields: dict[str, Any], region: str | None
) -> None:
    assert Query.of("tea", **fields).region == region


def test_the_site_is_an_operator_behind_the_text() -> None:
    assert Query.of("tea", site="e.example").text_with_site == "tea site:e.example"
    assert Query.of("tea").text_with_site == "tea"


def test_a_query_never_changes() -> None:
    with pytest.raises(AttributeError):
        Query.of("tea").text = "coffee"  # type: ignore[misc]
    assert str(JANUARY) == "2026-01-01..2026-01-31"


@pytest.mark.parametrize(
    "text",
    [
        "\u2060",
        "\u00ad\u200e",
        "\u3164\uffa0",
        "\u115f \u2800",
        "\ufeff\u200b",
        "\U000e0074\U000e0065\U000e0061",
        "\ufe0f",
        "\u0301",
        "\u202e",
        "\ufffc",
        "\u17b4\u034f\U000e0100",
    ],
)
def test_a_query_of_which_nothing_is_seen_is_empty(text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        clean(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\u200btea\u2060", "tea"),
        ("\ufeff \u3164green tea\u00ad \u200e", "green tea"),
        ("te\U000e0069\U000e0067a", "tea"),
        ("\u034f\ufe0f\u17b5tea\u034f\u17b4", "tea"),
        ("\ufffctea\ufffc", "tea"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("cafe\u0301", "cafe\u0301"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    ],
)
def test_invisible_signs_at_the_ends_and_tag_letters_go(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
