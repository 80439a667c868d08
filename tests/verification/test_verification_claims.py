"""Which statement each mark of an answer stands for."""

from __future__ import annotations

from time import perf_counter

import pytest

from citeseek.verification import SourceText, check_answer, claims


def read(markdown: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(claim.text, claim.numbers) for claim in claims(markdown)]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("清河全长412公里[1]。", [("清河全长412公里。", (1,))]),
        ("清河全长412公里。[1]沙河很短。", [("清河全长412公里。", (1,))]),
        ("Costs fell. [1] Sales rose. [2]", [("Costs fell.", (1,)), ("Sales rose.", (2,))]),
        ("Costs fell 3% [1][2].", [("Costs fell 3%.", (1, 2))]),
        ("Costs fell 3% [1, 3].", [("Costs fell 3%.", (1, 3))]),
        ("Costs fell 3% [1-3].", [("Costs fell 3%.", (1, 2, 3))]),
        ("Costs fell 3%【2】.", [("Costs fell 3%.", (2,))]),
        ("Costs fell 3% [[1]](https://a.example/1).", [("Costs fell 3%.", (1,))]),
        ("**Costs** fell `3%` in [Leeds](/x) [1]", [("Costs fell 3% in Leeds", (1,))]),
        ("- one item here [1]\n- two here [2]", [("one item here", (1,)), ("two here", (2,))]),
        ("1. one item here [1]\n2. two here [2]", [("one item here", (1,)), ("two here", (2,))]),
        ("| 河 | 长 |\n|---|---|\n| 清河 | 412公里 [1] |", [("清河，412公里", (1,))]),
        ("> Costs fell 3% [1]", [("Costs fell 3%", (1,))]),
        ("清河全长\n412公里[1]。", [("清河全长412公里。", (1,))]),
        ("Costs fell\nby 3% [1].", [("Costs fell by 3%.", (1,))]),
        ("```\nx[1]\n```\n`y[2]` is code.", []),
        ("No mark here.", []),
        ("As [1] says, costs fell 3%.", [("As says, costs fell 3%.", (1,))]),
        ("## Costs fell 3% [1]\n\nText.", [("Costs fell 3%", (1,))]),
        ("A\\*B fell 3% [1].", [("A*B fell 3%.", (1,))]),
        ("Costs fell 3% ([1]).", [("Costs fell 3%.", (1,))]),
        ("Costs fell 3% (see [1], [2]).", [("Costs fell 3%.", (1, 2))]),
        ("Costs fell. ([1]) Sales rose.^[2]^", [("Costs fell.", (1,)), ("Sales rose.", (2,))]),
        ("成本下降3%（来源：[1]）。", [("成本下降3%。", (1,))]),
        ("Costs (of oil) fell 3% [1, p. 4].", [("Costs (of oil) fell 3%.", (1,))]),
    ],
)  # fmt: skip
def test_claims_of_markdown(markdown: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(text.rstrip(".。"), numbers) for text, numbers in read(markdown)] == [
        (text.rstrip(".。"), numbers) for text, numbers in expected
    ]


def test_several_marks_in_a_sentence_have_their_own_parts() -> None:
    found = list(claims("Revenue rose 5% in 2024 [1], while costs fell 3% [2]."))
    assert [claim.text for claim in found] == ["Revenue rose 5% in 2024", "while costs fell 3%"]
    assert found[1].sentence == "Revenue rose 5% in 2024, while costs fell 3%"


def test_what_follows_the_mark_is_not_cited() -> None:
    (claim,) = claims("Revenue rose 5% in 2024 [1], which I find surprising.")
    assert claim.text == "Revenue rose 5% in 2024"


def test_places_count_the_citations_of_the_answer() -> None:
    found = list(claims("One thing is here [1][2]. Another thing is there [1]."))
    assert [claim.places for claim in found] == [(0, 1), (2,)]


def test_the_list_of_references_is_no_claim() -> None:
    answer = (
        "清河全长412公里[[1]](https://a.example/)。\n\n---\n\n## 参考文献\n\n"
        "1. [清河](https://a.example/) - a.example\n"
    )
    assert len(list(claims(answer))) == 1


@pytest.mark.parametrize(
    ("answer", "is_question"),
    [
        ("Is the pool 4 metres deep [1]?", True),
        ("Is the pool 4 metres deep? [1]", True),
        ("**Is it deep?** [1]", True),
        ("泳池深4米吗[1]？", True),
        ('The board asked: "Is the pool deep?" [1]', False),
        ("Is it deep? The pool is 4 metres deep [1].", False),
    ],
)
def test_a_question_states_nothing(answer: str, *, is_question: bool) -> None:
    (claim,) = claims(answer)
    assert claim.is_question == is_question
    if is_question:
        page = SourceText("The pool is 4 metres deep. 泳池深4米。")
        (check,) = check_answer(answer, {1: page, 2: page})
        assert (check.verdict, check.reason, check.elsewhere) == ("unclear", "no_claim", None)


def test_many_marks_and_equal_rows_are_checked_once() -> None:
    page = SourceText("| a | b |\n" + "| x | 5 |\n" * 2_000)
    begun = perf_counter()
    rows = check_answer("| a | b |\n|---|---|\n" + "| x | 5 [1] |\n" * 500, {1: page})
    assert [check.place for check in rows] == list(range(500))
    marks = check_answer(f"The pool is deep {'[1]' * 20_000}.", {1: page})
    assert [check.place for check in marks] == list(range(20_000))
    # Each mark by itself would take a minute and more.
    assert perf_counter() - begun < 20
