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


@pytest.mark.parametrize("title", ["The Orr Mill", "Orr Mill"])
def test_an_article_and_the_title_of_one_page_make_no_other_thing(title: str) -> None:
    found = assess(
        "How tall is the Orr Mill?",
        [
            PageText(title, "The Orr Mill is 41 metres tall and stands on the Tarn."),
            PageText("Drawings of Orr Mill", "The Orr Mill has a height of 39 metres."),
        ],
    )
    assert [one.value for one in found.voices] == ["41 metres", "39 metres"]
    assert not found.are_apart


def test_dates_of_life_in_brackets_are_birth_and_death() -> None:
    text = "Thomas Orr (3 May 1901 – 8 July 1955) was a Scottish painter."
    assert values("When was Thomas Orr born?", text) == [("3 May 1901", (0,))]
    assert values("When did Thomas Orr die?", text) == [("8 July 1955", (0,))]


def values_and_confidence(question: str, *texts: str) -> tuple[list[str], float | None]:
    found = assess(question, pages(*texts, title=""))
    return [one.value for one in found.voices], found.confidence


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        (
            "How long is the Sava Tunnel?",
            "The Sava Tunnel is 7,864 metres long.",
            "The length of the Sava Tunnel is 8,019 metres.",
            ["7,864 metres", "8,019 metres"],
        ),
        (
            "How many kilometres long is the Sava Tunnel?",
            "The Sava Tunnel is 7,864 metres long.",
            "The length of the Sava Tunnel is 8,019 metres.",
            ["7,864 metres", "8,019 metres"],
        ),
        (
            "How tall is Orr Tower?",
            "Orr Tower is 312 metres tall.",
            "The height of Orr Tower is 318 metres.",
            ["312 metres", "318 metres"],
        ),
        (
            "How high is Mount Orr?",
            "Mount Orr rises to 3,120 m.",
            "Mount Orr has an elevation of 3,110 metres.",
            ["3,120 m", "3,110 metres"],
        ),
        (
            "How deep is Lake Orr?",
            "Lake Orr is 90 metres deep.",
            "The depth of Lake Orr is 84 metres.",
            ["90 metres", "84 metres"],
        ),
        (
            "How wide is the Orr Canal?",
            "The Orr Canal is 30 metres wide.",
            "The Orr Canal has a width of 28 metres.",
            ["30 metres", "28 metres"],
        ),
        (
            "How old is Tom Orr?",
            "Tom Orr is 63 years old.",
            "Tom Orr, aged 61, lives in Perth.",
            ["63 years old", "61"],
        ),
        (
            "How far is Orr from Perth?",
            "Orr is 30 km from Perth.",
            "The distance between Orr and Perth is 34 km.",
            ["30 km", "34 km"],
        ),
        (
            "How heavy is the Orr Bell?",
            "The Orr Bell weighs 46 tonnes.",
            "The Orr Bell has a weight of 42 tonnes.",
            ["46 tonnes", "42 tonnes"],
        ),
        ("清河有多长？", "清河长421公里。", "清河全长438公里。", ["421公里", "438公里"]),
        ("清河有多少公里长？", "清河长421公里。", "清河全长438公里。", ["421公里", "438公里"]),
        ("云塔有多高？", "云塔高632米。", "云塔的高度是600米。", ["632米", "600米"]),
        ("这口铜钟有多重？", "铜钟重46吨。", "铜钟的重量为42吨。", ["46吨", "42吨"]),
        ("清河有多宽？", "清河宽120米。", "清河的宽度为90米。", ["120米", "90米"]),
        (
            "What did the Lake Bridge cost?",
            "The Lake Bridge cost 250 million.",
            "The Lake Bridge cost 310 million.",
            ["250 million", "310 million"],
        ),
    ],
)
def test_a_measure_is_asked_for_in_any_words(
    question: str, one: str, other: str, expected: list[str]
) -> None:
    assert values_and_confidence(question, one, other) == (expected, None)


def test_how_long_is_a_duration_where_the_page_measures_that() -> None:
    film = "The film Orr Mill has a running time of 142 minutes."
    assert values_and_confidence("How long is the film Orr Mill?", film) == (["142 minutes"], 0.97)
    reel = "The reel of Orr Mill is 3,900 metres long."
    assert len(values_and_confidence("How long is Orr Mill?", film, reel)[0]) == 1
    works = "The Sava Tunnel took 7 years to build."
    length = "The Sava Tunnel is 7,864 metres long."
    assert values_and_confidence("How long is the Sava Tunnel?", works, length) == (
        ["7,864 metres"],
        0.97,
    )
    war = "The war of Orr lasted 7 years."
    assert values_and_confidence("How long did the war of Orr last?", war) == (["7 years"], 0.97)


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        (
            "Is the Lake Bridge 421 metres long?",
            "The Lake Bridge is 412 metres long.",
            "The Lake Bridge is 421 metres long.",
            ["412 metres", "421 metres"],
        ),
        (
            "Did the Lake Bridge cost 250 million dollars?",
            "The Lake Bridge cost $310 million.",
            "The Lake Bridge cost 250 million dollars.",
            ["$310 million", "250 million dollars"],
        ),
        (
            "Was the Lake Bridge built in 1932?",
            "The Lake Bridge was built in 1932.",
            "The Lake Bridge was built in 1935.",
            ["1932", "1935"],
        ),
        (
            "Was the Lake Bridge built by Anna Orr?",
            "The Lake Bridge was built by Anna Orr.",
            "The Lake Bridge was built by John Kerr.",
            ["Anna Orr", "John Kerr"],
        ),
        ("湖桥长421米吗？", "湖桥长412米。", "湖桥全长421米。", ["412米", "421米"]),
        ("湖桥是1932年建成的吗？", "湖桥于1932年建成。", "湖桥1935年建成。", ["1932年", "1935年"]),
    ],
)
def test_a_question_for_yes_or_no_finds_the_pages_that_say_no(
    question: str, one: str, other: str, expected: list[str]
) -> None:
    assert values_and_confidence(question, one, other) == (expected, None)
    # The page that says another value alone is the answer: not that one.
    assert values_and_confidence(question, other)[0] == expected[1:]
