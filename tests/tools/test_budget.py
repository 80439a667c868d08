"""How results are made to fit: summaries shrink evenly, then the last results go."""

from __future__ import annotations

import pytest

from citeseek.models import SearchItem
from citeseek.tools.budget import LEAST_SUMMARY, fit, tokens

WHOLE = 10_000


def items(*snippets: str) -> list[SearchItem]:
    return [
        SearchItem(title=f"t{n}", url=f"https://e.example/{n}", snippet=s, provider="x", rank=n)
        for n, s in enumerate(snippets, start=1)
    ]


def ranks(shown: tuple[SearchItem, ...]) -> list[int]:
    return [item.rank for item in shown]


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("tea", 1), ("green tea", 3), ("绿茶", 2)])
def test_tokens_are_estimated_by_the_kind_of_letters(text: str, expected: int) -> None:
    assert tokens(text) == expected


def test_what_fits_is_left_as_it_is() -> None:
    given = items("short", "茶" * 50)
    assert fit(given, 1_000, summary_chars=200) == tuple(given)


def test_summaries_shrink_evenly_before_a_result_goes() -> None:
    shown = fit(items(*["茶" * 200] * 5), 600, summary_chars=200)
    lengths = {len(item.snippet) for item in shown}
    assert ranks(shown) == [1, 2, 3, 4, 5]
    assert len(lengths) == 1
    assert LEAST_SUMMARY <= lengths.pop() < 200


def test_results_go_from_the_end_and_never_the_first() -> None:
    given = items(*["茶" * 200] * 5)
    assert ranks(fit(given, 200, summary_chars=200)) == [1, 2]
    assert ranks(fit(given, 1, summary_chars=200)) == [1]


def test_a_cited_source_is_neither_shortened_nor_left_out() -> None:
    shown = fit(
        items(*["茶" * 200] * 5), 1, summary_chars=200, kept=lambda item: item.rank in (2, 5)
    )
    assert ranks(shown) == [1, 2, 5]
    assert [len(item.snippet) for item in shown] == [LEAST_SUMMARY, 200, 200]


def test_whole_summaries_shrink_from_the_longest() -> None:
    shown = fit(items("茶" * 3_000, "short"), 500, summary_chars=WHOLE)
    assert ranks(shown) == [1, 2]
    assert 300 < len(shown[0].snippet) < 500
    assert shown[1].snippet == "short"


def test_no_results_stay_none() -> None:
    assert fit([], 10, summary_chars=200) == ()
