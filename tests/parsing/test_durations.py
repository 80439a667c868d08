"""Lengths of videos, as engines write them."""

from __future__ import annotations

import pytest

from citeseek.parsing.iso_dates import duration
from citeseek.parsing.json_body import count


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("4:05", 245),
        ("1:02:03", 3723),
        ("PT4M5S", 245),
        ("PT1H", 3600),
        ("245", 245),
        ("245.9", 245),
        (245.0, 245),
        *[(none, None) for none in ("", "LIVE", "0:00", "PT", 0, -3, None, True, [], "1:2:3:4")],
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_a_duration_is_seconds(given: object, seconds: int | None) -> None:
    assert duration(given) == seconds


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (12, 12),
        ("1,234", 1234),
        (3.0, 3),
        ("1.2K", 1_200),
        ("3.45 m", 3_450_000),
        ("1.2万", 12_000),
        *[(none, None) for none in (-1, "1.2", "K", "", None, True, float("nan"), "9" * 5000)],
    ],
)
def test_a_count_is_a_whole_number(given: object, number: int | None) -> None:
    assert count(given) == number
