"""The section 参考文献: who is listed, in which order, and that titles stay titles."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.citations.sources import empty, items, numbered, single, source

from citeseek.citations import CitationRegistry, CitationStream, Round, references

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
ROW = re.compile(r"(\d+)\. \[(.+)\]\((\S+)\) - (\S+?)(（未引用）)?")


def rows(section: str) -> list[str]:
    return [line for line in section.splitlines() if ROW.fullmatch(line)]


def shown_numbers(section: str) -> list[int]:
    """Return the numbers that a Markdown reader puts before the rows."""
    numbers: list[int] = []
    following = 1
    for token in MARKDOWN.parse(section):
        if token.type == "ordered_list_open":
            following = int(token.attrs.get("start", 1))
        elif token.type == "list_item_open":
            numbers.append(following)
            following += 1
    return numbers


@pytest.mark.requirement("S0-46", "S1-128", "S1-129")
def test_the_cited_sources_once_by_number() -> None:
    section = references("b [3] a [1] c [3][1] [99]", numbered(5))
    assert section == (
        "\n\n---\n\n## 参考文献\n\n"
        "1. [Title 1](https://s1.example/p) - s1.example\n"
        "\n[//]: #\n\n"
        "3. [Title 3](https://s3.example/p) - s3.example\n"
    )


@pytest.mark.requirement("S0-47", "S1-130")
def test_every_row_shows_its_own_number() -> None:
    cited = (2, 3, 7, 9, 10)
    section = references(cited, numbered(12))
    assert shown_numbers(section) == list(cited)
    parsed = [found.groups() for row in rows(section) if (found := ROW.fullmatch(row))]
    assert parsed[2] == ("7", "Title 7", "https://s7.example/p", "s7.example", None)
    assert len(parsed) == 5


@pytest.mark.parametrize("answer", ["no marks", "[99] [0]", "`[1]`", ""])
@pytest.mark.parametrize("rounds", [None, [Round("q", (1, 2))]])
@pytest.mark.requirement("S0-49", "S1-131", "P18")
def test_no_citation_no_section(answer: str, rounds: list[Round] | None) -> None:
    assert references(answer, numbered(3), rounds) == ""


@pytest.mark.requirement("S1-172", "S1-181", "P18")
def test_an_agent_lists_every_source_by_round() -> None:
    registry = empty()
    registry.add_round("earlier turn", items("https://old.example/"))
    first = registry.add_round("河流 *长度*", items("https://a.example/", "https://b.example/"))
    second = registry.add_round("source", items("https://c.example/", "https://b.example/"))
    section = references("x [4] y [2]", registry, [first, second])
    assert section == (
        "\n\n---\n\n## 参考文献\n\n"
        "### 第 1 轮搜索：河流 \\*长度\\*\n\n"
        "2. [About https://a.example/](https://a.example/) - a.example\n"
        "3. [About https://b.example/](https://b.example/) - b.example（未引用）\n\n"
        "### 第 2 轮搜索：source\n\n"
        "4. [About https://c.example/](https://c.example/) - c.example\n"
    )


@pytest.mark.requirement("P18")
def test_a_cited_source_of_an_earlier_turn_has_its_own_group() -> None:
    section = references("x [1] y [3]", numbered(3), [Round("now", (3,))])
    assert section.index("### 第 1 轮搜索：now") < section.index("### 此前的搜索")
    assert [row[0] for row in rows(section)] == ["3", "1"]
    assert "未引用" not in section


@pytest.mark.parametrize(
    ("round_", "note"),
    [(Round("again", (1,)), "（来源已列在前面）"), (Round("nothing", ()), "（没有结果）")],
)
@pytest.mark.requirement("P18")
def test_a_round_without_a_new_source_is_named(round_: Round, note: str) -> None:
    section = references([1], numbered(1), [Round("first", (1,)), round_])
    assert f"### 第 2 轮搜索：{round_.query}\n\n{note}\n" in section
    assert len(rows(section)) == 1


@pytest.mark.requirement("S0-48", "S1-183")
def test_a_row_is_the_same_in_chat_and_agent() -> None:
    registry = numbered(2)
    chat, agent = references([2], registry), references([2], registry, [Round("q", (1, 2))])
    assert rows(chat)[0] == rows(agent)[1]


@pytest.mark.requirement("S1-179", "S1-182")
def test_there_is_one_section_and_nothing_after_it() -> None:
    section = references([1, 2], numbered(2), [Round("a", (1,)), Round("b", (2,))])
    assert section.count("参考文献") == 1
    assert rows(section)[-1] == section.splitlines()[-1]


@pytest.mark.parametrize(
    "title",
    [
        "7 Tips [2023] * Guide_v1_ `code` ~~x~~ | $5$ {a} ^b^ ==c==",
        "# 1. > - + | a | b | ![x](y) <https://a.example/>",
        '<img src=x onerror=alert(1)> & <b>bold</b> &lt; &copy; "q"',
        "a](https://evil.example/) [b",
        "back\\slash\\",
        "[//]: #",
    ],
)
@pytest.mark.requirement("S1-130")
def test_a_title_shows_as_it_is(title: str) -> None:
    tokens = MARKDOWN.parse(references([1], single(title=title)))
    row = next(token for token in tokens if token.type == "inline" and "- s1" in token.content)
    assert row.children is not None
    assert [child.type for child in row.children if "text" not in child.type] == [
        "link_open",
        "link_close",
    ]
    assert "".join(child.content for child in row.children) == f"{title} - s1.example"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Line one\r\nLine two\u2028three\t four", "Line one Line two three four"),
        ("a\u202eb\u2066c\x00d\ud800e\x85f", "abcde f"),
        ("   ", "s1.example"),
        ("\u200f\x07", "s1.example"),
    ],
)
@pytest.mark.requirement("S1-130")
def test_a_title_is_one_line_and_never_empty(title: str, shown: str) -> None:
    assert f"1. [{shown}](https://s1.example/p) - s1.example\n" in references(
        [1], single(title=title)
    )


@given(st.text(max_size=60))
@pytest.mark.requirement("S1-130")
def test_no_title_changes_the_list(title: str) -> None:
    section = references([1, 2], CitationRegistry.of([source(1, title=title), source(2)]))
    tokens = MARKDOWN.parse(section)
    assert shown_numbers(section) == [1, 2]
    assert {token.type for token in tokens if token.block and token.nesting == 0} <= {
        "hr",
        "inline",
    }
    section.encode()


def test_an_address_that_must_not_be_linked_is_listed_without_link() -> None:
    registry = CitationRegistry.of([source(1), source(2, url="javascript:alert(1)")])
    section = references("[1] [2]", registry, [Round("q", (1, 2))])
    assert "2. Title 2 - s2.example（未引用）" in section
    assert "javascript" not in section


@pytest.mark.parametrize("answer", ["[1]\n\n```\nx", "[1]\n\n```\nx\n"])
@pytest.mark.requirement("S0-46")
def test_an_open_code_block_does_not_swallow_the_section(answer: str) -> None:
    registry = numbered(1)
    stream = CitationStream(registry)
    text = stream.feed(answer) + stream.finish()
    section = references(stream.cited, registry, open_fence=stream.open_fence)
    assert section == references(answer, registry)
    assert shown_numbers(text + section) == [1]
    code = [token.content for token in MARKDOWN.parse(text + section) if token.type == "fence"]
    assert [content.strip() for content in code] == ["x"]
