"""The messages of a request as turns and a question."""

from __future__ import annotations

import time

import pytest

from citeseek.errors import InvalidInput
from citeseek.surfaces.completions.history import history_of
from citeseek.surfaces.completions.openai_shapes import ChatMessage, MessagePart

SENT = (
    "> ⚠️ The search failed.\n> Look at your SearXNG.\n\n"
    "Tea [[1]](https://a.example/x_%28y%29) is [[12]](https://b.example/a&amp;b) green.\n\n"
    "> A quote of the model.\n\n---\n\n## 参考文献\n\n1. [T](https://a.example) - a.example\n"
    "\n\n> ⚠️ The limit was reached."
)


def said(*pairs: tuple[str, str]) -> list[ChatMessage]:
    return [ChatMessage(role=role, content=text) for role, text in pairs]  # type: ignore[arg-type]


def test_an_answer_comes_back_as_the_model_wrote_it() -> None:
    history = history_of(said(("user", "tea"), ("assistant", SENT), ("user", "more")))
    (turn,) = history.turns
    assert turn.answer == turn.written == "Tea  is  green.\n\n> A quote of the model."
    assert (turn.message, history.question) == ("tea", "more")


def test_messages_of_one_side_are_one_and_a_greeting_is_left_out() -> None:
    history = history_of(
        said(
            ("assistant", "Hello."),
            ("user", "a"),
            ("system", "s"),
            ("user", "b"),
            ("assistant", "c"),
            ("assistant", "d"),
            ("developer", "t"),
            ("user", "e"),
        )
    )
    assert [(turn.message, turn.answer) for turn in history.turns] == [("a\n\nb", "c\n\nd")]
    assert (history.question, history.instructions) == ("e", "s\n\nt")


def test_parts_are_joined_and_what_is_no_text_is_refused() -> None:
    parts = [MessagePart(type="text", text="a"), MessagePart(type="text", text="b")]
    assert history_of([ChatMessage(role="user", content=parts)]).question == "ab"
    with pytest.raises(InvalidInput, match="only text"):
        history_of([ChatMessage(role="user", content=[*parts, MessagePart(type="input_audio")])])
    with pytest.raises(InvalidInput, match="system messages"):
        history_of(said(("system", "x" * 32_001), ("user", "a")))


@pytest.mark.parametrize("hostile", ["\n", "[[1]](", "> ⚠️ \n", "[[1]](<", "\n---\n"])
def test_no_history_takes_long_to_read(hostile: str) -> None:
    long = hostile * (250_000 // len(hostile))
    began = time.process_time()
    history_of(said(("user", "a"), ("assistant", long), ("user", "b")))
    assert time.process_time() - began < 2
