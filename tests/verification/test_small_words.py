"""Small words, signs and letters that make another statement of the same words."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support

OTHERS = [
    ("The temperature fell to 5 degrees.", "The temperature fell by 5 degrees."),
    ("Sales rose to 30 million.", "Sales rose by 30 million."),
    ("价格上涨到5元。", "价格上涨了5元。"),
    ("The tea house opened in 1934.", "The tea house opened until 1934."),
    ("The flight from Rome arrived late.", "The flight to Rome arrived late."),
    ("The bridge is the longest in Europe.", "The bridge is one of the longest in Europe."),
    ("The mill is the largest in town.", "The mill is among the largest in town."),
    ("It is the oldest bridge of the town.", "It is the oldest wooden bridge of the town."),
    ("It is the first bridge of the town.", "It is the first stone bridge of the town."),
    ("The house costs $2 million.", "The house costs C$2 million."),
    ("The house costs $2 million.", "The house costs A$2 million."),
    ("The plant makes 5 MW of power.", "The plant makes 5 mW of power."),
    ("The line moves data at 8 MB/s.", "The line moves data at 8 Mb/s."),
    (
        "The bridge is 421 metres long.",
        "It was formerly thought that the bridge is 421 metres long.",
    ),
    (
        "The bridge is 421 metres long.",
        "Correction: an earlier version said that the bridge is 421 metres long.",
    ),
]
SAME = [
    ("The temperature fell to 5 degrees.", "The temperature fell to 5 degrees in the night."),
    ("The tea house opened in 1934.", "The tea house opened during 1934."),
    ("He worked there from 1934.", "He worked there since 1934."),
    ("It is one of the oldest bridges.", "It is one of the oldest bridges."),
    ("The house costs 2 million Canadian dollars.", "The house costs C$2 million."),
    ("The disk holds 8 GB of music.", "The disk holds 8 GB of music."),
]


@pytest.mark.parametrize(("claim", "told"), OTHERS)
def test_another_small_word_is_no_support(claim: str, told: str) -> None:
    assert support(claim, SourceText(told)).verdict in {"unclear", "contradicted"}


@pytest.mark.parametrize(("claim", "told"), SAME)
def test_the_same_small_word_is(claim: str, told: str) -> None:
    assert support(claim, SourceText(told)).verdict == "supported"
