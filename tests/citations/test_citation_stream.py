"""A streamed answer is the whole answer, early and in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.citations.sources import fragments, link, numbered, pieces, streamed

from citeseek.citations import CitationStream, cited_numbers, convert
from citeseek.citations.scanner import Scan, Scanner

REGISTRY = numbered(3)

ANSWER = (
    "# 河流 [1]\n\nIt costs $5 million [1], not $x[2]$ — see `a[1]` or ``b`[2]``.\n"
    "Addresses: https://a.example/?q[1]=2 and <https://a.example/[2]> [3]!\n\n"
    "- one【1】, [2, 9]\n\n      code[1]\n\n- two [docs][2] and [a [1] b](u 't')\n\n"
    "```py\nx[1]\n```\n\n| a | b [1] |\n|---|---|\n| `x | y [2] |\n\n"
    "> quoted [1-3]\n> <div>[1]</div>\n\n\\[\n+ m[1]\n\\]\n\nWow![3]\n\n"
    "[2]: https://b.example/\n[1]: https://a.example/\n"
)
FRAGMENTS = fragments(
    """
    [1] [2] [9] [ ] ![ ! ( ) ` `` ``` ~~~ ␤ ␤␤ ␍ ␍␤ ␉ ␣ ␣␣␣␣ -␣ *␣ 1.␣ 2)␣ >␣ # #␣ --- === ***
    \\ $ $$ ␤$$␤ \\( \\) \\[ \\] $5 < <a> <a␣href=" " ' <div> </div> <!-- --> <pre> </pre> <? ?>
    <![CDATA[ ]]> <u> | ␤|-|-|␤ a 中文 https://x.y/z http :// www. (/u) (u␣"t")
    [d] [d]:␣/u [2]:␣https://o.x/ [1]:␣ 【1】 【2 】 ［１］ [1,2] [1-3]
    [1,␣p.␣2] [1,␣pp. 2 –4 ,␣ 页 [2，第␣ [01] [^1] [^2]:␣ [^ p.␣ :
    """
)
answers = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join)


@pytest.mark.parametrize(
    ("answer", "missing"), [("Steamed [0].", ("0",)), ("It is array[0].", ()), ("[0]", ("0",))]
)
def test_the_first_of_an_array_cites_nothing_however_it_is_cut(
    answer: str, missing: tuple[str, ...]
) -> None:
    for size in range(1, len(answer) + 1):
        stream = CitationStream(REGISTRY)
        chunks = [answer[at : at + size] for at in range(0, len(answer), size)]
        assert "".join(map(stream.feed, chunks)) + stream.finish() == answer
        assert stream.missing == missing


@given(answers, st.data())
@pytest.mark.requirement("P21")
def test_any_cuts_give_the_whole(answer: str, data: st.DataObject) -> None:
    places = st.integers(min_value=0, max_value=len(answer))
    cuts = sorted(data.draw(st.lists(places, max_size=6)))
    chunks = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    assert streamed(chunks, REGISTRY) == convert(answer, REGISTRY)


@given(answers)
@pytest.mark.requirement("P21")
def test_single_characters_give_the_whole(answer: str) -> None:
    assert streamed(answer, REGISTRY) == convert(answer, REGISTRY)


@pytest.mark.requirement("P21")
def test_every_cut_of_an_answer_gives_the_whole() -> None:
    whole = convert(ANSWER, REGISTRY)
    assert whole != ANSWER
    for cut in range(len(ANSWER)):
        assert streamed([ANSWER[:cut], ANSWER[cut:]], REGISTRY) == whole
    for size in range(1, 40):
        assert streamed(pieces(ANSWER, size), REGISTRY) == whole


@given(answers)
@pytest.mark.requirement("P20")
def test_what_is_given_out_only_adds_links(answer: str) -> None:
    """Without marks that have a source, an answer passes byte for byte."""
    assert convert(answer, numbered(0)) == answer


@pytest.mark.parametrize(
    ("chunks", "given_out"),
    [
        (["plain tex"], "plain tex"),
        (["# Head"], "# Head"),
        (["1 < 2 [1] and ["], f"1 < 2 {link(1)} and "),
        (["a [1"], "a "),
        (["a [1]"], "a "),
        (["a [1] "], f"a {link(1)} "),
        (["a [1](see "], "a "),
        (["a [1](see there"], f"a {link(1)}(see there"),
        (["It cost $5 million, and many", " more"], "It cost $5 million, and many more"),
        (["`code[1]"], "`code"),
        (["`code[1]` [2] "], f"`code[1]` {link(2)} "),
        (["```\nx[1] = "], "```\nx[1] = "),
        (["- a [1]\n"], f"- a {link(1)}\n"),
        (["- a [1]\n- b [2]."], f"- a {link(1)}\n- b {link(2)}."),
        (["<div>[1] "], "<div>"),
        (["<div>[1]\n"], "<div>[1]\n"),
        (["https://a.example/[1"], "https://a.example/"),
        (["Wow!"], "Wow"),
        (["Wow!", " x"], "Wow! x"),
        (["a $5 [1] b\n\n"], f"a $5 {link(1)} b\n\n"),
        (["[docs][2] and so on [1]. "], "[docs]"),
    ],
)
@pytest.mark.requirement("P21")
def test_text_is_given_out_as_soon_as_it_is_decided(chunks: list[str], given_out: str) -> None:
    stream = CitationStream(REGISTRY)
    assert "".join(map(stream.feed, chunks)) == given_out


@pytest.mark.requirement("P21")
def test_a_definition_releases_the_reference_links_that_wait_for_it() -> None:
    stream = CitationStream(REGISTRY)
    assert stream.feed("[docs][2] and [2], [1].\n\n") == "[docs]"
    assert stream.feed("[2]: https://b.example/\n\nSo") == (
        f"[2] and [2], {link(1)}.\n\n[2]: https://b.example/\n\nSo"
    )
    assert stream.finish() == ""


def test_finishing_twice_gives_nothing_more_and_ends_the_answer() -> None:
    stream = CitationStream(REGISTRY)
    stream.feed("a [1")
    assert [stream.finish(), stream.finish()] == ["[1", ""]
    with pytest.raises(ValueError, match="finished"):
        stream.feed("]")


def test_the_numbers_cited_are_known_as_they_come() -> None:
    stream = CitationStream(REGISTRY)
    stream.feed("x [2] y [9] ")
    assert stream.cited == (2,)
    stream.feed("z [1]")
    stream.finish()
    assert stream.cited == cited_numbers("x [2] y [9] z [1]", REGISTRY) == (1, 2)


@pytest.mark.parametrize(
    ("answer", "fence"),
    [
        ("```py\nx", "```"),
        ("~~~~\nx\n", "~~~~"),
        ("```\nx\n```\n", ""),
        ("- a\n  ```\n  x", ""),
        ("text", ""),
    ],
)
def test_a_fence_that_is_left_open_is_known(answer: str, fence: str) -> None:
    stream = CitationStream(REGISTRY)
    stream.feed(answer)
    stream.finish()
    assert stream.open_fence == fence


HOSTILE = fragments(
    """
    [ ] `␣``␣```␣ $5␣[1]␣ a␣[1]␣$5␣ \\( <a␣ <a␣b="<a␣b=' [1]( [1](u␣" [[1]](a␣ [a][1]␣ [[1]][a]
    http://a[b http://a( >␣ 1.␣ a␣[1␤ ␤ ```␤[1]␤ <div>[1]␤ <pre>[1]␤ a␣<!--␣[1]␣ ![ $$␤[1]␤
    [1]:␣http://a.b␤ [a]:␣/u␤"[1]␣ 【1 [1 |a|b␣[1]|␤|-|-|␤|`[1]`| ((((( plain␣words␣only␣
    """
)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Return a function that counts the characters looked at while an answer streams."""
    looked_at = 0
    scan = Scanner.scan

    def counted(self: Scanner, text: str, *, final: bool) -> Scan:
        nonlocal looked_at
        looked_at += len(text)
        return scan(self, text, final=final)

    def work_for(answer: str) -> int:
        nonlocal looked_at
        looked_at = 0
        streamed(pieces(answer, 4), REGISTRY)
        return looked_at

    monkeypatch.setattr(Scanner, "scan", counted)
    return work_for


@pytest.mark.sample(11)
@pytest.mark.parametrize("unit", HOSTILE)
def test_streaming_work_is_linear(work: Callable[[str], int], unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (2_000, 8_000))
    assert work(long) <= 4.5 * max(work(short), len(short))
    assert work(long) <= 40 * len(long)


def test_streaming_work_is_linear_behind_an_open_construct(work: Callable[[str], int]) -> None:
    for opener in ("`[1]", "$[1]", "[see [1] ", "<a [1] ", "[1](<", '[x]: u "[1] '):
        short, long = (opener + "a\n" * size for size in (1_000, 4_000))
        assert work(long) <= 4.5 * max(work(short), len(short))


OPEN_BRACKETS = ["The interval [a, b) is ", "Write a[i and ", "据[新华社报道，", "[a, b) is "]


@pytest.mark.parametrize("opening", OPEN_BRACKETS)
def test_text_behind_an_open_bracket_flows(opening: str) -> None:
    stream = CitationStream(REGISTRY)
    given = "".join(map(stream.feed, f"See. {opening}"))
    for _ in range(5):
        given += "".join(map(stream.feed, "more and more of it "))
    text = f"See. {opening}" + "more and more of it " * 5
    assert len(text) - len(given) < 40


@pytest.mark.parametrize("opening", OPEN_BRACKETS)
def test_marks_behind_an_open_bracket_wait_for_a_bounded_text(opening: str) -> None:
    stream = CitationStream(REGISTRY)
    head, rest = f"See. {opening} so [1].", " and more of it" * 30
    given = "".join(map(stream.feed, head + rest))
    assert "[[1]](" in given
    assert given + stream.finish() == convert(head + rest, REGISTRY)
