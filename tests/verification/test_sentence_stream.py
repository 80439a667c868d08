"""An answer taken apart while it arrives: the same sentences however it is cut, and no others."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from citeseek.verification import AnswerSentence, SentenceStream, claims

ANSWER = """# Tea [1]

At dusk the sea is 9 m deep. ([1]) It is calm (see [2]). It is old.^[1]^ So [1, p. 2]. Old? [3] So.

甲深九米。（[1]）乙深三米（来源：[2]）。丙[1，第 2 页]。

**结论：绿茶含有咖啡因。**[1] 它含 25 毫克[2]。 **另外**, Dr. No says: 3.5 mg [1]. Then?[2] Yes.

The list [1]:
- Green tea. It has 25 mg [1].
- `code. Not` is 5 [2]
  and more [1]. Next one.

1. First [3][4]. Then [1, 2].

> quote one [1]. Quote
> goes on [2]. And `a. B` x.

```python
x = [1]. y
```

| a | b |
|---|---|
| x [1] | 5 [2] |

The area is 5 [1].
$$
x = 1. Y [1]
$$
Formula $x. Y$ is [1]. It costs $5 now [1]. B is [2]. [A link. Here](https://a.example/c) x [1]
"""


def taken_apart(pieces: Iterable[str]) -> list[AnswerSentence]:
    stream = SentenceStream()
    found = [sentence for piece in pieces for sentence in stream.feed(piece)]
    return [*found, *stream.finish()]


def cut(text: str, chars: int) -> list[str]:
    return [text[at : at + chars] for at in range(0, len(text), chars)]


def cited(found: list[AnswerSentence]) -> list[AnswerSentence]:
    return [sentence for sentence in found if sentence.cites]


@pytest.mark.parametrize("chars", [1, 2, 3, 5, 8, 40])
def test_however_it_is_cut_the_sentences_are_the_same(chars: int) -> None:
    found = taken_apart(cut(ANSWER, chars))
    assert "".join(sentence.text for sentence in found) == ANSWER
    assert cited(found) == cited(taken_apart([ANSWER]))


def test_cut_anywhere_the_sentences_are_the_same() -> None:
    rng = random.Random(7)  # noqa: S311 - chance that comes again
    whole = cited(taken_apart([ANSWER]))
    for _ in range(30):
        places = sorted(rng.sample(range(len(ANSWER)), 60))
        pieces = [ANSWER[a:b] for a, b in zip([0, *places], [*places, None], strict=True)]
        assert cited(taken_apart(pieces)) == whole


def test_their_claims_are_those_of_the_whole_answer() -> None:
    found = [claim for sentence in cited(taken_apart([ANSWER])) for claim in sentence.claims()]
    assert found == list(claims(ANSWER))


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("A is 1 [1]. B is 2 [2].", ["A is 1 [1].", "B is 2 [2]."]),
        ("A is 1.[1] B is 2. [2] C.", ["A is 1.[1]", "B is 2. [2]"]),
        ("甲是一[1]。乙是二。[2]丙[3]", ["甲是一[1]。", "乙是二。[2]", "丙[3]"]),
        ("A is 1. **[1]** B is 2 [2]. C", ["A is 1. **[1]**", "B is 2 [2]."]),
        ("**甲是一。**[1]乙[2]。", ["**甲是一。**[1]", "乙[2]。"]),
        ("**甲是一[1]。乙是二[2]。**", ["**甲是一[1]。乙是二[2]。**"]),
        ("See `a. B` [1]. C [2].", ["See `a. B` [1].", "C [2]."]),
        ("$x. Y$ is [1]. C [2].", ["$x. Y$ is [1].", "C [2]."]),
        ("[A. B](https://a.example) is [1]. C [2].", None),
        ("It is 5 * 3. B [1]. C [2].", ["B [1].", "C [2]."]),
        ("Dr. No is 1 [1].", ["Dr. No is 1 [1]."]),
        ("```\na [1]. b\n```\n", []),
        ("$$\na [1]. B\n$$\nC [2].", ["C [2]."]),
    ],
)
def test_where_sentences_end(text: str, bodies: list[str] | None) -> None:
    bodies = bodies if bodies is not None else ["[A. B](https://a.example) is [1].", "C [2]."]
    assert [sentence.body for sentence in cited(taken_apart(cut(text, 2)))] == bodies


def test_a_sentence_is_given_out_with_the_first_letter_behind_it() -> None:
    stream = SentenceStream()
    assert list(stream.feed("A is 1 [1].")) == []
    assert list(stream.feed(" ")) == []
    (sentence,) = stream.feed("B")
    assert sentence.text == "A is 1 [1]. "
    assert stream.held == "B"


def test_code_goes_on_as_it_comes() -> None:
    stream = SentenceStream()
    assert "".join(each.text for each in stream.feed("```python\nx = ")) == "```python\nx = "
    assert "".join(each.text for each in stream.feed("1")) == "1"


def test_what_has_no_end_is_not_waited_for() -> None:
    text = "word " * 3_000 + "[1]. Next [2]."
    stream = SentenceStream()
    found = []
    for piece in cut(text, 100):
        found += stream.feed(piece)
        assert len(stream.held) <= 2_100
    found += stream.finish()
    assert "".join(sentence.text for sentence in found) == text
    assert [sentence.is_whole for sentence in found][:3] == [False] * 3
    assert [sentence.body for sentence in cited(found)][-1] == "Next [2]."


@pytest.mark.parametrize(
    ("text", "struck"),
    [
        ("A is 1 [1]. B", "~~A is 1 [1].~~ B"),
        ("甲[1]。乙", "~~甲[1]。~~ 乙"),
        ("- A [1].\n- B", "- ~~A [1].~~\n- B"),
        ("3. [x] A [1].\n", "3. ~~[x] A [1].~~\n"),
        ("> A\n> goes on [1]. B", "> ~~A\n> goes on [1].~~ B"),
        ("## A [1]\n\nB", "## ~~A [1]~~\n\nB"),
        ("| a | b |\n|---|---|\n| x | 1 [1] |\n", "| a | b |\n|---|---|\n| ~~x~~ | ~~1 [1]~~ |\n"),
        ("A ~~is~~ 1 [1].\n", "~~A is 1 [1].~~\n"),
        ("**A is 1 [1].** B", "~~**A is 1 [1].**~~ B"),
    ],
)
def test_striking_keeps_the_structure(text: str, struck: str) -> None:
    found = taken_apart([text])
    assert "".join(each.struck().text if each.cites else each.text for each in found) == struck


def test_another_body_keeps_the_structure() -> None:
    first, second = cited(taken_apart(["- A [1]. B [2].\n"]))
    assert first.with_body("X [1].").text == "- X [1]. "
    assert second.with_body("Y [3].").text == "Y [3].\n"
    assert second.with_body("Y [3].").cites == (3,)


@pytest.mark.parametrize(
    "unit", ["a. ", "[1] ", "*a ", "$5 ", "Dr. ", "a. `x ", "[a ", "> ", "| a "]
)
def test_whatever_comes_little_of_it_is_held(unit: str) -> None:
    stream = SentenceStream()
    for piece in cut(unit * 3_000, 40):
        for _ in stream.feed(piece):
            pass
        assert len(stream.held) <= 2_100
