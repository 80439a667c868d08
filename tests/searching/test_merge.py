"""One ranking out of several: scores, ties, one line a page, and what is shown of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from citeseek.models import SearchItem
from citeseek.query import Query
from citeseek.searching.merge import Vote, explain, merge

QUERY = Query.of("tea")


def item(url: str, engine: str = "", **fields: Any) -> SearchItem:
    url = url if "://" in url else f"https://{url}.example/{url}"
    return SearchItem(**{"title": "", "url": url, "provider": engine, "rank": 7, **fields})


def vote(engine: str, *found: str | SearchItem, index: str = "") -> Vote:
    """Return a vote for items, or for pages named by a letter."""
    items = [one if isinstance(one, SearchItem) else item(one, engine) for one in found]
    return Vote(engine, index or engine, items)


def pages(items: Sequence[SearchItem]) -> str:
    return "".join(one.url[-1] for one in items)


@pytest.mark.parametrize(
    ("votes", "merged"),
    [
        ([], ""),
        ([vote("x")], ""),
        ([vote("x", *"cab")], "cab"),
        ([vote("x", *"abc"), vote("y", *"ca")], "acb"),  # 1/61+1/62, 1/63+1/61, 1/62
        ([vote("x", *"abc"), vote("y", *"bdc"), vote("z", *"ebc")], "bcaed"),
        ([vote("x", *"abc"), vote("y", *"def")], "adbecf"),
        ([vote("x", *"abcdefgh"), vote("y", *"stuvwxyh")], "hasbtcudvewfxgy"),
        ([vote("x"), vote("y", *"ab")], "ab"),
    ],
)
def test_pages_that_more_engines_rank_higher_come_first(votes: list[Vote], merged: str) -> None:
    assert pages(merge(votes, QUERY, 20)) == merged


def test_engines_of_one_index_have_one_vote_with_their_best_rank() -> None:
    duck = vote("ddg_html", *"apq", index="bing")
    bing = vote("bing_html", *"aq", index="bing")
    other = vote("brave", *"xp")
    assert pages(merge([duck, bing, other], QUERY, 9)) == "paxq"
    stranger = vote("bing_html", *"aq", index="its own")
    assert pages(merge([duck, stranger, other], QUERY, 9)) == "apqx"


def test_equal_ranks_make_equal_scores_in_whatever_order_they_come() -> None:
    # In floating point 1/61 + 1/67 + 1/62 is less than 1/67 + 1/62 + 1/61.
    votes = [
        vote("i1", "p", index="i"),
        vote("i2", *"qabcdefg", "p", index="i"),
        vote("j", *"hqklmn", "p"),
        vote("k", *"rpstuv", "q"),
    ]
    assert pages(merge(votes, QUERY, 2)) == "pq"


@pytest.mark.requirement("S3-6", "P35")
def test_ranks_are_written_anew_and_the_limit_counts_pages() -> None:
    votes = [vote("x", *"aab"), vote("y", item("http://www.a.example/a/"), "c")]
    assert [(one.url[-1], one.rank) for one in merge(votes, QUERY, 2)] == [("a", 1), ("c", 2)]
    alone = merge([vote("x", *"cab")], QUERY, 2)
    assert [(one.url[-1], one.rank) for one in alone] == [("c", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("query", "fewer", "more"),
    [
        ("green tea", {"title": "Tea"}, {"title": "Green tea"}),
        ("green tea", {"title": "Greenhouse"}, {"title": "", "snippet": "Tea!"}),
        ("green tea", {"title": "tea tea tea"}, {"title": "tea", "snippet": "GREEN"}),
        ("怎样泡绿茶", {"title": "绿色的茶"}, {"title": "一壶绿茶"}),
        ("怎样泡绿茶", {"title": "绿茶", "snippet": "有益健康"}, {"snippet": "怎样泡好绿茶"}),
    ],
)
def test_equal_scores_are_ordered_by_the_terms_of_the_query_that_are_held(
    query: str, fewer: dict[str, str], more: dict[str, str]
) -> None:
    votes = [vote("x", item("f", **fewer)), vote("y", item("m", **more))]
    assert pages(merge(votes, Query.of(query), 9)) == "mf"


def test_then_by_best_rank_then_by_the_order_of_the_votes() -> None:
    # 1/122 + 1/122 = 1/61: twice rank 62 scores as much as rank 1 once.
    fillers = [item(f"https://filler.example/{engine}{n}") for engine in "xy" for n in range(61)]
    votes = [vote("x", *fillers[:61], "p"), vote("y", *fillers[61:], "p"), vote("z", *"qr")]
    kept = merge(votes, QUERY, 10)
    assert [one.url[-2:] for one in kept[:4]] == ["x0", "y0", "/q", "/p"]


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (["https://e.example/b", "https://e.example/b#top"], "https://e.example/b"),
        (["http://e.example/b", "https://www.e.example/b/"], "https://www.e.example/b/"),
        (["https://e.example/b/", "http://e.example/b"], "https://e.example/b/"),
    ],
)
def test_at_equal_rank_the_earlier_vote_is_shown_but_https_before_http(
    found: list[str], shown: str
) -> None:
    votes = [vote(f"engine{n}", item(url)) for n, url in enumerate(found)]
    assert [one.url for one in merge(votes, QUERY, 9)] == [shown]


def test_the_finding_of_the_best_rank_is_shown() -> None:
    far = item("https://e.example/b", "x", title="Far", source="upstream")
    near = item("http://e.example/b/", "y", title="Near")
    (shown,) = merge([vote("x", far, far), vote("y", near)], QUERY, 1)
    assert (shown.title, shown.url) == ("Far", "https://e.example/b")
    shown, _ = merge([vote("x", "a", far), vote("y", near)], QUERY, 2)
    assert (shown.title, shown.url) == ("Near", "http://e.example/b/")
    assert (shown.provider, shown.source) == ("y", None)


def test_what_the_shown_finding_does_not_say_comes_from_the_next_that_does() -> None:
    votes = [
        vote("x", item("b", "x", source="upstream", published_at="2026-05-01")),
        vote("y", item("b", "y", title="Tea")),
        vote("z", item("b", "z", title="T", published_at="2026-06-01", site_name="Tea House")),
    ]
    (shown,) = merge(votes, QUERY, 9)
    assert shown == item(
        "b",
        "x",
        title="Tea",
        published_at="2026-05-01",
        site_name="Tea House",
        source="upstream",
        engines=("x", "y", "z"),
        rank=1,
    )


def test_a_title_that_nobody_gave_is_not_invented() -> None:
    assert merge([vote("x", "a"), vote("y", "a")], QUERY, 9)[0].title == ""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["Brew it.", "Brew it at eighty degrees."], "Brew it at eighty degrees."),
        (["Brew it at eighty degrees.", "", "Brew it."], "Brew it at eighty degrees."),
        (["Brew it.", "Green tea! GREEN TEA, green tea."], "Brew it."),
        (["Brew it.", "………………………………"], "Brew it."),
        (["", "Green tea"], ""),
        (["Green tea", "Tea, green tea, green tea"], "Green tea"),
        (["One cup.", "Two cups"], "One cup."),
    ],
)
def test_the_longest_snippet_that_says_more_than_the_title_is_kept(
    given: list[str], kept: str
) -> None:
    votes = [
        vote(f"engine{n}", item("b", title="Green tea", snippet=text))
        for n, text in enumerate(given)
    ]
    assert [one.snippet for one in merge(votes, QUERY, 9)] == [kept]


def test_engines_are_all_finders_in_order_and_once() -> None:
    votes = [
        vote("searxng", "a", item("b", engines=("google", "brave"))),
        vote("brave", "b"),
        vote("alias", "b", index="brave"),
    ]
    found = {pages([one]): one.engines for one in merge(votes, QUERY, 9)}
    assert found == {"a": ("searxng",), "b": ("brave", "alias", "searxng", "google")}
    itself = vote("brave", item("b", engines=("google", "brave")))
    assert merge([itself], QUERY, 9)[0].engines == ("brave", "google")


def story(url: str, **fields: Any) -> SearchItem:
    return item(url, title="The whole story of a cup of tea - Tea House", **fields)


def test_a_mirror_gives_its_votes_and_engines_but_no_text() -> None:
    original, copy = "https://tea.example/story", "https://mirror.example/story"
    votes = [
        vote("x", "a", story(original, snippet="Once upon a time.")),
        vote("y", story(copy, snippet="Read it here. " * 9, site_name="Mirror"), "a"),
        vote("z", story(original)),
    ]
    first, second = merge(votes, QUERY, 9)
    assert (first.url, first.snippet) == (original, "Once upon a time.")
    assert (first.site_name, first.engines) == (None, ("z", "x", "y"))
    assert pages([second]) == "a"


def test_mirrors_of_one_index_have_one_vote() -> None:
    copies = [story(f"https://{host}.example/story") for host in "bcd"]
    assert pages(merge([vote("x", "a", *copies), vote("y", "z", "a")], QUERY, 9)) == "azy"
    votes = [vote("x", "a", copies[0]), vote("y", "z", "k", copies[1])]
    assert merge(votes, QUERY, 9)[0].url == copies[0].url
    same_index = [Vote(one.engine, "one", one.items) for one in votes]
    assert pages(merge(same_index, QUERY, 9)) == "azyk"


def test_mirrors_have_the_best_rank_of_any_of_them() -> None:
    original, copy = story("https://tea.example/story"), story("https://mirror.example/story")
    # 1/61 + 1/62, where the original alone has 1/61 + 1/65, and z 1/61 + 1/63.
    votes = [vote("x", "z"), vote("y", original), vote("w", "a", copy, "z", "b", original)]
    assert [one.url for one in merge(votes, QUERY, 2)] == [original.url, item("z").url]


# Each page is known by its letter, whatever the spelling of its address; two hosts hold it.
LETTERS = "pqrstu"
SPELLINGS = ("https://{}.example/{}", "http://www.{}.example/{}/", "https://{}.example/{}?gclid=1")


def known(letter: str, host: str, spelling: str, snippet: str) -> SearchItem:
    title = f"The whole story of {letter} - Site {host}"
    return item(spelling.format(host, letter), title=title, snippet=snippet)


def letter_of(one: SearchItem) -> str:
    return one.title.split()[4]


ITEMS = st.builds(
    known,
    st.sampled_from(LETTERS),
    st.sampled_from(["one", "two"]),
    st.sampled_from(SPELLINGS),
    st.sampled_from(["", "tea", "a longer text about tea"]),
)
VOTES = st.builds(Vote, st.sampled_from("xyz"), st.sampled_from("ij"), st.lists(ITEMS, max_size=6))
BALLOTS = st.lists(VOTES, max_size=4) | st.lists(VOTES, min_size=1, max_size=1)


def score(votes: Sequence[Vote], letter: str) -> Fraction:
    """Return the score by definition, from the letters alone."""
    best: dict[str, int] = {}
    for one in votes:
        for rank, found in enumerate(one.items, start=1):
            if letter_of(found) == letter:
                best[one.index] = min(rank, best.get(one.index, rank))
    return sum((Fraction(1, 60 + rank) for rank in best.values()), Fraction(0))


@hypothesis.given(BALLOTS, st.integers(1, 8))
def test_nothing_is_lost_invented_or_shown_twice(votes: list[Vote], limit: int) -> None:
    given = [one for each in votes for one in each.items]
    kept = merge(votes, QUERY, limit)
    letters = [letter_of(one) for one in kept]
    assert len(letters) == len(set(letters)) == min(limit, len(set(map(letter_of, given))))
    assert {one.url for one in kept} <= {one.url for one in given}
    assert {one.title for one in kept} <= {one.title for one in given}
    assert {one.snippet for one in kept} <= {one.snippet for one in given}
    assert [one.rank for one in kept] == list(range(1, len(kept) + 1))
    assert kept == merge(votes, QUERY, len(LETTERS))[:limit]


@hypothesis.given(BALLOTS)
def test_what_explains_the_answer_has_its_order(votes: list[Vote]) -> None:
    merged = merge(votes, QUERY, 100)
    lines = explain(votes, QUERY)
    assert [line.url for line in lines] == [one.url for one in merged]
    assert [line.place for line in lines] == [one.rank for one in merged]
    for line in lines:
        counted = [vote for vote in line.votes if vote.counts]
        assert len({vote.index for vote in counted}) == len(counted)
        assert line.score == pytest.approx(sum(1 / (60 + vote.rank) for vote in counted))


@hypothesis.given(BALLOTS)
def test_the_answer_is_sorted_by_score(votes: list[Vote]) -> None:
    scores = [score(votes, letter_of(one)) for one in merge(votes, QUERY, 9)]
    assert scores == sorted(scores, reverse=True)


@hypothesis.given(BALLOTS, ITEMS, st.integers(0, 5))
def test_agreement_never_moves_a_page_behind_another(
    votes: list[Vote], found: SearchItem, above: int
) -> None:
    before = [letter_of(one) for one in merge(votes, QUERY, 9)]
    fillers = [item(f"https://filler.example/{n}", title=f"a b c d {n}") for n in range(above)]
    further = Vote("further", "index of its own", [*fillers, found])
    after = [letter_of(one) for one in merge([*votes, further], QUERY, 20)]
    agreed = letter_of(found)
    assert agreed in after
    behind = before[before.index(agreed) + 1 :] if agreed in before else []
    assert all(after.index(agreed) < after.index(letter) for letter in behind)
    others = [letter for letter in before if letter != agreed]
    assert [letter for letter in after if letter in others] == others


@hypothesis.given(BALLOTS)
def test_an_engine_that_repeats_its_index_changes_no_order(votes: list[Vote]) -> None:
    echoes = [Vote("echo", one.index, one.items) for one in votes]
    order = [one.url for one in merge(votes, QUERY, 9)]
    assert [one.url for one in merge([*votes, *echoes], QUERY, 9)] == order


@hypothesis.given(VOTES)
def test_a_single_vote_keeps_its_order(single: Vote) -> None:
    order = list(dict.fromkeys(letter_of(one) for one in single.items))
    assert [letter_of(one) for one in merge([single], QUERY, 9)] == order


@hypothesis.given(BALLOTS, st.integers(1, 8))
def test_an_engine_that_found_nothing_changes_nothing(votes: list[Vote], limit: int) -> None:
    assert merge([*votes, vote("silent")], QUERY, limit) == merge(votes, QUERY, limit)


HASHED = """
from tests.searching.test_merge import QUERY, known, merge, vote
found = [known(letter, host, "https://{}.example/{}", "") for letter in "pqr" for host in "abcdef"]
print([one.url for one in merge([vote("x", *found), vote("y", *reversed(found))], QUERY, 9)])
"""


@pytest.mark.release
def test_the_order_does_not_hang_on_hashes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", HASHED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
