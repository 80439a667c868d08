"""The words around what was searched for: whole words, one line, the match apart."""

from __future__ import annotations

import pytest

from citeseek.conversations.mention import Mention, find_in_markdown, find_mention, mention_of

LONG = "Oolong is neither green nor black: its leaves are bruised, and oxidise in part. " * 3
HAN = "乌龙茶既不是绿茶也不是红茶，它的叶子经过摇青，部分氧化。"


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("TEA", "What is tea?", ("What is ", "tea", "?")),
        # Neither end is within a word, and the spaces at the match stay.
        (
            "bruised",
            LONG,
            (
                "…black: its leaves are ",
                "bruised",
                ", and oxidise in part. Oolong is neither green nor black:…",
            ),
        ),
        (
            "xidis",
            LONG,
            (
                "…are bruised, and o",
                "xidis",
                "e in part. Oolong is neither green nor black: its leaves are…",
            ),
        ),
        # Of a word that goes on for longer there is a part.
        ("middle", "x" * 99 + "middle" + "y" * 99, (f"…{'x' * 24}", "middle", f"{'y' * 60}…")),
        # Chinese has no spaces, and words of other letters in it stay whole.
        (
            "摇青",
            "水" * 30 + HAN * 4,
            (f"…水水水水{HAN[:20]}", "摇青", f"，部分氧化。{HAN}{HAN[:26]}…"),
        ),
        ("氧化", "用 temperature" + "很" * 20 + "氧化", ("…" + "很" * 20, "氧化", "")),
        # A sign of several parts is one.
        ("tea", "e\u0301" * 40 + "xtea", ("…" + "e\u0301" * 12 + "x", "tea", "")),
        ("a\nb", "one\n\na\nb  two\x07\u202e", ("one ", "a b", " two")),
        ("[1].*", "Is it [1].* so?", ("Is it ", "[1].*", " so?")),
        ("milk", LONG, None),
    ],
)
def test_it_begins_and_ends_with_a_word(
    text: str, said: str, found: tuple[str, str, str] | None
) -> None:
    mention = find_mention(mention_of(text), said)
    assert (mention and (mention.before, mention.match, mention.behind)) == found


def test_of_an_answer_the_markup_is_not_shown_and_may_be_looked_for() -> None:
    said = "## Tea\n\n- The **oolong** leaf\n- `bruise(leaf)` is __init__\n> 2 * 3"
    shown = find_in_markdown(mention_of("oolong"), said)
    assert shown == Mention("Tea The ", "oolong", " leaf bruise(leaf) is __init__ 2 * 3")
    written = find_in_markdown(mention_of("**oolong"), said)
    assert written
    assert written.match == "**oolong"


def test_a_title_is_shown_whole() -> None:
    title = "Why is oolong neither green nor black, and what is bruising?"
    assert find_mention(mention_of("bruising"), title, whole=True) == Mention(
        "Why is oolong neither green nor black, and what is ", "bruising", "?"
    )
