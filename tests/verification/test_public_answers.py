"""The figures of the benchmark over questions whose pages disagree, on questions of our own."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.public_answers import (
    Answered,
    PublicQuestion,
    Version,
    figures,
    is_answers,
    is_told,
    public_questions,
    squeeze,
    table_of,
)

MILL = PublicQuestion(
    "When was Orr Mill built?", ("It was built in 1911.",), ("1911", "June 1875"), ("1955",)
)
BARN = PublicQuestion("When was Orr Barn built?", ("It was built in 1833.",), ("1833",), ())


def conflict(*texts: str) -> tuple[tuple[Version, ...], ...]:
    """Return one disagreement of these versions."""
    return (tuple(map(Version, texts)),)


def test_the_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    line = {
        "question": MILL.text,
        "documents": [{"text": MILL.documents[0], "type": "correct", "answer": "1911"}],
        "gold_answers": ["1911", "June 1875"],
        "wrong_answers": ["1955", "1955"],
    }
    path.write_text(f"{json.dumps(line)}\n\n", "utf-8")
    assert is_answers(path)
    assert public_questions(path) == [MILL]
    path.write_text('{"claim": ""}', "utf-8")
    assert not is_answers(path)


def test_a_pair_has_a_valid_answer_and_another_one_apart() -> None:
    assert is_told(MILL, conflict("Built in 1911.", "Built in 1955."))
    assert is_told(MILL, conflict("Built in 1911.", "Built in June, 1875."))
    assert not is_told(MILL, conflict("Built in 1911.", "Sold in 1911."))
    assert not is_told(MILL, [*conflict("Built in 1911."), *conflict("Built in 1955.")])
    assert not is_told(MILL, conflict("Built in 1955.", "Built in 1875."))
    assert not is_told(MILL, conflict("Built in 19110.", "Built in 1955."))


def test_a_version_that_tells_a_value_gives_no_other_one() -> None:
    assert Version("Sold in 1955, built in 1911.").gives(squeeze("1911"))
    assert Version("Sold in 1955, built in 1911.", "1911").gives(squeeze("1911"))
    assert not Version("Sold in 1955, built in 1911.", "1955").gives(squeeze("1911"))


def test_alarms_count_where_there_is_one_answer() -> None:
    told = {
        MILL: Answered("It was built in 1911.", "1911, 1955", conflict("in 1911", "in 1955")),
        BARN: Answered("It was built in 1833.", "1833", conflict("in 1833", "in 1834")),
    }
    found = figures([MILL, BARN], told.__getitem__)
    assert (found.valid_in_answer, found.wrong_in_answer) == (2 / 3, 0.0)
    assert (found.valid_in_report, found.wrong_in_report) == (2 / 3, 1.0)
    assert (found.conflicts_told, found.false_alarms) == (1.0, 1.0)


def test_what_is_measured_is_what_citeseek_tells() -> None:
    rows = dict(table_of([BARN]))
    assert rows["valid answers found by ask"] == "1.000"
    assert rows["valid answers found by a report"] == "1.000"
    assert rows["false alarms, of 1"] == "0.000"
