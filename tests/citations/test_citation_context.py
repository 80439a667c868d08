"""Marks are judged by what a Markdown reader sees where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.citations.sources import fragments, link, numbered

from citeseek.citations import convert

REGISTRY = numbered(3)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")

UNTOUCHED = [
    # code
    "`[1]`",
    "``a ` [1]``",
    "`a\n[1]`",
    "```\n[1]\n```",
    "~~~\n[1]\n```\n[1]\n~~~",
    "````\n```\n[1]\n````",
    "```\n    ```\n[1]\n```",
    "```\n[1] never closed",
    "- a\n\n  ```\n  [1]\n  ```",
    "> ```\n> [1]\n> ```",
    "    [1]",
    "\t[1]",
    "a\n\n    [1]",
    "- a\n\n      [1]",
    ">     [1]",
    "1. \t    [1]",
    "-\n\n    [1]",
    # links, images, definitions
    "[1](u)",
    "![1](u)",
    '[1]( <u v> "t" )',
    "[1](u\n'two [2]\nlines')",
    "[1](a(b)c)",
    "[1](a\\)b)",
    "[1]()",
    "[1, 2](u)",
    "[a [1] b](u)",
    "![a [1] b](u)",
    "[a **[1]** `b` [2]](u)",
    "[[1]](u)",
    "[1]: https://a.example/",
    "[1]: <u>",
    "[1]:\nhttps://a.example/\n'about [2]'",
    "[x]: u '[1]'",
    "> [1]: /u",
    "[2]: https://a.example/\n\nsee [2] and [1][2]",
    "see [docs][2] and [a [1] b][2]\n\n[2]: https://a.example/",
    "[a [1] b][Some  Label]\n\n[some label]: u",
    # escapes
    "\\[1]",
    "\\[1\\]",
    "\\\\\\[1]",
    "\\【1】",
    # addresses and tags
    "<https://a.example/[1]>",
    "https://a.example/?ids[1]=2",
    "https://a.example/[1]",
    "www.a.example/(x[1])",
    "HTTP://a.example/[1]",
    '<a title="[1]">',
    "<a\nhref=[1]>",
    "a <!-- [1] --> b",
    "a <? [1] ?> b",
    "a <!X [1]> b",
    "a <![CDATA[ [1] ]]> b",
    '<a href="u">[1]</a>',
    "a <code>x[1]\n[2]</CODE >",
    "<KBD>[1]</kbd>",
    "<code>[1]</a> [2]",
    "[<code>[1]",
    # raw HTML
    "<div>\n[1]\n</div>",
    "<pre>\n[1]\n\n[1]\n</pre>",
    "<!--\n[1]\n\n[2] -->",
    "<x-y>\n[1]",
    "- <div>\n  [1]",
    "<script>[1]",
    # math
    "$x[1]+y$",
    "$$m[1]$$",
    "\\(v[1]\\)",
    "\\[v [1]\\]",
    "$$\nm[1]\n$$",
    "a\n$$\n> m[1]\n- n[2]\n$$",
    "\\[\n+ m[1]\n\\]",
]

# The marks written as § are converted, all others stay.
CONVERTED = [
    # code that is none, or over
    "` §",
    "`a §\n\nb`",
    "`` a ` § ",
    "\\`§`",
    "```\na\n```\n§",
    "~~~\na\n~~~~\n§",
    "a\n    §",
    "- a\n\n    §",
    "1. a\n\n   §",
    "> a\n    §",
    "- ```\n  [1]\n\n§",
    "> ```\n> [1]\n§",
    "-\n  §",
    "* a\n\n  > §",
    # links that are none
    "[a § b",
    "[a § b] c",
    "§(see there)",
    '§(u "t)',
    "§(u 't' x)",
    "§(a(b)",
    "§(<a b)",
    "[a § b](c d)",
    "[a [b](u) §](v)",
    "[a § b][c]",
    "[Berlin]§ is large",
    "a§[重要]",
    "§§[]",
    # definitions that are none
    "a\n§: u",
    "§: Annual report",
    "§: 报告",
    "§: https://a.example/ and more",
    "[x]:\n\n§",
    "[x]: u\n'[1'§",
    # escapes that are none
    "\\\\§",
    "a\\b§",
    # addresses and tags that end, or are none
    "(https://a.example/)§",
    "https://a.example/，见§",
    "[https://a.example/]§",
    "https://a.example/a[1 §",
    "1 < 2 §",
    "a<b § c>d",
    "<a § b>",
    "a <b x='§ c",
    "<b>§</b>",
    "<a>`</a>` [1]</a>§",
    "<code>[1]\n\n§",
    "| a |\n|---|\n| <code>[1] | § |",
    '<a href="u">[1]</a>§',
    "a <!x § b",
    "<https://a.example §",
    "</ §>",
    # HTML blocks that end
    "<div>\n[1]\n\n§",
    "<!-- [1] -->\n§",
    "a\n<x-y>\n§",
    # money, and math that does not end
    "$5 § and $6 §",
    "US$5§ HK$6",
    "$ x§$",
    "a $x§",
    "$5 `a$` §",
    "\\(a § b",
    "$$a §\n\n$$",
    # tables and other blocks
    "| a | b |\n|---|---|\n| `x | §` |",
    "| a |\n|:-:|\n| $5 | § | 6$ |\n| \\| § |",
    "a § | b\n--|--\nc | d §",
    "a §\n===\n## §",
    "---\n§\n***\n§",
    "2. §\n3) §",
    "a\n2. §",
]


@pytest.mark.parametrize("answer", UNTOUCHED)
@pytest.mark.requirement("P21")
def test_what_is_no_running_text_is_left(answer: str) -> None:
    assert convert(answer, REGISTRY) == answer


@pytest.mark.parametrize("template", CONVERTED)
@pytest.mark.requirement("P21")
def test_running_text_is_converted(template: str) -> None:
    answer = template.replace("§", "[1]")
    assert convert(answer, REGISTRY) == template.replace("§", link(1))


@pytest.mark.requirement("P21")
def test_a_definition_that_comes_too_late_is_escaped() -> None:
    answer = "See [1] and [docs][2].\n\n[1]: https://a.example/\n[2]: https://b.example/\n"
    assert convert(answer, REGISTRY) == (
        f"See {link(1)} and [docs][2].\n\n\\[1]: https://a.example/\n\n[2]: https://b.example/\n"
    )


FRAGMENTS = fragments(
    """
    [1] [2] [9] [ ] ![ ! ` `` ``` ~~~ ␤ ␤␤ ␣ ␣␣␣␣ -␣ *␣ 1.␣ 2)␣ >␣ > # #␣ --- === *** \\ - 1.
    < <a> <a␣href=" " ' <div> </div> <!-- --> <pre> </pre> <? ?> <u> ** _ | |-|-|
    a b␣c 中文 https://x.y/z www. (/u) (u␣"t")
    """
)
# Hostile texts on which Markdown readers differ exist; these examples are the same at each run.
same_each_run = settings(derandomize=True, deadline=None, max_examples=600)


@pytest.mark.release
@same_each_run
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@pytest.mark.requirement("P21")
def test_what_a_reader_sees_stays_the_same(answer: str) -> None:
    assert seen(convert(answer, REGISTRY)) == seen(answer)


def seen(answer: str) -> list[str]:
    """Return what a Markdown reader shows, in which a link to a source is only its text."""
    return [part for token in MARKDOWN.parse(answer) for part in shown(token)]


def shown(token: Token) -> list[str]:
    if token.type != "inline":
        return [token.type + token.content]
    parts: list[str] = []
    ours = False
    for child in token.children or []:
        if child.type.startswith("link"):
            ours = str(child.attrs.get("href")).startswith("https://s") or (
                ours and child.type == "link_close"
            )
            parts += [] if ours else [f"{child.type} {child.attrs}"]
        elif child.type in ("text", "text_special") and parts and parts[-1][:2] == "t:":
            parts[-1] += child.content
        else:
            name = "t:" if child.type in ("text", "text_special") else f"{child.type} "
            parts.append(f"{name}{child.content}{child.attrs or ''}")
    return parts
