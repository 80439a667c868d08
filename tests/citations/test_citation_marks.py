"""What counts as a mark, and what it becomes."""

from __future__ import annotations

import logging
from time import perf_counter

import pytest
from tests.citations.sources import fragments, link, numbered, single, source, streamed

from citeseek.citations import CitationRegistry, CitationStream, cited_numbers, convert

REGISTRY = numbered(12)
ONE, TWO, THREE = link(1), link(2), link(3)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("a [1] b", f"a {ONE} b"),
        ("[12]", link(12)),
        ("a[1][2]", f"a{ONE}{TWO}"),
        ("[1]0", f"{ONE}0"),
        ("**[1]**", f"**{ONE}**"),
        ("(see [1])", f"(see {ONE})"),
        ("[[1]]", f"[{ONE}]"),
        ("# 标题 [1]", f"# 标题 {ONE}"),
        ("> - 1. [1]", f"> - 1. {ONE}"),
        ("a [cite: 1] b", f"a {ONE} b"),
        ("a [Document 1] b", f"a {ONE} b"),
        ("a [Result 1] b", f"a {ONE} b"),
        ("甲[引用1]乙", f"甲{ONE}乙"),
        ("甲[参考：1]乙", f"甲{ONE}乙"),
        ("a [Source 1] [Sources: 1, 2] b", f"a {ONE} {ONE}{TWO} b"),
        ("a 【1†source】【2†L5-L9】 b", f"a {ONE}{TWO} b"),
        ("a [来源1] [1; 2] [1；2] b", f"a {ONE} {ONE}{TWO} {ONE}{TWO} b"),
    ],
)
@pytest.mark.requirement("S1-121", "S1-122", "S1-123", "S1-140")
def test_a_mark_becomes_a_link(answer: str, expected: str) -> None:
    assert convert(answer, REGISTRY) == expected


@pytest.mark.parametrize(
    "answer",
    ["[" + "9" * 5_000 + "]", *fragments("[0] [99] [007] [99999999999] ［99］ 【0】 [99,␣0]")],
)
@pytest.mark.requirement("S1-124", "S1-125", "S1-133", "S1-144")
def test_invalid_marks_keep_their_form(answer: str) -> None:
    assert convert(f"a {answer} b", REGISTRY) == f"a {answer} b"


@pytest.mark.parametrize(
    "answer",
    fragments(
        """
        [abc] [1a] [１a] [␣] [] [x](u) [-1] [+1] [1.0] [^1] [ref:1] [1␣2] 【重要】
        [0,␣1] [1,000] [1,200] [1,] [citation:] 【1 [1 1]
        """
    ),
)
@pytest.mark.requirement("S1-142")
def test_other_brackets_are_ignored(answer: str) -> None:
    assert convert(f"a {answer} b", REGISTRY) == f"a {answer} b"


@pytest.mark.requirement("S1-134", "S1-135")
def test_an_unknown_number_is_logged_and_the_others_link(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert convert("[1] [99] [2] [99]", REGISTRY) == f"{ONE} [99] {TWO} [99]"
    warning = [record for record in caplog.records if record.name == "citeseek.citations"]
    assert [record.levelno for record in warning] == [logging.WARNING]
    assert "99" in warning[0].getMessage()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[1, 2]", ONE + TWO),
        ("[1,2,3]", ONE + TWO + THREE),
        ("[1，3]", ONE + THREE),
        ("[1、3]", ONE + THREE),
        ("[1-3]", ONE + TWO + THREE),
        ("[2–3]", TWO + THREE),
        ("[2~3]", TWO + THREE),
        ("[1, 2-3]", ONE + TWO + THREE),
        ("[2, 99]", f"{TWO}[99]"),
        ("[2, 50-60]", f"{TWO}[50-60]"),
        ("[citation:2]", TWO),
        ("[Citation: 1, 2]", ONE + TWO),
        ("【1】【3】", ONE + THREE),
        ("［１］", ONE),
        ("[２]", TWO),
        ("【1，2】", ONE + TWO),
    ],
)
@pytest.mark.requirement("P21")
def test_groups_ranges_and_other_brackets_name_their_sources(answer: str, expected: str) -> None:
    assert convert(f"见{answer}。", REGISTRY) == f"见{expected}。"


@pytest.mark.parametrize("answer", ["[3-1]", "[2-99]", "[1-1000000000]", "[2020-2024]", "[0-2]"])
@pytest.mark.requirement("P21")
def test_a_range_past_the_sources_stays(answer: str) -> None:
    assert convert(answer, REGISTRY) == answer


def placed(number: int, place: str) -> str:
    return f"[[{number}, {place}]](https://s{number}.example/p)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[1, p. 2]", placed(1, "p. 2")),
        ("[1, p.2]", placed(1, "p.2")),
        ("[1 p. 2]", placed(1, "p. 2")),
        ("[1, P. 2; 3]", placed(1, "P. 2") + THREE),
        ("[1, pp. 2–4]", placed(1, "pp. 2–4")),
        ("[1, pp. 2-4, 7]", placed(1, "pp. 2-4, 7")),
        ("[1, p. 2, 3]", placed(1, "p. 2") + THREE),
        ("[1, p. 2, p. 5]", placed(1, "p. 2, p. 5")),
        ("[1, page 12; 2, p. 4]", placed(1, "page 12") + placed(2, "p. 4")),
        ("[1, 第 2 页]", placed(1, "第 2 页")),
        ("[1，第2页]", placed(1, "第2页")),
        ("【1，第 2-3 页】", placed(1, "第 2-3 页")),
        ("［1、第 2 頁］", placed(1, "第 2 頁")),
        ("[1, 2 ページ]", placed(1, "2 ページ")),
        ("[来源1，第 2 页]", placed(1, "第 2 页")),
        ("[1, slide 3]", placed(1, "slide 3")),
        ("[1, 第 3 张幻灯片]", placed(1, "第 3 张幻灯片")),
        ("[1, ch. 4]", placed(1, "ch. 4")),
        ("[1, ch. The harbour]", placed(1, "ch. The harbour")),
        ("[1, sheet Rates 2024]", placed(1, "sheet Rates 2024")),
        ("[1, 工作表 汇率]", placed(1, "工作表 汇率")),
        ("[1, at 1:02:03]", placed(1, "at 1:02:03")),
        ("[1, 2:05 处]", placed(1, "2:05 处")),
        ("[01]", ONE),
        ("[01, 02]", ONE + TWO),
        ("[99, p. 2]", "[99, p. 2]"),
        ("[2, 99, p. 4]", f"{TWO}[99, p. 4]"),
        ("![1, p. 2]", f"\\!{placed(1, 'p. 2')}"),
    ],
)
def test_a_place_in_a_document_stays_with_its_number(answer: str, expected: str) -> None:
    whole = f"见{answer}。"
    assert convert(whole, REGISTRY) == f"见{expected}。"
    for cut in range(len(whole)):
        assert streamed([whole[:cut], whole[cut:]], REGISTRY) == f"见{expected}。"
    assert streamed(whole, REGISTRY) == f"见{expected}。"


@pytest.mark.parametrize(
    "answer",
    [
        "[1, please]",
        "[1, see p. 2 of it]",
        "[1, 2 people]",
        "[1, p.]",
        "[1, 第 页]",
        "[1, at noon]",
        "[1, sheet `x` ]",
        "[00]",
        "[001]",
        "[01-05]",
    ],
)
def test_other_words_behind_a_number_are_no_place(answer: str) -> None:
    assert convert(f"a {answer} b", REGISTRY) == f"a {answer} b"


def test_the_marks_of_footnotes_stay_and_are_told() -> None:
    stream = CitationStream(REGISTRY, warn=False)
    text = stream.feed("a[^1] b[^2] [1].\n\n[^2]: A note.") + stream.finish()
    assert text == f"a[^1] b[^2] {ONE}.\n\n[^2]: A note."
    assert (stream.cited, stream.missing) == ((1,), ("^1", "^2"))


def test_pages_are_read_in_linear_time() -> None:
    for piece in ("[1, p. 2, ", "[1, pp. 1, 2, ", "[1, 第 1、2 ", "[1, ch. a ", "[1, 1:1:"):
        begun = perf_counter()
        convert(piece * 4_000, REGISTRY)
        assert perf_counter() - begun < 5


@pytest.mark.requirement("P21")
def test_a_range_is_short() -> None:
    many = numbered(60)
    assert convert("[1-20]", many) == "".join(map(link, range(1, 21)))
    assert convert("[1-21]", many) == "[1-21]"


@pytest.mark.requirement("P21")
def test_an_exclamation_mark_does_not_make_an_image() -> None:
    assert convert("Great![1] 好！[2] !【3】", REGISTRY) == f"Great\\!{ONE} 好！{TWO} \\!{THREE}"


@pytest.mark.requirement("P20")
def test_converting_again_changes_nothing() -> None:
    answer = convert("a [1][2], b![3] 【2】 [99] [docs][3] `[1]`", REGISTRY)
    assert convert(answer, REGISTRY) == answer


@pytest.mark.requirement("S1-141")
def test_the_numbers_cited_are_known() -> None:
    answer = "b [2] a [1, 3] `[4]` [99] [2]"
    assert cited_numbers(answer, REGISTRY) == (1, 2, 3)
    assert cited_numbers(convert(answer, REGISTRY), REGISTRY) == (1, 2, 3)
    assert cited_numbers("[[1]](https://elsewhere.example/) [[99]](u)", REGISTRY) == ()


@pytest.mark.parametrize(
    "url",
    [
        *("javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:x", "data:text/html,x"),
        *("vbscript:x", "file:///etc/passwd", "ftp://a.example/", "//a.example/", "a.example", ""),
        *("http://", "https:///x", "http://[::1", "https://good.example\\@evil.example/"),
        *(" javascript:alert(1)", "https://a.example/\ud800", "ht\ntps://a.example/"),
    ],
)
@pytest.mark.requirement("S1-145")
def test_a_hostile_address_leaves_the_text(url: str) -> None:
    registry = CitationRegistry.of([source(1, url=url), source(2)])
    assert convert("x [1] y [2]", registry) == f"x [1] y {TWO}"
    assert cited_numbers("x [1] y [2]", registry) == (2,)


@pytest.mark.requirement("S1-145")
def test_an_injected_failure_leaves_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = numbered(2)

    def fail(_: int) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(registry, "get", fail)
    assert convert("x [1] y", registry) == "x [1] y"


@pytest.mark.requirement("S1-136")
def test_the_processor_needs_no_surface() -> None:
    stream = CitationStream(single())
    assert stream.feed("a [1] ") + stream.finish() == f"a {ONE} "
    assert stream.cited == (1,)


@pytest.mark.requirement("S0-49", "S0-50", "S1-131")
def test_an_answer_without_marks_stays() -> None:
    answer = "From *memory*:\n\n1. one\n2. two\n"
    assert convert(answer, REGISTRY) == answer
    assert cited_numbers(answer, REGISTRY) == ()
