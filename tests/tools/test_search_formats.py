"""One answer in the shapes of the faces: JSON of four kinds, and text for a model."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from citeseek.errors import CiteseekError, InvalidInput, NetworkError, Timeout, WebBlocked
from citeseek.i18n import catalogue
from citeseek.models import (
    CodeDetails,
    ImageDetails,
    PaperDetails,
    SearchItem,
    SearchResponse,
    VideoDetails,
)
from citeseek.query import Category, Query
from citeseek.tools import search_formats

FULL = SearchItem(
    title="龙井茶",
    url="https://www.tea.example:8443/longjing?a=1",
    snippet="明前采摘。",
    provider="searxng",
    rank=1,
    published_at="2026-03-04",
    site_name="Tea House",
    source="bing",
    engines=("bing", "mojeek"),
)
BARE = SearchItem(title="", url="https://e.example/", provider="searxng", rank=2)
CHINESE = catalogue("zh")
ANSWER = SearchResponse(
    query=Query.of("龙井  茶"), provider="searxng", items=(FULL, BARE), took_ms=12, cached=True
)
EMPTY = SearchResponse(query=Query.of("龙井"), provider="searxng", items=())


def answer(*snippets: str) -> SearchResponse:
    items = tuple(
        SearchItem(
            title=f"Title {rank}",
            url=f"https://e{rank}.example/",
            snippet=snippet,
            provider="stub",
            rank=rank,
        )
        for rank, snippet in enumerate(snippets, start=1)
    )
    return SearchResponse(query=Query.of("tea"), provider="stub", items=items)


@pytest.mark.parametrize("response", [ANSWER, EMPTY], ids=["two", "none"])
@pytest.mark.requirement("S3-1", "S3-8")
def test_the_contract_gives_one_object(response: SearchResponse) -> None:
    result = search_formats.contract(response)
    assert list(result) == ["items"]
    assert isinstance(result["items"], list)
    assert len(result["items"]) == response.count


@pytest.mark.requirement("S3-2", "S3-14", "S3-15")
def test_an_item_of_the_contract() -> None:
    assert search_formats.contract(ANSWER)["items"] == [
        {
            "title": "龙井茶",
            "url": "https://www.tea.example:8443/longjing?a=1",
            "snippet": "明前采摘。",
            "provider": "searxng",
            "rank": 1,
            "source": "bing",
            "published_at": "2026-03-04",
        },
        {
            "title": "",
            "url": "https://e.example/",
            "snippet": "",
            "provider": "searxng",
            "rank": 2,
        },
    ]


@pytest.mark.requirement("S4-11..S4-17")
def test_the_results_of_the_browser_face() -> None:
    assert search_formats.results(ANSWER, " 龙井  茶 ") == {
        "query": " 龙井  茶 ",
        "results": [
            {
                "title": "龙井茶",
                "url": "https://www.tea.example:8443/longjing?a=1",
                "snippet": "明前采摘。",
                "source": "tea.example",
            },
            {"title": "", "url": "https://e.example/", "snippet": "", "source": "e.example"},
        ],
    }


@pytest.mark.requirement("S2-28", "S2-29")
def test_the_provider_result_of_the_agent() -> None:
    assert search_formats.provider_result(ANSWER) == {
        "query": "龙井 茶",
        "provider": "searxng",
        "results": [
            {
                "title": "龙井茶",
                "url": "https://www.tea.example:8443/longjing?a=1",
                "description": "明前采摘。",
                "published": "2026-03-04",
                "siteName": "Tea House",
            },
            {"title": "", "url": "https://e.example/", "siteName": "e.example"},
        ],
        "count": 2,
        "tookMs": 12,
        "cached": True,
    }


@pytest.mark.requirement("S2-33", "S2-29")
def test_every_provider_result_has_the_same_keys() -> None:
    nothing = search_formats.provider_result(EMPTY)
    assert nothing.keys() == search_formats.provider_result(ANSWER).keys()
    assert (nothing["results"], nothing["count"], nothing["cached"]) == ([], 0, False)


def test_everything_is_in_the_full_form() -> None:
    whole = search_formats.full(ANSWER)
    assert (whole["query"]["text"], whole["provider"], whole["count"]) == ("龙井 茶", "searxng", 2)
    assert (whole["took_ms"], whole["cached"], list(whole["errors"])) == (12, True, [])
    assert list(whole["items"][0]["engines"]) == ["bing", "mojeek"]
    assert [item["domain"] for item in whole["items"]] == ["tea.example", "e.example"]


@pytest.mark.parametrize(
    "shape",
    [
        search_formats.full(ANSWER),
        search_formats.contract(ANSWER),
        search_formats.results(ANSWER, "茶"),
        search_formats.provider_result(ANSWER),
    ],
    ids=["full", "contract", "results", "provider_result"],
)
@pytest.mark.requirement("P9")
def test_every_structure_is_json(shape: dict[str, Any]) -> None:
    text = json.dumps(shape)
    assert json.dumps(json.loads(text)) == text


@pytest.mark.parametrize("numbers", [[1, 2, 3], [9, 10, 13]])
@pytest.mark.requirement("S0-8", "S1-34", "S1-44")
def test_the_prompt_block_is_a_numbered_list(numbers: list[int]) -> None:
    block = search_formats.prompt_block(answer("one", "two", "three").items, numbers, CHINESE)
    entries = block.split("\n\n")
    assert len(entries) == 3
    for rank, (number, entry) in enumerate(zip(numbers, entries, strict=True), start=1):
        assert entry.startswith(f"{number}. Title {rank}\n")
        for part in (f"来源: e{rank}.example", f"网址: https://e{rank}.example/", "摘要: "):
            assert part in entry


@pytest.mark.requirement("S1-34")
def test_the_source_is_the_name_on_the_page_or_the_domain() -> None:
    first, second = search_formats.prompt_block(ANSWER.items, [1, 2], CHINESE).split("\n\n")
    assert "来源: Tea House\n" in first
    assert "来源: e.example\n" in second


@pytest.mark.requirement("S0-10")
def test_both_texts_hold_title_address_and_summary() -> None:
    response = answer("one", "two")
    for text in (
        search_formats.prompt_block(response.items, [1, 2], CHINESE),
        search_formats.compact(response.items, [1, 2], CHINESE),
    ):
        for item in response.items:
            assert all(part in text for part in (item.title, item.url, item.snippet))


@pytest.mark.requirement("S0-9")
def test_the_text_of_a_tool_is_smaller_than_the_prompt_block() -> None:
    response = answer("one", "two")
    compact = search_formats.compact(response.items, [1, 2], CHINESE)
    assert isinstance(compact, str)
    assert len(compact) < len(search_formats.prompt_block(response.items, [1, 2], CHINESE))


@pytest.mark.requirement("S0-41", "S1-175")
def test_each_result_of_a_tool_begins_with_its_number() -> None:
    text = search_formats.compact(answer("one", "two", "").items, [9, 10, 13], CHINESE)
    assert re.findall(r"^\[(\d+)\] (.+) <(.+)>$", text, re.MULTILINE) == [
        ("9", "Title 1", "https://e1.example/"),
        ("10", "Title 2", "https://e2.example/"),
        ("13", "Title 3", "https://e3.example/"),
    ]


@pytest.mark.parametrize("form", [search_formats.prompt_block, search_formats.compact])
@pytest.mark.requirement("S0-23", "S1-41")
def test_summaries_have_at_most_200_characters(form: Any) -> None:
    text = form(answer("茶" * 1000).items, [1], CHINESE)
    assert "茶" * 199 + "…" in text
    assert "茶" * 200 not in text


@pytest.mark.parametrize("form", [search_formats.prompt_block, search_formats.compact])
@pytest.mark.requirement("S1-61")
def test_the_length_of_summaries_can_be_set(form: Any) -> None:
    text = form(answer("茶" * 1000).items, [1], CHINESE, summary_chars=50)
    assert text.count("茶") == 49


@pytest.mark.requirement("P11")
def test_structures_keep_the_whole_summary() -> None:
    response = answer("茶" * 1000)
    assert search_formats.contract(response)["items"][0]["snippet"] == "茶" * 1000
    assert search_formats.results(response, "x")["results"][0]["snippet"] == "茶" * 1000
    assert search_formats.provider_result(response)["results"][0]["description"] == "茶" * 1000


@pytest.mark.parametrize("form", [search_formats.prompt_block, search_formats.compact])
def test_a_number_for_each_result_is_needed(form: Any) -> None:
    with pytest.raises(ValueError, match="argument"):
        form(answer("one", "two").items, [1], CHINESE)


@pytest.mark.requirement("P12")
def test_nothing_found_and_a_failure_are_told_apart() -> None:
    nothing = search_formats.compact(EMPTY.items, [], CHINESE)
    assert "没有找到" in nothing
    for error in (Timeout("Late."), NetworkError("Refused."), WebBlocked("CAPTCHA.")):
        text = search_formats.failure_text(error, CHINESE)
        assert "搜索失败" in text
        assert "没有找到" not in text


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (
            InvalidInput("The query is empty.", hint="Write one."),
            ("参数错误", "empty", "Write one."),
        ),
        (Timeout("Late.", hint="Wait.", engine="brave"), ("搜索失败", "brave", "Late.", "Wait.")),
    ],
)
@pytest.mark.requirement("S0-18")
def test_a_failure_is_text_that_says_what_and_what_to_do(
    error: CiteseekError, parts: tuple[str, ...]
) -> None:
    text = search_formats.failure_text(error, CHINESE)
    assert all(part in text for part in parts)


@pytest.mark.parametrize(
    ("category", "details", "text"),
    [
        (
            "papers",
            {
                "paper": PaperDetails(
                    authors=("A", "B", "C", "D"), venue="Coasts", doi="10.5555/x", citations=1200
                ),
                "site_name": "Coasts",
                "published_at": "2024-05-06T07:08:09Z",
            },
            "A, B, C, … · Coasts · doi:10.5555/x · cited by 1,200 · 2024-05-06",
        ),
        (
            "videos",
            {"video": VideoDetails(seconds=3723, channel="Sea", views=5), "site_name": "Tube"},
            "Tube · Sea · 1:02:03 · views: 5",
        ),
        ("images", {"image": ImageDetails(url="http://i/", width=4, height=3)}, "4 × 3"),
        (
            "code",
            {"code": CodeDetails(language="C", stars=9, answers=2, is_answered=True)},
            "C · stars: 9 · answers: 2 · has an accepted answer",
        ),
        ("news", {"site_name": "Daily", "published_at": "2026-11-29"}, "Daily · 2026-11-29"),
        ("web", {"site_name": "Daily", "published_at": "2026-11-29"}, ""),
    ],
)
def test_what_is_known_of_a_kind_is_a_line_of_text(
    category: Category, details: dict[str, Any], text: str
) -> None:
    item = SearchItem(title="T", url="http://e/", snippet="s", provider="p", rank=1, **details)
    query = Query.of("tea", category=category)
    response = SearchResponse(query=query, provider="p", items=(item,))
    (said,) = search_formats.details_of(response, catalogue("en"))
    assert said == text
    lines = search_formats.compact([item], [1], CHINESE, details=[said]).splitlines()
    assert lines == ["[1] T <http://e/>", *([f"  {text}"] if text else []), "  s"]
