"""Copies are collapsed; a copy in which a number was changed is not one."""

from __future__ import annotations

from citeseek.research.disagreements import disagreements
from citeseek.research.duplicates import collapse
from citeseek.research.pages import ReadPage

ARTICLE = (
    "The council of Elmford approved the new tram line on Tuesday after a long debate.\n"
    "The line will run from the harbour to the university and have 17 stops along the way.\n"
    "Construction costs are put at 240 million euros, of which the state pays two thirds.\n"
    "Work begins in the spring, and the first trams are to run in four years from now.\n"
    "Residents of the old town had asked for a tunnel, which the council found too expensive."
)


def page(name: str, text: str) -> ReadPage:
    """Return the page of ``name`` with ``text``."""
    url = f"https://{name}.example/"
    return ReadPage(url=url, final_url=url, title=name, snippet="", provider="stub", text=text)


def test_a_syndicated_copy_is_collapsed_into_the_first() -> None:
    copy = f"From our partners, reprinted with permission.\n{ARTICLE}\nRead more at Elmford News."
    (only,) = collapse([page("first", ARTICLE), page("copy", copy)])
    assert only.page.title == "first"
    assert only.copies == ("https://copy.example/",)


def test_a_changed_number_keeps_both() -> None:
    changed = ARTICLE.replace("240 million", "420 million")
    assert len(collapse([page("first", ARTICLE), page("changed", changed)])) == 2


def test_a_changed_word_keeps_both() -> None:
    for old, new in (("will run", "will not run"), ("the harbour", "Alderton"), ("two", "no")):
        changed = ARTICLE.replace(old, new)
        assert changed != ARTICLE
        assert len(collapse([page("first", ARTICLE), page("changed", changed)])) == 2


def test_another_notation_of_a_number_is_the_same() -> None:
    one = ARTICLE.replace("240 million", "240,000,000")
    other = ARTICLE.replace("240 million", "240000000")
    assert len(collapse([page("first", one), page("other", other)])) == 1
    assert disagreements([page("first", one), page("other", other)], [one]) == []


def test_the_rows_of_a_list_are_no_disagreement() -> None:
    rows = [f"The line to the {n} district has {n} stops along the way." for n in range(9)]
    one, other = page("one", "\n".join(rows)), page("other", "\n".join(rows[3:]) + "\nEnd.")
    assert disagreements([one, other], [rows[0]]) == []


def test_a_quotation_in_a_long_article_is_no_copy() -> None:
    long = "\n".join(
        f"Chapter {name} tells how the {name} came to the valley and what the {name} did there."
        for name in ("miller", "smith", "baker", "tailor", "weaver", "potter", "cooper", "tanner")
    )
    assert len(collapse([page("long", f"{long}\n{ARTICLE}\n{long}"), page("short", ARTICLE)])) == 2


def test_empty_and_short_pages_are_compared_as_they_are() -> None:
    assert len(collapse([page("a", "One."), page("b", "Two."), page("c", "One.")])) == 2


def test_a_disagreement_is_told_once_with_all_its_versions() -> None:
    changed = ARTICLE.replace("240 million", "420 million")
    pages = [page("first", ARTICLE), page("changed", changed), page("third", changed)]
    told = [ARTICLE.splitlines()[2], changed.splitlines()[2]]
    ((first, second),) = disagreements(pages, told)
    assert "240 million" in first.text
    assert first.pages == (0,)
    assert "420 million" in second.text
    assert second.pages == (1, 2)


def test_sentences_that_agree_are_no_disagreement() -> None:
    assert disagreements([page("a", ARTICLE), page("b", ARTICLE)], [ARTICLE]) == []


def test_chinese_disagreements() -> None:
    one = page("a", "青榆大桥全长412米，总造价9800万欧元，由市政府出资。")
    other = page("b", "青榆大桥全长421米，总造价9800万欧元，由市政府出资。")
    ((_, against),) = disagreements([one, other], [one.text])
    assert "421米" in against.text
