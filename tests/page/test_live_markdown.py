"""An answer that grows ends as the whole, shows nothing half, and is read in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.citations.sources import fragments, link, linked_pieces, numbered

from citeseek.citations import Source, Span, linked_numbers
from citeseek.surfaces.page.live_markdown import LiveMarkdown
from citeseek.surfaces.page.markdown import Labels, blocks_of
from citeseek.surfaces.page.markdown.unfinished import hide_unfinished

SOURCES = tuple(numbered(3))

ANSWER = (
    "# 河流\n\nIt costs $5 million [[1]](https://s1.example/p), not $x^2$ — "
    "**bold *and* `code`**.\n"
    "- one [[2]](https://s2.example/p)\n- two [docs][d]\n\n  more\n\n1. a\n2. b\n\n"
    "| a | b |\n|---|:-:|\n| `x` | **y** [[3]](https://s3.example/p) |\n\n"
    "```py\nprint('**x**')\n| a |\n```\n\n> quoted\nlazy\n\n\\[\n+ m\n\\]\n"
    "Setext\n---\n\n    code\n\n[d]: https://d.example 'title\nin two lines'\n[e]: https://e.example\n"
    "Last [e], ![picture](https://f.example/i.png)\n"
)
FRAGMENTS = fragments(
    """
    ␤ ␤ ␤␤ ␤␤ ␍ ␍␤ ␉ ␣ ␣␣ ␣␣␣␣ -␣ *␣ +␣ 1.␣ 2)␣ 1. - = >␣ > # ##␣ --- === *** ` ``` ~~~ ** * _ ~~
    | a␣|␣b |-|-| --|-- | :-: text 中文 [x] [y][x] [x]:␣https://x.example [y]:␣<u> [x]: [ ]( ] ! \\
    't" "t' 't't" [[1]](https://s1.example/p) [[2]](https://x.example) $$ $x^2$ \\[ \\] \\(a\\) $5
    结论： 。** （注） ~~ x=1 <div> <!-- &amp; https://x.example ![i](https://i.example)
    """
)
FRAGMENTS += ["\ud83d", "\ude00", "\0", "[x]: https://a.example\n[y]: https://b.example\n"]
answers = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


def streamed(chunks: Iterable[tuple[str, list[Span]]], *, looks: bool = True) -> list[str]:
    live = LiveMarkdown()
    for chunk, spans in chunks:
        live.feed(chunk, spans)
        if looks:
            live.blocks(SOURCES)
    live.close()
    return live.blocks(SOURCES)


def whole(answer: str) -> list[str]:
    return blocks_of(answer, SOURCES, linked_numbers(answer))


def text_of(blocks: list[str]) -> str:
    body = LexborHTMLParser("".join(blocks)).body
    return body.text() if body else ""


@given(answers, st.integers(min_value=1, max_value=9))
@example(ANSWER, 1)
@example("- a\n[x]: y\n- b", 1)
@example("a\n\n[x]: https://y.example\n'title\nb'\n", 1)
@example("a | b\n--|--\nc\rd", 2)
def test_any_cuts_give_the_blocks_of_the_whole(answer: str, size: int) -> None:
    assert streamed(linked_pieces(answer, size)) == whole(answer)


@given(answers, st.data())
def test_looks_at_any_time_change_nothing(answer: str, data: st.DataObject) -> None:
    live = LiveMarkdown()
    for chunk, spans in linked_pieces(answer, 3):
        live.feed(chunk, spans)
        if data.draw(st.booleans()):
            live.blocks(data.draw(st.sampled_from([SOURCES, SOURCES[:1], ()])))
    live.close()
    assert live.blocks(SOURCES) == whole(answer)


@pytest.mark.parametrize("size", range(1, 40))
def test_an_answer_with_everything_in_it(size: int) -> None:
    assert streamed(linked_pieces(ANSWER, size)) == whole(ANSWER)


def test_nothing_is_shown_as_a_half_citation() -> None:
    answer = f"Rivers{link(1)} and **lakes {link(2)}{link(3)}**, ![x] [x](https://x.example/y).\n"
    answer += f"\n- {link(1)}\n\n| {link(2)} |\n|---|\n| {link(3)} |\n\n{link(1)}{link(2)}"
    live = LiveMarkdown()
    for sign, spans in linked_pieces(answer, 1):
        live.feed(sign, spans)
        shown = text_of(live.blocks(SOURCES))
        assert not re.search(r"\[\[|\]\]|\]\(|://|\*\*|\[\d?\Z", shown), shown


def test_what_is_no_citation_is_shown_when_that_is_clear() -> None:
    live = LiveMarkdown()
    seen = []
    for sign in "see [[1]] and [x](https://a.example)":
        live.feed(sign)
        seen.append(text_of(live.blocks(SOURCES)).strip())
    assert seen[8] == "see [[1]]"
    assert set(seen[17:-1]) == {"see [[1]] and [x]"}
    assert seen[-1] == "see [[1]] and x (a.example)"


STEPS = [
    ("Intro:\n-", ["<p>Intro:</p>"]),
    ("Intro:\n- ", ["<p>Intro:</p>"]),
    ("Intro:\n- a", ["<p>Intro:</p>", "<ul><li>a</li></ul>"]),
    ("a\n1", ["<p>a</p>"]),
    ("a\n1.", ["<p>a</p>"]),
    ("a\n#", ["<p>a</p>"]),
    ("a\n==", ["<p>a</p>"]),
    ("**bo", ["<p><strong>bo</strong></p>"]),
    ("a **", ["<p>a</p>"]),
    ("a **bold** b", ["<p>a <strong>bold</strong> b</p>"]),
    ("a *", ["<p>a</p>"]),
    ("a `co", ["<p>a <code>co</code></p>"]),
    ("a `", ["<p>a</p>"]),
    ("a `**", ["<p>a</p>"]),
    ("| a | b", []),
    ("| a | b |\n", []),
    ("| a | b |\n|--", []),
    ("x\n\n| a |\n|-|\n", ["<p>x</p>", "<table><thead><tr><th>a</th></tr></thead></table>"]),
    ("[text](https://a.exam", ["<p>[text]</p>"]),
    ("```py\nx = **1", ["<span>Python</span><code>x = **1</code>"]),
    ("a\n\n```py", ["<p>a</p>", "<span>Python</span><code></code>"]),
    ("$$\n\\frac{a", ["<p><code>$$\n\\frac{a</code></p>"]),
    ("a $5", ["<p>a $5</p>"]),
]


@pytest.mark.parametrize(("begun", "shown"), STEPS)
def test_what_is_shown_of_a_beginning(begun: str, shown: list[str]) -> None:
    live = LiveMarkdown()
    live.feed(begun)
    blocks = live.blocks(SOURCES)
    bare = [
        re.sub(r' [a-z-]+="[^"]*"|</?(?:div|pre)[^>]*>|\n(?=<)|\n\Z', "", each) for each in blocks
    ]
    assert [re.sub(r"\s+</p>", "</p>", each) for each in bare] == shown


def test_a_late_definition_reaches_earlier_blocks() -> None:
    live = LiveMarkdown()
    live.feed("see [x]\n\nand [y][x]\n\nend\n\n")
    before = live.blocks(SOURCES)
    assert "<a" not in "".join(before)
    live.feed("[x]: https://x.example\n\nmore\n\nmore\n\n")
    after = live.blocks(SOURCES)
    assert [block.count("<a") for block in after] == [1, 1, 0, 0, 0]


def test_sources_that_come_later_make_citations() -> None:
    live = LiveMarkdown()
    answer = f"a {link(1)}\n\nb {link(2)}\n\nc {link(3)}"
    live.feed(answer, linked_numbers(answer))
    assert [block.count("citation") for block in live.blocks(SOURCES[:1])] == [1, 0, 0]
    assert [block.count("citation") for block in live.blocks(SOURCES)] == [1, 1, 1]
    live.close()
    assert [block.count("citation") for block in live.blocks(SOURCES[1:])] == [0, 1, 1]


def test_reset_begins_anew() -> None:
    live = LiveMarkdown(Labels(table="表"))
    live.feed("aside\n\n[x]: https://x.example\n\nb\r")
    assert live.blocks(SOURCES)
    live.reset()
    assert live.blocks(SOURCES) == []
    live.feed("\n[x]\n\n|a|\n|-|")
    live.close()
    assert live.blocks(SOURCES) == blocks_of("[x]\n\n|a|\n|-|", SOURCES, labels=Labels(table="表"))
    live.reset()
    live.feed("again")
    live.close()
    assert live.blocks(()) == blocks_of("again", ())


def test_after_the_end_nothing_can_be_added() -> None:
    live = LiveMarkdown()
    live.feed("a")
    live.close()
    live.close()
    with pytest.raises(ValueError, match="over"):
        live.feed("b")
    assert live.blocks(()) == live.blocks(()) == blocks_of("a", ())


def read(pattern: str, chars: int, size: int) -> float:
    """Return how often each character of a long answer is read while it is streamed."""
    answer = (pattern * (chars // len(pattern) + 1))[:chars]
    live = LiveMarkdown()
    for chunk, spans in linked_pieces(answer, size):
        live.feed(chunk, spans)
        live.blocks(SOURCES)
    live.close()
    assert live.blocks(SOURCES) == whole(answer)
    return live.read_chars / chars


def test_blocks_that_are_over_are_not_read_again() -> None:
    assert read("A paragraph of some sixty characters, and one more, and one.\n\n", 6_000, 6) < 14
    assert read("word " * 12 + "\n\n" + f"- {link(1)}\n- b\n\n", 6_000, 6) < 30


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "pattern",
    [
        "word ",
        "- item\n",
        "| a | b |\n|---|---|\n| c | d |\n",
        "```\n",
        "a\n",
        "> a\n",
        "$$\n",
        "[a]: https://a.example\n",
        "[a]\n\n[a]: https://a.example\n\n",
        "[",
        "\\[\n",
        "**a ",
    ],
)
def test_streaming_takes_linear_time(pattern: str) -> None:
    assert read(pattern, 1_000, 8) < 80
    assert read(pattern, 4_000, 8) < 80


def test_definitions_one_by_one_do_not_read_everything_again_and_again() -> None:
    names = [f"name{number}" for number in range(200)]
    uses = " ".join(f"[{name}]" for name in names) + "\n\n"
    answer = uses + "".join(f"[{name}]: https://a.example\n\nx\n\n" for name in names)
    live = LiveMarkdown()
    for line in answer.splitlines(keepends=True):
        live.feed(line)
        live.blocks(SOURCES)
    live.close()
    assert live.blocks(SOURCES) == blocks_of(answer, SOURCES)
    assert live.read_chars < 30 * len(answer)


def test_sources_are_given_as_anything_iterable() -> None:
    live = LiveMarkdown()
    live.feed(link(1), linked_numbers(link(1)))
    sources: Iterable[Source] = iter(SOURCES)
    assert "citation" in "".join(live.blocks(sources))


@pytest.mark.release
@pytest.mark.parametrize("line", ["- <b>tea</b> is green\n", "| <b>tea</b> | green |\n|-|-|\n"])
def test_a_block_that_would_take_long_is_plain_until_the_answer_is_over(line: str) -> None:
    answer = line * 1_000
    live = LiveMarkdown()
    live.feed(answer)
    shown = live.blocks(SOURCES)
    assert live.read_chars < len(answer)
    assert "<b>" not in "".join(shown)
    assert text_of(shown).count("<b>tea</b>") == 1_000
    live.close()
    assert live.blocks(SOURCES) == blocks_of(answer, SOURCES)


@pytest.mark.release
@pytest.mark.parametrize(
    "pattern",
    ["A paragraph.\n\n", "- item\n", "word ", pytest.param("[a]\n\n", marks=pytest.mark.release)],
)
def test_an_answer_that_is_over_is_read_in_pieces_and_no_block_twice(pattern: str) -> None:
    answer = pattern * (30_000 // len(pattern)) + "\n\n[a]: https://a.example\n"
    live = LiveMarkdown()
    live.feed(answer)
    live.close()
    pieces_read = 1
    while live.read_on(SOURCES):
        pieces_read += 1
    assert pieces_read > 2
    # Taken apart, the last block several times while it grows, and then read.
    assert live.read_chars < 8 * len(answer)
    read_chars = live.read_chars
    assert live.blocks(SOURCES) == blocks_of(answer, SOURCES)
    assert live.read_chars == read_chars


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("H<", "H"),
        ("H<su", "H"),
        ("H<sub>2", "H"),
        ("H<sub>2</su", "H"),
        ("H<sub>2</sub>", "H<sub>2</sub>"),
        ("one<br /", "one"),
        ("one<br />", "one<br />"),
        ("1 < 2", "1 < 2"),
        ("a<b>c", "a<b>c"),
        (f"x<sup>{'n' * 50}", f"x<sup>{'n' * 50}"),
    ],
)
def test_a_tag_is_not_seen_while_it_is_written(text: str, shown: str) -> None:
    assert hide_unfinished(text) == shown
