"""Days and moments as people write them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from citeseek.i18n import catalogue
from citeseek.surfaces.cli.written_dates import write_day, write_moment


@pytest.fixture(autouse=True)
def in_shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "lang", "day", "moment"),
    [
        ("2026-01-31", "en", "31 Jan 2026", "31 Jan 2026"),
        ("2026-01-31", "zh", "2026年1月31日", "2026年1月31日"),
        ("2026-12-01T20:05:09+00:00", "en", "2 Dec 2026", "2 Dec 2026, 04:05"),
        ("2026-12-01T20:05:09Z", "zh", "2026年12月2日", "2026年12月2日 04:05"),
        ("2026-12-01T20:05", "ja", "2026年12月1日", "2026年12月1日 20:05"),
        ("last week", "en", "last week", "last week"),
        ("", "zh", "", ""),
    ],
)
def test_an_iso_date_is_written_in_words(text: str, lang: str, day: str, moment: str) -> None:
    say = catalogue(lang)
    assert write_day(text, say) == day
    assert write_moment(text, say) == moment
