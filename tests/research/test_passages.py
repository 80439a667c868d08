"""Passages and quotes: letter by letter from the page, the best first, none twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeseek.research.evidence import QUOTES_A_PAGE, best_quotes, passages_of
from citeseek.research.pages import PASSAGE_CHARS, ReadPage, passages
from citeseek.research.report_text import quote_address


def page(text: str, *, title: str = "", url: str = "https://a.example/") -> ReadPage:
    """Return a page with ``text``."""
    return ReadPage(url=url, final_url=url, title=title, snippet="", provider="stub", text=text)


BRIDGE = (
    "The Alder Bridge was opened on 3 May 2019. It is 412 metres long and cost 98 million euros.\n"
    "\n"
    "Traffic over the bridge grew by 14 percent in its first year, the city said."
)


@given(st.text(alphabet="ab 。.!？\n一二三", max_size=400))
def test_a_passage_stands_at_its_place(text: str) -> None:
    for passage in passages(0, text):
        assert text[passage.start : passage.start + len(passage.text)] == passage.text


def test_neighbouring_sentences_of_a_paragraph_are_one_passage() -> None:
    first, second = passages(0, BRIDGE)
    assert first.text == BRIDGE.splitlines()[0]
    assert second.text == BRIDGE.splitlines()[2]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = " ".join(f"The river gauge number {n} showed a level of {n} metres." for n in range(40))
    found = list(passages(0, text))
    assert len(found) > 5
    assert all(
        len(passage.text) <= PASSAGE_CHARS and passage.text.endswith(".") for passage in found
    )


def test_the_passage_that_answers_comes_first() -> None:
    pages = [
        page("The harbour was dredged in 2011 by a company from the north.", title="Harbour"),
        page(BRIDGE, title="Alder Bridge"),
    ]
    quotes = best_quotes(["How long is the Alder Bridge?"], pages, passages_of(pages))
    assert quotes[0].page == 1
    assert quotes[0].text.startswith("The Alder Bridge was opened")
    assert quotes[0].gist == "It is 412 metres long and cost 98 million euros."
    assert quotes[0].score == 1


def test_chinese_questions_find_chinese_passages() -> None:
    pages = [
        page("港口于二〇一一年完成疏浚，由北方一家公司承建。"),
        page("青榆大桥全长412米，总造价9800万欧元。大桥于2019年5月3日通车。"),
    ]
    quotes = best_quotes(["青榆大桥有多长"], pages, passages_of(pages))
    assert [quote.page for quote in quotes] == [1]
    assert quotes[0].gist.startswith("青榆大桥全长412米")


def test_what_was_said_is_not_said_again() -> None:
    pages = [page(BRIDGE), page(f"{BRIDGE} A reader sent this to us."), page("Nothing of this.")]
    quotes = best_quotes(["length of the Alder Bridge"], pages, passages_of(pages))
    assert sum("412 metres" in quote.text for quote in quotes) == 1


def test_no_page_gives_more_than_its_share() -> None:
    facts = "\n".join(
        f"The Alder Bridge has the {name} as pier {n}, built by team {name} in {2000 + n}."
        for n, name in enumerate(("oak", "birch", "maple", "cedar", "pine", "willow"))
    )
    quotes = best_quotes(["Alder Bridge pier"], [page(facts)], passages_of([page(facts)]))
    assert len(quotes) <= QUOTES_A_PAGE


def test_nothing_in_common_gives_no_quote() -> None:
    pages = [page(BRIDGE)]
    assert best_quotes(["量子计算"], pages, passages_of(pages)) == []
    assert best_quotes(["anything"], [], []) == []


@pytest.mark.parametrize(
    ("quote", "address"),
    [
        ("412 metres", "https://a.example/b#:~:text=412%20metres"),
        ("a-b, c & d", "https://a.example/b#:~:text=a%2Db%2C%20c%20%26%20d"),
        (
            "The Alder Bridge was opened on 3 May 2019. It is 412 metres long and cost 98 million.",
            "https://a.example/b#:~:text=The%20Alder%20Bridge%20was,and%20cost%2098%20million.",
        ),
    ],
)
def test_a_quote_has_an_address(quote: str, address: str) -> None:
    assert quote_address("https://a.example/b", quote) == address


def test_a_fragment_of_the_address_is_kept() -> None:
    assert quote_address("https://a.example/#top", "x") == "https://a.example/#top:~:text=x"


def test_the_version_that_more_pages_bear_out_comes_first() -> None:
    rumour = "The Alder Bridge is 421 metres long from end to end."
    right = "A guide to the town, with walks. The Alder Bridge is 412 metres long from end to end."
    told = "Whoever walks across the river on a windy day has 412 metres to go."
    pages = [page(rumour), page(right), page(told)]
    quotes = best_quotes(["How long is the Alder Bridge?"], pages, passages_of(pages))
    assert [quote.gist for quote in quotes][:2] == [
        "The Alder Bridge is 412 metres long from end to end.",
        rumour,
    ]
