"""Mirrors: the same text on several hosts is found, and different pages are never taken for one."""

from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st

from citeseek.models import SearchItem
from citeseek.searching.near_duplicates import mirrors
from citeseek.urls import same_page_key

TITLE = "Brewing green tea at home"
STORY = (
    "Let boiling water cool for five minutes, pour it over three grams of leaves, wait twice as "
    "long for a second cup and throw nothing away."
)
ZH_TITLE = "怎样在家泡一壶绿茶"
ZH_STORY = "水烧开以后放凉到八十度，每人取三克茶叶，第一泡两分钟，第二泡加倍，茶渣可以拿来养花。"
TWELVE = "one two three four five six seven eight nine ten eleven twelve"
SHORT = "All about tea."
LOGIN = "Enter the name and the password that you chose before, or ask for a new one by mail."


def found(*pages: tuple[str, str, str]) -> list[tuple[str, SearchItem]]:
    return [
        (same_page_key(url), SearchItem(title=title, url=url, snippet=text, provider="x", rank=1))
        for title, url, text in pages
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((TITLE, "https://a.example/tea/1", ""), (TITLE, "https://b.example/tea/1", STORY)),
        ((TITLE, "https://a.example/?id=7", ""), (TITLE, "https://b.example/?id=7", "")),
        ((TITLE, "https://a.example/x", STORY), (TITLE, "https://b.example/y", STORY)),
        ((TITLE, "https://a.example/x", STORY), (TITLE, "https://b.example/", STORY[:100] + "…")),
        ((TITLE, "https://a.example/x", STORY), (TITLE, "https://b.example/y", "3 May · " + STORY)),
        ((ZH_TITLE, "https://a.example/x", ZH_STORY), (ZH_TITLE, "https://b.example/y", ZH_STORY)),
        ((ZH_TITLE, "https://a.example/茶", ""), (ZH_TITLE, "https://b.example/%E8%8C%B6", "")),
        (
            (TITLE, "https://a.example/x", STORY),
            (TITLE, "https://b.example/y", STORY.replace("five", "ten")),
        ),
        ((TITLE, "https://a.example/x", TWELVE), (TITLE, "https://b.example/y", TWELVE)),
        (
            ("Brewing green tea", "https://a.example/x", STORY),
            (TITLE[:17], "https://b.example/y", STORY),
        ),
        (
            ("Brewing the green tea", "https://a.example/x", ""),
            ("Brewing the green tea", "https://b.example/x", ""),
        ),
        ((TITLE, "https://it.example/tea", ""), (TITLE, "https://de.example/tea", "")),
        ((TITLE, "https://example.com/tea", ""), (TITLE, "https://m.example.com/tea", "")),
        ((TITLE, "https://en.a.example/tea", ""), (TITLE, "https://en.b.example/tea", "")),
    ],
)
def test_same_title_and_same_path_or_snippet(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    pages = found(one, other)
    keys = {key for key, _ in pages}
    assert len(keys) == 2
    assert mirrors(pages) == dict.fromkeys(keys, keys)
    assert mirrors(reversed(pages)) == dict.fromkeys(keys, keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TITLE, f"{TITLE} - Tea House"),
        (TITLE, f"{TITLE} | Tea House"),
        (f"{TITLE} — Tea House", f"{TITLE} – Leaf Journal"),
        (f"{TITLE} · Guides · Tea House", f"{TITLE} | Leaf Journal"),
        (f"{TITLE}: hot, or iced?", f"{TITLE.upper()} (hot or iced) - Tea House"),
        (f"Tea — {TITLE}", f"Tea — {TITLE} — Tea House"),
        (ZH_TITLE, f"{ZH_TITLE}_茶友网"),
        (f"{ZH_TITLE}_图文_茶友网", f"{ZH_TITLE}-茶叶百科"),
        (f"{ZH_TITLE} - 茶友网", f"{ZH_TITLE}|茶叶百科"),
    ],
)
def test_the_name_of_the_site_behind_a_title_does_not_count(one: str, other: str) -> None:
    assert mirrors(found((one, "https://a.example/tea", ""), (other, "https://b.example/tea", "")))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Home", "https://a.example/", LOGIN), ("Home", "https://b.example/", LOGIN)),
        (("Login", "https://a.example/in", LOGIN), ("Login", "https://b.example/login", LOGIN)),
        (("Sign in", "https://a.example/login", ""), ("Sign in", "https://b.example/login", "")),
        (("Sign in", "https://a.example/x", LOGIN), ("Sign in", "https://b.example/y", LOGIN)),
        (("首页", "https://a.example/index", ""), ("首页", "https://b.example/index", "")),
        (
            ("Terms of Use | A", "https://a.example/policies/terms", ""),
            ("Terms of Use | B", "https://b.example/policies/terms", ""),
        ),
        (
            ("关于我们", "https://a.example/about/us.html", ""),
            ("关于我们", "https://b.example/about/us.html", ""),
        ),
        ((TITLE, "https://a.example/", ""), (TITLE, "https://b.example/", "")),
        ((TITLE, "https://a.example/x", SHORT), (TITLE, "https://b.example/y", SHORT)),
        ((TITLE, "https://a.example/x", TITLE * 9), (TITLE, "https://b.example/y", TITLE * 9)),
        ((TITLE, "https://a.example/x", TWELVE[:-7]), (TITLE, "https://b.example/y", TWELVE[:-7])),
        ((STORY, "https://a.example/x", STORY), (STORY, "https://b.example/y", STORY)),
        ((TITLE, "https://a.example/x", STORY), (TITLE, "https://b.example/y", ZH_STORY)),
        (
            (TITLE, "https://a.example/x", f"{STORY[:72]} {TWELVE}"),
            (TITLE, "https://b.example/y", f"{STORY[:72]} {LOGIN}"),
        ),
        ((TITLE, "https://a.example/x?id=1", ""), (TITLE, "https://b.example/x?id=2", "")),
        ((TITLE, "https://a.example/x", STORY), (TITLE, "https://a.example/y", STORY)),
        ((TITLE, "https://en.a.example/x", STORY), (TITLE, "https://de.a.example/x", STORY)),
        (("", "https://a.example/x", STORY), ("", "https://b.example/x", STORY)),
        (
            ("Learn C++ in a day", "https://a.example/learn", ""),
            ("Learn C# in a day", "https://b.example/learn", ""),
        ),
        (
            ("Install Docker - Part 1 of 2", "https://a.example/docker", ""),
            ("Install Docker - Part 2 of 2", "https://b.example/docker", ""),
        ),
    ],
)
def test_pages_that_are_not_surely_the_same_are_not_mirrors(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    assert mirrors(found(one, other)) == {}


def test_a_mirror_of_a_mirror_is_one_and_others_stay_out() -> None:
    pages = found(
        (TITLE, "https://a.example/tea", STORY),
        (TITLE, "https://b.example/tea", SHORT),
        (TITLE, "https://c.example/other", STORY),
        (TITLE, "https://d.example/", SHORT),
    )
    group = {"a.example/tea", "b.example/tea", "c.example/other"}
    assert mirrors(pages) == dict.fromkeys(group, group)


def test_what_one_finder_shows_of_a_page_is_enough() -> None:
    pages = found(
        ("Green tea", "https://a.example/tea", SHORT),
        (TITLE, "https://a.example/tea", SHORT),
        (TITLE, "https://b.example/tea", SHORT),
    )
    assert set(mirrors(pages)) == {"a.example/tea", "b.example/tea"}


PAGES = st.tuples(
    st.sampled_from([TITLE, f"{TITLE} - Tea House", ZH_TITLE, f"{ZH_TITLE}_茶友网", "首页"]),
    st.builds("https://{}.example/{}".format, st.sampled_from("abcd"), st.sampled_from("xyz")),
    st.sampled_from(["", SHORT, STORY, ZH_STORY]),
)


@hypothesis.given(st.lists(PAGES, max_size=8), PAGES)
def test_a_further_item_joins_groups_and_never_parts_them(
    pages: list[tuple[str, str, str]], further: tuple[str, str, str]
) -> None:
    before, after = mirrors(found(*pages)), mirrors(found(*pages, further))
    assert all(group <= after[key] for key, group in before.items())
    assert all(key in group and len(group) > 1 for key, group in after.items())
    assert all(after[member] == group for group in after.values() for member in group)
