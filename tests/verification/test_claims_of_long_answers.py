"""Claims are found in time that is proportional to the answer, whatever is in it."""

from __future__ import annotations

import sys
import time

import pytest

from citeseek.verification import claims

pytestmark = pytest.mark.release

UNITS = ["word [1] ", "a,[1]", "Dr. ", "[](", "<a", "-", " ", ".", "| a [1] ", "a\n"]


def cost(text: str) -> float:
    began = time.process_time()
    for _ in claims(text):
        pass
    return time.process_time() - began


@pytest.mark.parametrize("unit", UNITS)
def test_four_times_the_text_costs_no_more_than_a_few_times_as_much(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (7_000, 28_000))
    assert cost(long) < 20 * cost(short) + 1


def test_a_claim_knows_the_end_of_a_long_sentence() -> None:
    *_, last = claims("word " * 1_000 + "the end of it all [1].")
    assert last.sentence.endswith("the end of it all")
    assert len(last.sentence) <= 1_000


def work(text: str) -> int:
    """Return how many functions are called to find the claims."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        told = sum(len(claim.sentence) for claim in claims(text))
    finally:
        sys.setprofile(None)
    return calls + told


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_is_twice_the_work(unit: str) -> None:
    # What is made once for all is no work of theirs.
    work("Tea is steamed [1].")
    short, long = (work(unit * (size // len(unit))) for size in (18_000, 36_000))
    assert long < 2.3 * short + 1_000
