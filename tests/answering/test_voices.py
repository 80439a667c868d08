"""Who says what: values by question, copies as one origin, different things of one name."""

from __future__ import annotations

import pytest

from citeseek.answering import PageText, assess
from citeseek.answering.copies import origins

MILL = (
    "Orr Mill stands on the left bank of the Tarn. The mill was built in {year} by the miller John"
    " Kerr, and ground barley for the distilleries of the valley until the railway came."
)


def pages(*texts: str, title: str = "Orr Mill") -> list[PageText]:
    return [PageText(title, text) for text in texts]


def values(
    question: str, *texts: str, title: str = "Orr Mill"
) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.value, one.pages) for one in assess(question, pages(*texts, title=title)).voices]


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        (
            "When was Orr Mill built?",
            MILL.format(year=1811),
            "It was erected in 1843 after a fire.",
            ["1811", "1843"],
        ),
        (
            "Who built Orr Mill?",
            "The mill was built by John Kerr in 1811.",
            "Orr Mill was built by Anna Beattie.",
            ["John Kerr", "Anna Beattie"],
        ),
        (
            "What is the population of Orr?",
            "The population of Orr was 1,204 in 2011.",
            "Orr has a population of 3,870.",
            ["1,204", "3,870"],
        ),
        (
            "What sport is Tom Orr associated with?",
            "Tom Orr is a Scottish cricketer.",
            "Tom Orr was a rugby union coach from Perth.",
            ["cricketer", "rugby union"],
        ),
        (
            "奥尔水坊建于哪一年？",
            "奥尔水坊建于1811年，是当地最早的水力磨坊。",
            "奥尔水坊于1843年建成。",
            ["1811年", "1843年"],
        ),
        (
            "奥尔水坊的设计者是谁？",
            "奥尔水坊由工程师李文山设计。",
            "水坊的设计者是王若兰。",
            ["李文山", "王若兰"],
        ),
    ],
)
def test_values_of_the_asked_kind_are_told_apart(
    question: str, one: str, other: str, expected: list[str]
) -> None:
    title = next(name for name in ("Orr Mill", "Tom Orr", "Orr", "奥尔水坊") if name in question)
    found = values(question, one, other, title=title)
    assert found == [(expected[0], (0,)), (expected[1], (1,))]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        # One says less than the other.
        ("When was Orr Mill built?", ("It was built in 1811.", "Built in May 1811, it is tall.")),
        # Another property of the same thing.
        ("When was Orr Mill built?", ("It was built in 1811.", "It was sold in 1843.")),
        # The same number, written otherwise.
        ("How many visitors has Orr Mill?", ("It has 12,000 visitors.", "It has 12000 visitors.")),
        # No kind of thing is asked for.
        ("Why was Orr Mill built?", ("It was built for barley.", "It was built for the miller.")),
        # What a text asks, it does not say.
        ("When was Orr Mill built?", ("It was built in 1811.", "Was it built in 1843?")),
    ],
)
def test_what_is_no_difference_is_one_voice_or_none(question: str, texts: tuple[str, ...]) -> None:
    assert len(values(question, *texts)) <= 1


def test_pages_about_something_else_have_no_voice() -> None:
    found = assess(
        "When was Orr Mill built?",
        [
            PageText("Orr Mill", MILL.format(year=1811)),
            PageText("Lowe Barn", "It was built in 1843."),
        ],
    )
    assert [one.value for one in found.voices] == ["1811"]


def test_copies_of_one_text_are_one_origin() -> None:
    copy = MILL.format(year=1811)
    own = "The mill at Orr was built in 1811, says the parish book, and never burnt."
    (voice,) = assess("When was Orr Mill built?", pages(copy, copy + " Share this.", own)).voices
    assert (voice.pages, voice.origins) == ((0, 1, 2), 2)
    assert origins([copy, copy, copy]) == 1
    assert origins([]) == 0


def test_different_things_of_one_name_are_told_as_such() -> None:
    two = [
        PageText("Tom Orr (cricketer)", "Tom Orr was born on 3 May 1901 in Perth."),
        PageText("Tom Orr (painter)", "Tom Orr was born on 9 June 1950 in Leith."),
    ]
    found = assess("When was Tom Orr born?", two)
    assert [one.about for one in found.voices] == ["Tom Orr (cricketer)", "Tom Orr (painter)"]
    assert found.are_apart
    same = [PageText("Tom Orr", page.text) for page in two]
    assert not assess("When was Tom Orr born?", same).are_apart


def test_dates_of_life_in_brackets_are_birth_and_death() -> None:
    text = "Thomas Orr (3 May 1901 – 8 July 1955) was a Scottish painter."
    assert values("When was Thomas Orr born?", text) == [("3 May 1901", (0,))]
    assert values("When did Thomas Orr die?", text) == [("8 July 1955", (0,))]
