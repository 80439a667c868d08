"""How good answers without a model are, over questions with labelled pages: floors to keep.

``python -m tests.assistant.test_answers_without_a_model`` prints the figures, the table of
confidences, and the questions that go wrong. A third of the questions, the first 22 in each
language, were written before the code that answers them. A question without an answer is right
when it is said that the sources have none.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from citeseek.citations import Source
from citeseek.language_model.extracts import extract_and_assess

FOLDER = Path(__file__).with_name("answers")
# Right where it answers; answered, of all questions and of those that have an answer.
RIGHT, ANSWERED, OF_THE_ANSWERABLE = 0.95, 0.50, 0.75
# How far the confidence may be from what was right among so many or more.
OFF, ENOUGH = 0.07, 20


def questions() -> list[dict[str, Any]]:
    """Return the questions with their pages and answers."""
    lines = (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def page(name: str) -> str:
    return (FOLDER / "pages" / f"{name}.txt").read_text("utf-8")


def sources(question: dict[str, Any]) -> list[Source]:
    """Return the pages of a question as they are when they were read."""
    return [
        Source(number, page(name).split("\n", 1)[0], f"https://{name}.example/", name, page(name))
        for number, name in enumerate(question["pages"], start=1)
    ]


@cache
def outcomes() -> list[tuple[dict[str, Any], float, bool, bool]]:
    """Return for each question the confidence, whether it is answered, and whether it is right."""
    found = []
    for question in questions():
        extracts, assessed = extract_and_assess(question["question"], sources(question))
        first = extracts[0].text if extracts else ""
        is_right = any(answer in first for answer in question["answers"])
        told = assessed.is_answer and not assessed.differs
        found.append((question, assessed.confidence or 0.0, told, is_right))
    return found


def shares(language: str = "") -> tuple[float, float, float]:
    """Return what is right where it answers, and what is answered of all and of the answerable."""
    of = [one for one in outcomes() if one[0]["id"].startswith(language)]
    told = [is_right for _, _, is_told, is_right in of if is_told]
    answerable = [is_told for question, _, is_told, _ in of if question["answers"]]
    return (
        sum(told) / len(told),
        len(told) / len(of),
        sum(answerable) / len(answerable),
    )


def calibration() -> dict[float, list[bool]]:
    """Return for each confidence which of the first sentences were right."""
    found: dict[float, list[bool]] = defaultdict(list)
    for _, confidence, _, is_right in outcomes():
        found[confidence].append(is_right)
    return dict(sorted(found.items(), reverse=True))


def test_there_are_enough_questions_in_both_languages() -> None:
    of = questions()
    assert len(of) >= 120
    assert len({one["id"] for one in of}) == len(of)
    for language in ("en", "zh"):
        mine = [one for one in of if one["id"].startswith(language)]
        unanswerable = [one for one in mine if not one["answers"]]
        assert len(mine) >= 60
        assert len(unanswerable) >= len(mine) / 4
    for one in of:
        text = "".join(map(page, one["pages"]))
        assert all(answer in text for answer in one["answers"]), one["id"]


def test_it_is_right_where_it_answers_and_answers_often_enough() -> None:
    right, answered, of_the_answerable = shares()
    assert right >= RIGHT
    assert answered >= ANSWERED
    assert of_the_answerable >= OF_THE_ANSWERABLE


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_language_is_much_worse(language: str) -> None:
    right, answered, _ = shares(language)
    assert right >= RIGHT
    assert answered >= 0.4


def test_questions_for_yes_or_no_without_a_value_are_answered_rightly_or_not_at_all() -> None:
    told = []
    for line in (FOLDER / "yes_no.txt").read_text("utf-8").splitlines():
        name, question, answer = (part.strip() for part in line.split("|"))
        extracts, assessed = extract_and_assess(question, sources({"pages": [name]}))
        if assessed.is_answer:
            told.append(question)
            assert answer, question
            assert answer in extracts[0].text, question
    assert len(told) >= 4


PAGE = (
    "Tarn Mill\n\nTarn Mill stands on the Ember. The three barns behind the yard were sold in "
    "1994. In 1951 the miller was Otto Brandt, and his sister kept the shop. {}"
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Tarn Mill sold?", "The mill was sold in 1987 to the county."),
        ("Who is the miller of Tarn Mill today?", "The miller is Ada Holt."),
    ],
)
def test_what_is_said_of_another_thing_or_of_then_is_not_told(question: str, answer: str) -> None:
    def told(text: str) -> str:
        extracts, assessed = extract_and_assess(
            question, [Source(1, "Tarn Mill", "https://mill.example/", "mill.example", text)]
        )
        return extracts[0].text if assessed.is_answer else ""

    assert not told(PAGE.format(""))
    assert told(PAGE.format(answer)) == answer


@pytest.mark.release
def test_confidences_are_true() -> None:
    for confidence, right in calibration().items():
        if len(right) >= ENOUGH:
            assert abs(sum(right) / len(right) - confidence) <= OFF, confidence


@pytest.mark.release
def test_sources_that_do_not_differ_are_not_said_to() -> None:
    for question in questions():
        _, assessed = extract_and_assess(question["question"], sources(question))
        assert not assessed.differs, question["id"]


def main() -> None:
    """Print the figures."""
    for language in ("", "en", "zh"):
        right, answered, of_the_answerable = shares(language)
        print(
            f"{language or 'all'}: right where it answers {right:.3f}, answered {answered:.3f}, "
            f"of the answerable {of_the_answerable:.3f}"
        )
    for confidence, right in calibration().items():
        share = sum(right) / len(right)
        print(f"confidence {confidence:.2f}: {len(right)} questions, {share:.2f} right")
    for question, confidence, told, is_right in outcomes():
        if told != is_right:
            print(f"{confidence:.2f} {question['id']} {question['question']}")


if __name__ == "__main__":
    main()
