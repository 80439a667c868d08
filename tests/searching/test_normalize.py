"""From hits to items: what cannot be opened is dropped, ranks are written, pages are told apart."""

from __future__ import annotations

import logging

import msgspec
import pytest

from citeseek.models import (
    CodeDetails,
    Hit,
    ImageDetails,
    PaperDetails,
    SearchItem,
    VideoDetails,
)
from citeseek.searching.normalize import normalize
from citeseek.urls import Wrapper

GOOD = "https://e.example/"


def items(*urls: str) -> list[SearchItem]:
    return [
        SearchItem(title=f"t{rank}", url=url, provider="stub", rank=rank)
        for rank, url in enumerate(urls, start=1)
    ]


@pytest.mark.parametrize(
    "url",
    ["ftp://e.example/", "javascript:void(0)", "/relative", "e.example", "", "//[bad/", "https://"],
)
@pytest.mark.requirement("S3-3")
def test_addresses_that_are_not_http_are_dropped(url: str) -> None:
    kept = normalize([Hit("bad", url), Hit("good", GOOD)], provider="stub", page_url=GOOD)
    assert [(item.title, item.rank) for item in kept] == [("good", 1)]


@pytest.mark.parametrize("url", ["HTTP://e.example/", "HTTPS://e.example/", "Https://E.example/a"])
@pytest.mark.requirement("S3-3")
def test_every_address_that_is_kept_begins_with_http(url: str) -> None:
    kept = normalize([Hit("capitals", url)], provider="stub", page_url=GOOD)
    assert all(item.url.startswith(("http://", "https://")) for item in kept)


@pytest.mark.requirement("S1-74", "S1-75")
def test_the_others_are_used_with_ranks_without_gaps() -> None:
    hits = [Hit("a", GOOD), Hit("b", "#"), Hit("c", f"{GOOD}c"), Hit("d", ""), Hit("e", f"{GOOD}e")]
    kept = normalize(hits, provider="stub")
    assert [(item.title, item.rank) for item in kept] == [("a", 1), ("c", 2), ("e", 3)]


@pytest.mark.requirement("S1-76")
def test_what_is_dropped_is_logged_with_its_position(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    normalize([Hit("a", GOOD), Hit("b", "ftp://e.example/")], provider="searxng")
    (line,) = caplog.messages
    assert "searxng" in line
    assert "2" in line
    assert "no web address" in line


@pytest.mark.requirement("S3-4", "S4-16", "P39")
def test_texts_are_kept_as_they_are_and_may_be_empty() -> None:
    full, bare = normalize([Hit("Tea", GOOD, "a" * 500), Hit("", f"{GOOD}b")], provider="stub")
    assert (full.title, full.snippet) == ("Tea", "a" * 500)
    assert (bare.title, bare.snippet) == ("", "")


@pytest.mark.requirement("P10")
def test_every_field_finds_its_place() -> None:
    hit = Hit("t", GOOD, "s", published_at="2026-01-02", site_name="Tea House", engines=("a", "b"))
    (item,) = normalize([hit], provider="searxng")
    assert item == SearchItem(
        title="t",
        url=GOOD,
        snippet="s",
        provider="searxng",
        rank=1,
        published_at="2026-01-02",
        site_name="Tea House",
        source="a",
        engines=("a", "b"),
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        *[(one, one) for one in ("2026", "2026-03", "2026-03-14", "2026-03-14T09:00:00+08:00")],
        ("Sat, 14 Mar 2026 09:00:00 GMT", "2026-03-14"),
        ("March 14, 2026", "2026-03-14"),
        *[(one, None) for one in ("garbage", "2026-13", "12 March", "14", "0000-00-00", " ")],
    ],
)
def test_a_date_is_well_formed_or_none(given: str, kept: str | None) -> None:
    (item,) = normalize([Hit("t", GOOD, published_at=given)], provider="x")
    assert item.published_at == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("10.1000/xyz-123", "10.1000/xyz-123"),
        ("https://doi.org/10.1000/xyz", "10.1000/xyz"),
        ("doi:10.1000/xyz", "10.1000/xyz"),
        *[(one, None) for one in ("bad", "10.1000", "10.1/x", "10.1000/a b", "")],
    ],
)
def test_a_doi_is_one_or_none(given: str, kept: str | None) -> None:
    (item,) = normalize([Hit("t", GOOD, paper=PaperDetails(venue="v", doi=given))], provider="x")
    assert item.paper
    assert item.paper.doi == kept


@pytest.mark.requirement("P26")
def test_wrappers_are_undone_and_nothing_else_is_changed() -> None:
    wrapper = Wrapper(("/go?",), params=("to",))
    hits = [Hit("a", "/go?to=https%3A%2F%2Fe.example%2F%3Futm_id%3D1%23x"), Hit("b", "//e.example")]
    kept = normalize(hits, provider="x", page_url="https://s.example/", wrappers=(wrapper,))
    assert [item.url for item in kept] == ["https://e.example/?utm_id=1#x", "https://e.example"]


def test_a_result_about_a_tag_keeps_it() -> None:
    (item,) = normalize([Hit("The <b> element", GOOD, "Use <b> for & in text")], provider="stub")
    assert (item.title, item.snippet) == ("The <b> element", "Use <b> for & in text")


def test_half_a_character_is_replaced_and_two_halves_are_joined() -> None:
    hit = Hit("tea \ud83d", "https://e.example/", "\ud83c\udf75 \udf75", engines=("a\ud800",))
    (item,) = normalize([hit], provider="x")
    assert (item.title, item.snippet, item.engines) == ("tea \ufffd", "🍵 \ufffd", ("a\ufffd",))
    assert msgspec.json.encode(item)


def test_what_nobody_sees_is_no_title_and_tag_letters_reach_no_model() -> None:
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in "obey me")
    hits = [
        Hit("\u3164\u200b", "https://e.example/", f"tea{hidden} leaf"),
        Hit(f"Tea{hidden}", "https://f.example/", site_name="\u2060", published_at="\x1b[0m"),
    ]
    first, second = normalize(hits, provider="x")
    assert (first.title, first.snippet) == ("", "tea leaf")
    assert (second.title, second.site_name, second.published_at) == ("Tea", None, None)


def test_dropped_results_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    hits = [Hit("Tea", "javascript:x")] * 5_000 + [Hit("Tea", "https://e.example/")]
    assert len(normalize(hits, provider="x")) == 1
    (line,) = caplog.messages
    assert "5,000 results dropped" in line


def test_what_belongs_to_a_kind_is_fit_to_show() -> None:
    hit = Hit(
        "a",
        GOOD,
        thumbnail="/th?id=1",
        image=ImageDetails(url="//cdn.example/a.png", width=-3, height=10**20),
        video=VideoDetails(seconds=5, channel="one\nline\x1b[0m"),
        paper=PaperDetails(authors=("A\tB", "", "C" * 500), doi="", pdf_url="javascript:x"),
        code=CodeDetails(is_answered=False, tags=("x",) * 99),
    )
    (item,) = normalize([hit], provider="stub", page_url=GOOD)
    assert item.thumbnail == f"{GOOD}th?id=1"
    assert item.image == ImageDetails(url="https://cdn.example/a.png")
    assert item.video == VideoDetails(seconds=5, channel="one line [0m")
    assert item.paper == PaperDetails(authors=("A B", "C" * 100))
    assert item.code == CodeDetails(is_answered=False, tags=("x",) * 50)


@pytest.mark.parametrize("address", ["", "data:image/png;base64,AAAA", "ftp://e.example/a.png"])
def test_a_picture_without_a_web_address_is_none(address: str) -> None:
    hit = Hit("a", GOOD, thumbnail=address, image=ImageDetails(url=address, width=1))
    (item,) = normalize([hit], provider="stub", page_url=GOOD)
    assert item.thumbnail is item.image is None
