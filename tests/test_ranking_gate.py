"""The quality of the merged ranking: nDCG@10 over a corpus of our own, with a pinned floor.

The corpus is pinned as well: who changes it states its new hash and, with it, that the floor was
measured again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import zip_longest
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from citeseek.models import SearchItem
from citeseek.query import Query
from citeseek.searching.merge import Vote, merge

CORPUS = Path(__file__).parent / "ranking" / "corpus.json"
SHA256 = "0730ef5c1713f8cfc8299a713350ee8d7faaff30c1a8c8eed9c7a8976680d937"
FLOOR = 0.93
DEPTH = 10

JUDGED = json.loads(CORPUS.read_bytes())
QUERIES: list[dict[str, Any]] = JUDGED["queries"]


def merged(judged: dict[str, Any]) -> list[str]:
    """Return the names of the pages in the order of the merged answer."""
    pages = judged["pages"]
    votes = [
        Vote(engine, JUDGED["indexes"][engine], [item(pages[name], engine) for name in names])
        for engine, names in judged["lists"].items()
    ]
    name_of = {page["url"]: name for name, page in pages.items()}
    return [name_of[one.url] for one in merge(votes, Query.of(judged["query"]), DEPTH)]


def item(page: dict[str, Any], engine: str) -> SearchItem:
    fields = {name: page[name] for name in ("title", "url", "snippet")}
    return SearchItem(**fields, provider=engine, rank=1)


def interleaved(judged: dict[str, Any]) -> list[str]:
    """Return what taking one of each list in turn gives."""
    rows = zip_longest(*judged["lists"].values())
    return list(dict.fromkeys(name for row in rows for name in row if name))


def ndcg(judged: dict[str, Any], names: Sequence[str]) -> float:
    pages = judged["pages"]
    originals = [pages[name].get("same_as", name) for name in names]
    first_only = dict(reversed([(name, at) for at, name in enumerate(originals)]))
    grades = [
        pages[name]["grade"] if first_only[name] == at else 0 for at, name in enumerate(originals)
    ]
    ideal = sorted((page.get("grade", 0) for page in pages.values()), reverse=True)
    return gain(grades) / gain(ideal)


def gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / log2(at + 2) for at, grade in enumerate(grades[:DEPTH]))


def test_the_corpus_is_the_one_that_was_measured() -> None:
    assert hashlib.sha256(CORPUS.read_bytes()).hexdigest() == SHA256


def test_every_page_is_judged_once_and_listed() -> None:
    for judged in QUERIES:
        pages = judged["pages"]
        assert {name for names in judged["lists"].values() for name in names} == set(pages)
        assert all(("grade" in page) != ("same_as" in page) for page in pages.values())
        assert len({page["url"] for page in pages.values()}) == len(pages)


def test_the_measure_knows_best_and_worst_and_repeats() -> None:
    judged = {"pages": {"a": {"grade": 3}, "b": {"grade": 1}, "c": {"same_as": "a"}}}
    assert ndcg(judged, ["a", "b"]) == 1
    assert ndcg(judged, ["c", "b"]) == 1
    assert ndcg(judged, []) == 0
    assert ndcg(judged, ["b", "a"]) == pytest.approx(0.7098, abs=1e-4)
    assert ndcg(judged, ["a", "c", "b"]) == pytest.approx(0.9829, abs=1e-4)


def test_the_merged_ranking_reaches_the_floor() -> None:
    assert fmean(ndcg(judged, merged(judged)) for judged in QUERIES) >= FLOOR


def test_taking_turns_does_not_beat_it() -> None:
    turns = fmean(ndcg(judged, interleaved(judged)) for judged in QUERIES)
    assert turns < fmean(ndcg(judged, merged(judged)) for judged in QUERIES)


@pytest.mark.parametrize("engine", JUDGED["indexes"])
def test_no_engine_alone_beats_it(engine: str) -> None:
    asked = [judged for judged in QUERIES if engine in judged["lists"]]
    alone = fmean(ndcg(judged, judged["lists"][engine]) for judged in asked)
    assert alone < fmean(ndcg(judged, merged(judged)) for judged in asked)
