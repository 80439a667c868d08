"""Whatever a model writes, or is made to write: nothing of it acts on the page."""

from __future__ import annotations

import inspect
import json
import logging
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.citations.sources import converted, link, numbered
from tests.page.hostile import VECTORS, faults, nodes

from citeseek.citations import CitationRegistry, linked_numbers
from citeseek.surfaces.page.live_markdown import LiveMarkdown
from citeseek.surfaces.page.markdown import blocks_of, render
from citeseek.surfaces.page.markdown.allowed import sanitize

SOURCES = tuple(numbered(3))
AROUND = ("{}", "- {}", "> {}", "# {}", "**{}**", "[{}](https://a.example)", "| {} |\n|-|", "a\n{}")


def places(vector: str) -> list[str]:
    """Return ``vector`` in running text, and in what may stand around it."""
    return [around.format(vector) for around in AROUND]


def test_no_vector_gets_through(
    caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for vector in VECTORS:
        with subtests.test(vector):
            for answer in places(vector):
                assert faults(render(answer, SOURCES)) == []
                text, spans = converted(answer, CitationRegistry.of(SOURCES))
                assert faults(render(text, SOURCES, spans)) == []
            assert not caplog.records


def test_the_second_wall_alone_holds(subtests: pytest.Subtests) -> None:
    for vector in VECTORS:
        with subtests.test(vector):
            assert faults(sanitize(vector)) == []
            assert faults(sanitize(f"<p>{vector}</p><math><mi>{vector}</mi></math>")) == []


def test_reading_the_page_again_changes_nothing(subtests: pytest.Subtests) -> None:
    """A browser that copies an answer parses it once more."""
    for vector in VECTORS:
        with subtests.test(vector):
            for html in (render(vector, SOURCES), sanitize(vector)):
                once = LexborHTMLParser(f"<body>{html}").body
                assert once
                again = "".join(child.html or "" for child in once.iter(include_text=True))
                assert faults(again) == []
                assert [node.tag for node in nodes(again)] == [node.tag for node in nodes(html)]


@pytest.mark.release
def test_no_cut_lets_a_vector_through(subtests: pytest.Subtests) -> None:
    for vector in VECTORS:
        with subtests.test(vector):
            live = LiveMarkdown()
            for sign in vector:
                live.feed(sign)
                assert faults("".join(live.blocks(SOURCES))) == []
            live.close()
            assert live.blocks(SOURCES) == blocks_of(vector, SOURCES)


def test_the_corpus_is_large_and_has_no_vector_twice() -> None:
    assert len(set(VECTORS)) == len(VECTORS) >= 100


@pytest.mark.parametrize(
    "written",
    ["<b>x</b>", "<script>alert(1)</script>", "<!-- x -->", "<a href='https://a.example'>x</a>"],
)
def test_html_is_shown_as_it_was_written(written: str) -> None:
    body = LexborHTMLParser(render(written, ())).body
    assert body
    assert body.text().strip() == written


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("a\u202eb\u2066c\u2069d", "abcd"),
        ("a&#x202E;b&#8294;c", "abc"),
        ("[a\u202eb](https://c.example/\u202e)", "ab (c.example)"),
        ("`a\u202eb`", "ab"),
        ("$\\text{a\u202eb}$", "ab"),
        ("a\0b&#0;c", "a\ufffdb\ufffdc"),
        ("a\ud800b\udfffc", "abc"),
        ("a&#xD800;b", "a\ufffdb"),
        ("a\ud83d\ude00b", "a\U0001f600b"),
        ("a&#x110000;b&nosuch;c&amp", "a\ufffdb&nosuch;c&amp"),
    ],
)
def test_signs_that_turn_break_or_end_text(written: str, left: str) -> None:
    body = LexborHTMLParser(render(written, ())).body
    assert body
    assert body.text().strip() == left


@given(st.text(st.characters(codec=None) | st.sampled_from("[]()<>*_`$|\\#-&!\n"), max_size=80))
@example("[" * 50)
@example("\ud800")
def test_any_text_becomes_harmless_html(text: str) -> None:
    answer, spans = converted(text, CitationRegistry.of(SOURCES))
    html = render(answer, SOURCES, spans)
    html.encode()
    assert faults(html) == []


DEEP = [
    "[",
    "![",
    "[[1](",
    ">",
    "> ",
    "- ",
    "1. ",
    "*",
    "**a ",
    "_a",
    "~~a ",
    "`",
    "$",
    "\\(",
    "\\[",
]
DEEP += ["<", "&", "&#", "|", "\\", "(", "[a](", "[a][", "$x=", "#", "$$\n", "[a\n", "[a]: b\n"]


@pytest.mark.sample(4)
@pytest.mark.parametrize("pattern", DEEP)
def test_deep_nesting_ends(pattern: str, caplog: pytest.LogCaptureFixture) -> None:
    html = render(pattern * 10_000, ())
    assert faults(html) == []
    assert len(html) < 15 * 10_000 * len(pattern)
    assert not caplog.records


@pytest.mark.release
@pytest.mark.parametrize("pattern", ["word ", "字", "[[1]](https://s1.example/p) ", "a|", "$x$ "])
def test_very_long_lines_are_shown(pattern: str) -> None:
    answer = pattern * (200_000 // len(pattern))
    body = LexborHTMLParser(render(answer, SOURCES, linked_numbers(answer))).body
    assert body
    assert len(body.text()) > 10_000
    assert faults(body.html or "") == []


def calls(function: Callable[[], object]) -> int:
    """Return how many functions ``function`` calls, directly or not."""
    count = 0

    def see(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


GROWING = [*DEEP, "[]", "- a\n", "- a\n  - b\n", "> a\n", "a\n\n", "a|b\n-|-\n", "```\n", "# a\n"]
GROWING += ["[[1]](https://s1.example/p) ", "$x^2$ ", "$5 ", "![a](https://b.example) ", "&amp;"]
GROWING += [
    "[a]: b\n\nx [a]\n\n",
    "`a``b```c",
    "|" + "a|" * 64 + "\n|" + "-|" * 64 + "\n" + "a\n" * 99,
]


@pytest.mark.sample(4)
@pytest.mark.parametrize("pattern", GROWING)
def test_work_grows_as_the_text_does(pattern: str) -> None:
    times = 1_200 // len(pattern) + 1

    def read(factor: int) -> int:
        return calls(lambda: render(pattern * times * factor, SOURCES))

    read(1)  # whatever is loaded only once
    assert read(4) < 5 * read(1) + 2_000


@pytest.mark.parametrize(("columns", "rows"), [(256, 260), (32, 3_000), (2, 3_000)])
def test_a_table_is_not_far_longer_than_its_text(columns: int, rows: int) -> None:
    head = "|" + "a|" * columns + "\n|" + "-|" * columns + "\n"
    text = head + "a\n" * rows
    assert render(text, ()).count("<t") < len(text)


def live(answer: str) -> str:
    """Return what ends as the whole, and is looked at before."""
    growing = LiveMarkdown()
    growing.feed(f"{answer}\n\n")
    growing.blocks(())
    growing.close()
    (block,) = growing.blocks(())
    return block.removeprefix('<div class="block">').removesuffix("</div>")


@pytest.mark.parametrize("shown", [lambda answer: render(answer, ()), live])
def test_a_full_stack_costs_the_layout_and_not_the_answer(
    shown: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    answer = "> " * 20 + "<b>deep"
    shown(answer)

    def at(depth: int) -> str:
        return at(depth - 1) if depth else shown(answer)

    room = sys.getrecursionlimit() - len(inspect.stack(0))
    with caplog.at_level(logging.CRITICAL):  # writing the log needs room as well
        html = at(room - 40)
    assert html.replace("\n", "") == f'<p dir="auto">{"&gt; " * 20}&lt;b&gt;deep</p>'


def test_several_threads_read_at_once() -> None:
    answers = [f"{vector}\n\n{link(1)} $x^{number}$" for number, vector in enumerate(VECTORS)]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda answer: render(answer, SOURCES), answers))
    assert together == [render(answer, SOURCES) for answer in answers]


def test_the_corpus_can_be_embedded() -> None:
    assert json.loads(json.dumps(blocks_of("\n\n".join(VECTORS), SOURCES)))
