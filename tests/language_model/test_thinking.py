"""What a model thinks aloud is told apart from its answer, however both are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeseek.language_model.streaming.segments import Splitter

THOUGHT = "I could cite [2]."
TEXTS = [
    ("<think>I could cite [2].</think>Steamed [1].", THOUGHT, "Steamed [1]."),
    ("<think>\nI could cite [2].\n</think>\n\nSteamed [1].", f"\n{THOUGHT}\n", "Steamed [1]."),
    ("<thought>I could cite [2].</thought>Steamed [1].", THOUGHT, "Steamed [1]."),
    ("<Thinking>I could cite [2].</Thinking> Steamed [1].", THOUGHT, "Steamed [1]."),
    ("I could cite [2].</think>Steamed [1].", THOUGHT, "Steamed [1]."),
    ("I could `cite [2].\n</think>\n\nSteamed [1].", "I could `cite [2].\n", "Steamed [1]."),
    ("<think>I could cite [2].", THOUGHT, ""),
    ("Steamed [1].<think>I could cite [2].</think> Done.", THOUGHT, "Steamed [1]. Done."),
    ("A\n<think>I could cite [2].</think>B", THOUGHT, "A\nB"),
    ("Write `<think>` and `</think>`.", "", "Write `<think>` and `</think>`."),
    ("```\n<think>x</think>\n```\nEnd", "", "```\n<think>x</think>\n```\nEnd"),
    ("```\na\n```\n<think>I could cite [2].</think>End", THOUGHT, "```\na\n```\nEnd"),
    ("The <think> tag begins it.", "", "The <think> tag begins it."),
    ("a < b <thin> </p> 1<2", "", "a < b <thin> </p> 1<2"),
    ("ends with <thin", "", "ends with <thin"),
    ("`` a ` <think> `` b", "", "`` a ` <think> `` b"),
    ("<think>a <think>b</think> c [2]</think>B [1].", "a <think>bc [2]", "B [1]."),
    ("<think>The <think> tag.</think>B [1].", "The <think> tag.", "B [1]."),
    ("It's 5` long.\n\n<think>I could cite [2].</think>B", THOUGHT, "It's 5` long.\n\nB"),
]


def split(pieces: list[str]) -> tuple[str, str]:
    """Return the thinking and the answer."""
    splitter = Splitter()
    thinking = answer = ""
    for segment in [*(s for piece in pieces for s in splitter.feed(piece)), *splitter.finish()]:
        if segment.kind == "thinking":
            thinking += segment.text
        elif segment.kind == "answer":
            answer += segment.text
        else:
            thinking, answer = thinking + answer, ""
    return thinking, answer


@pytest.mark.parametrize(("text", "thinking", "answer"), TEXTS)
def test_thinking_is_no_part_of_the_answer(text: str, thinking: str, answer: str) -> None:
    assert split([text]) == (thinking, answer)
    assert split(list(text)) == (thinking, answer)
    for at in range(1, len(text)):
        assert split([text[:at], text[at:]]) == (thinking, answer)


WORDS = [
    "<think>",
    "</think>",
    "<thought>",
    "`",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "a ",
    "b",
    "<",
    "</th",
]


@given(st.lists(st.sampled_from(WORDS)), st.data())
def test_the_cuts_change_nothing(words: list[str], data: st.DataObject) -> None:
    text = "".join(words)
    ends = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    assert split(pieces) == split([text])


def test_an_answer_flows_while_it_arrives() -> None:
    splitter = Splitter()
    assert [s.text for s in splitter.feed("Tea < coffee, a")] == ["Tea < coffee, a"]
    assert splitter.feed("</thin") == []
