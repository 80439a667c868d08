"""A real SearXNG for each state, started when a test first asks for it and kept for its module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest
from tests.searxng.instance import EMPTY, FAILING, GOOD, REFUSING, Searxng, SearxngInstance

States: TypeAlias = Callable[[str], Searxng]

STATES: dict[str, dict[str, Any]] = {
    "json_on": {},
    "json_off": {"formats": ["html"]},
    "limiter": {"limiter": True},
    "pass_list": {"limiter": True, "pass_ip": ["127.0.0.0/8"]},
    "one_failing": {"engines": {"good": GOOD, "bad one": REFUSING}},
    "all_failing": {"engines": {"bad one": REFUSING, "worse": FAILING}, "suspends": 300},
    "silent": {"engines": {"silent": EMPTY}},
    "without_engines": {"engines": {}},
    # An engine of this name knows the languages of Wikipedia.
    "wikipedia": {"engines": {"wikipedia": GOOD}, "engine": {"language_support": True}},
    "older": {"older": True},
    "older_json_off": {"older": True, "formats": ["html"]},
}


@pytest.fixture(scope="module")
def searxng() -> Iterator[States]:
    """Return the SearXNG of a state.

    None outlives its module: tests of the browser look for processes that were left behind.
    """
    running: dict[str, Searxng] = {}
    with ExitStack() as stack:

        def of(state: str) -> Searxng:
            if state not in running:
                running[state] = stack.enter_context(SearxngInstance(**STATES[state]))
            return running[state]

        yield of
