"""Numbers for pages: handed out once, never changed, never given twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.citations.sources import empty, items, numbered, source

from citeseek.citations import CitationRegistry, convert
from citeseek.models import SearchItem


def pages(site: str, count: int) -> list[SearchItem]:
    return items(*(f"https://{site}.example/{place}" for place in range(1, count + 1)))


@pytest.mark.requirement("S1-42", "S1-43", "S1-44")
def test_numbers_begin_at_one_and_follow_the_results() -> None:
    sources = empty().add(pages("a", 3))
    assert [(one.number, one.url) for one in sources] == [
        (1, "https://a.example/1"),
        (2, "https://a.example/2"),
        (3, "https://a.example/3"),
    ]


@pytest.mark.requirement("S1-137", "S1-138", "S1-139")
def test_a_number_leads_to_address_title_domain_and_snippet() -> None:
    registry = empty()
    registry.add(items("https://www.a.example/1"))
    found = registry.get(1)
    assert found is not None
    assert (found.url, found.domain) == ("https://www.a.example/1", "a.example")
    assert (found.title, found.snippet) == ("About https://www.a.example/1", "words")
    assert {one.number: one.url for one in registry} == {1: "https://www.a.example/1"}


@pytest.mark.requirement("S1-143")
def test_a_number_that_was_not_handed_out_has_no_source() -> None:
    registry = numbered(3)
    assert [registry.get(number) for number in (-1, 0, 4)] == [None] * 3


def test_a_source_has_no_user_and_no_password() -> None:
    registry = empty()
    registry.add(items("https://u:p@a.example/1", "https://a.example/1"))
    assert [one.url for one in registry] == ["https://a.example/1"]


@pytest.mark.requirement("S0-40", "S1-174")
def test_numbers_go_on_over_rounds_and_turns() -> None:
    registry = empty()
    assert registry.add_round("first", pages("a", 8)).numbers == tuple(range(1, 9))
    assert registry.add_round("second", pages("b", 5)).numbers == tuple(range(9, 14))
    assert registry.add_round("next turn", pages("c", 1)).numbers == (14,)
    assert [shown.query for shown in registry.rounds] == ["first", "second", "next turn"]


@pytest.mark.requirement("S1-177")
def test_a_number_leads_to_the_result_of_its_own_round() -> None:
    registry = empty()
    registry.add_round("first", pages("a", 8))
    registry.add_round("second", pages("b", 5))
    answer = convert("x [9] y [13]", registry)
    assert answer == "x [[9]](https://b.example/1) y [[13]](https://b.example/5)"


@pytest.mark.requirement("P8")
def test_a_page_found_again_keeps_its_first_number() -> None:
    registry = empty()
    registry.add_round("a", items("https://p.example/1", "https://p.example/2"))
    again = registry.add_round("b", items("https://p.example/2#top", "https://p.example/3"))
    assert again.numbers == (2, 3)
    assert registry.get(2) == registry.add(items("https://p.example/2"))[0]


@pytest.mark.requirement("P8")
def test_one_search_shows_each_page_once() -> None:
    found = items("https://p.example/1", "https://www.p.example/1/", "https://p.example/2")
    assert empty().add_round("a", found).numbers == (1, 2)


@pytest.mark.requirement("P8")
def test_a_cached_repeat_has_the_same_numbers_and_opens_no_round() -> None:
    registry = empty()
    first = registry.add_round("a", pages("a", 3))
    assert tuple(one.number for one in registry.add(pages("a", 3))) == first.numbers
    assert registry.rounds == (first,)


@pytest.mark.requirement("P8", "S0-21")
def test_parallel_calls_never_share_a_number() -> None:
    registry = empty()
    with ThreadPoolExecutor(8) as pool:
        rounds = list(
            pool.map(lambda site: registry.add_round(site, pages(site, 20)), map(str, range(40)))
        )
    numbers = [number for shown in rounds for number in shown.numbers]
    assert sorted(numbers) == list(range(1, 801))
    for shown in rounds:
        urls = [one.url for number in shown.numbers if (one := registry.get(number))]
        assert urls == [item.url for item in pages(shown.query, 20)]


@pytest.mark.requirement("S1-173", "S1-185")
def test_each_registry_counts_for_itself() -> None:
    agent, chat = empty(), empty()
    agent.add_round("a", pages("a", 8))
    assert chat.add(pages("c", 1))[0].number == 1
    assert len(agent) == 8


@pytest.mark.requirement("P17")
def test_a_number_of_the_agent_is_unknown_in_chat() -> None:
    assert convert("as said [8]", numbered(5)) == "as said [8]"


@pytest.mark.requirement("P35")
def test_the_number_is_not_the_rank() -> None:
    registry = empty()
    registry.add(pages("a", 2))
    item = items("https://b.example/1")[0]
    assert item.rank == 1
    assert registry.add([item])[0].number == 3


@pytest.mark.parametrize(
    ("url", "site_name", "shown"),
    [
        ("https://www.baidu.com/link?url=abc", "Example daily", "Example daily"),
        ("https://www.baidu.com/link?url=abc", None, "baidu.com"),
        ("https://tieba.baidu.com/p/1", "Example forum", "tieba.baidu.com"),
        ("https://a.example/link?url=abc", "Example daily", "a.example"),
    ],
)
@pytest.mark.requirement("P26")
def test_a_redirect_shows_the_name_of_the_site(url: str, site_name: str | None, shown: str) -> None:
    item = SearchItem(title="t", url=url, provider="baidu", rank=1, site_name=site_name)
    assert empty().add([item])[0].domain == shown


def test_known_numbers_are_looked_up_by_number_and_counted_on_from() -> None:
    registry = CitationRegistry.of([source(7), source(2)])
    assert [one.number for one in registry] == [2, 7]
    assert registry.add(items("https://new.example/"))[0].number == 8
    assert registry.add(items("https://s2.example/p"))[0].number == 2


@pytest.mark.parametrize("numbers", [(1, 1), (0,), (-3,)])
def test_a_number_that_cannot_be_is_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="not a free citation number"):
        CitationRegistry.of(map(source, numbers))
