"""The checker of cases: what it understands, and that it passes nothing over."""

from __future__ import annotations

import pytest
from tools.cases.adapters import run
from tools.cases.expectations import differences

SEEN = {"text": "green tea", "urls": ["a", "b"], "ms": 12.0, "error": None}


@pytest.mark.parametrize(
    "expect",
    [
        {"text": "green tea"},
        {"text_any": ["black tea", "green tea"]},
        {"text_keeps": ["green", "tea"], "text_lacks": ["black"]},
        {"text_keeps_any": ["black", "green"]},
        {"text_max_chars": 9, "text_min_chars": 9},
        {"max_ms": 12, "ms_max": 13, "urls_min": 2},
        {"any_of": [{"text": "black tea"}, {"text_keeps": ["tea"], "urls": ["a", "b"]}]},
        {"error": None},
    ],
)
def test_what_holds_makes_no_difference(expect: dict[str, object]) -> None:
    assert differences(expect, SEEN) == []


@pytest.mark.parametrize(
    "expect",
    [
        {"text": "tea"},
        {"text_any": ["black tea", "tea"]},
        {"text_keeps": ["green", "black"]},
        {"text_lacks": ["tea"]},
        {"text_keeps_any": ["black", "white"]},
        {"text_max_chars": 8},
        {"text_min_chars": 10},
        {"max_ms": 11},
        {"urls_min": 3},
        {"any_of": [{"text": "black tea"}, {"text_keeps": ["tea"], "urls": []}]},
        {"error": "blocked"},
    ],
)
def test_what_does_not_hold_is_one_difference(expect: dict[str, object]) -> None:
    assert len(differences(expect, SEEN)) == 1


@pytest.mark.parametrize("name", ["colour", "colour_any", "max_colour", "colour_keeps"])
def test_an_expectation_that_nobody_knows_fails_by_name(name: str) -> None:
    (found,) = differences({name: ["x"], "text": "green tea"}, SEEN)
    assert "the checker does not know 'colour" in found or f"'{name}'" in found


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"op": "tea.brew"}, "tea.brew"),
        ({"op": "engine.parse", "engine": "no-such-engine"}, "no-such-engine"),
        ({"op": "tool.call", "args": {}, "engine": {"fails": "http 777"}}, "http 777"),
        ({"op": "url.same_page", "a": "https://a.example/"}, "b"),
        ({"op": "url.same_page", "a": 1, "b": 2}, "ended by"),
    ],
)
def test_a_case_that_cannot_be_checked_fails_by_name(given: dict[str, object], named: str) -> None:
    (found,) = run({"input": given, "expect": {}})
    assert named in found


def test_a_text_that_no_file_can_hold_is_given_by_its_code_points() -> None:
    case = {"op": "query.clean", "raw_code_points": [0x74, 0xD800, 0x65]}
    assert run({"input": case, "expect": {"encodable": True, "no_exception": True}}) == []


def test_a_query_may_be_asked_twice_in_one_run_of_an_agent() -> None:
    searches = [{"query": "tea", "results": 2}, {"query": "tea", "results": 2}]
    case = {"op": "agent.run", "searches": searches, "answer": "Leaf [1]."}
    assert run({"input": case, "expect": {"shown_numbers": [[1, 2], [1, 2]]}}) == []
