"""Where a client wants an answer to end: however it comes in pieces, it ends at the same place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeseek.citations import linked_numbers
from citeseek.surfaces.completions.content import Ending

LINK = "[[1]](http://127.0.0.1:8080/bridge.html)"


def ended(pieces: list[str], *stop: str, max_tokens: int | None = None) -> tuple[str, str | None]:
    ending = Ending(stop, max_tokens)
    shown = told = ""
    for piece in pieces:
        spans = [span.move(len(told)) for span in linked_numbers(piece)]
        told += piece
        shown += ending.take(piece, spans)
        if ending.reason:
            return shown, ending.reason
    return shown + ending.rest(), ending.reason


@pytest.mark.parametrize(
    ("text", "stop", "shown"),
    [
        ("one END two", ("END",), "one "),
        ("one EN", ("END",), "one EN"),
        ("one ENEND", ("END",), "one EN"),
        ("a\n\nb", ("\n\n", "b"), "a"),
        ("abc", ("c", "bc"), "a"),
        ("绿茶。杀青", ("。",), "绿茶"),
        ("END", ("END",), ""),
        ("nothing", (), "nothing"),
    ],
)
def test_the_first_of_the_words_ends_it_and_is_not_shown(
    text: str, stop: tuple[str, ...], shown: str
) -> None:
    reason = None if shown == text else "stop"
    assert ended([text], *stop) == (shown, reason)
    assert ended(list(text), *stop) == (shown, reason)


@given(st.text("abDEN ", max_size=40), st.lists(st.integers(1, 7), min_size=1, max_size=20))
def test_pieces_change_nothing(text: str, sizes: list[int]) -> None:
    pieces, rest = [], text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    assert ended([*pieces, rest], "END", "bb") == ended([text], "END", "bb")


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("12345678", 2, "12345678"),
        ("123456789", 2, "12345678"),
        ("绿茶杀青", 3, "绿茶杀"),
        # A link is the model's [1], and is never cut in the middle.
        ("[[1]](https://example.com/a-long-address) after", 1, "[[1]](https://example.com/a-long-address)"),
        ("12345[[1]](https://example.com/)", 2, "12345"),
    ],
)  # fmt: skip
def test_so_many_tokens_and_no_more(text: str, most: int, shown: str) -> None:
    assert ended([text], max_tokens=most) == (shown, None if shown == text else "length")
    # Whatever came before it, a link is where its span says.
    assert ended(["", text], max_tokens=most) == ended([text], max_tokens=most)


@pytest.mark.parametrize(
    ("pieces", "stop", "shown"),
    [
        (["Tea ", LINK, " is green."], ("bridge", "127", "](", "html"), f"Tea {LINK} is green."),
        (["Tea ", LINK, " is green."], ("[1]",), "Tea "),
        (["Tea ", LINK, " is green."], ("[1] is",), "Tea "),
        (["Tea", f" {LINK}", " is ", "green."], ("1] is green",), "Tea "),
        (["Tea ", LINK, " is green."], ("[1] was",), f"Tea {LINK} is green."),
        (["Tea ", LINK, LINK, "."], ("[1].",), f"Tea {LINK}"),
    ],
)
def test_a_word_is_looked_for_in_what_the_model_wrote(
    pieces: list[str], stop: tuple[str, ...], shown: str
) -> None:
    reason = None if shown == "".join(pieces) else "stop"
    assert ended(pieces, *stop) == (shown, reason)
