"""Addresses as link targets: read back, they are what they were."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.citations.sources import single

from citeseek.citations import convert

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


class Reader(HTMLParser):
    """The targets of the links, and the visible text."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.hrefs: list[str | None] = []
        self.text = ""
        self.feed(MARKDOWN.render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.hrefs.append(dict(attrs)["href"])

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "url",
    [
        "https://zh.example.org/wiki/矩阵_(数学)",
        "https://a.example/T.html#as()",
        "https://a.example/)(",
        "https://a.example/a b?q=1 2",
        "https://a.example/?x=1|2",
        'https://a.example/<b>"q"\'',
        "https://a.example/a`b`c",
        "https://a.example/?a=$b&c=$d",
        "https://a.example/?a=1&lt;2&copy=3&#38;",
        "https://a.example/a\\b",
        "https://a.example/**b**_c_~~d~~",
        "https://a.example/a[1]b]c[",
        "https://a.example/\u3000\u2028\u200b",
        "http://[::1]:8080/x",
        "https://a.example/100%25",
        "HTTPS://A.Example/Q",
    ],
)
@pytest.mark.parametrize("template", ["见[1]。", "x [1](y)z", "| a |\n|---|\n| b [1] |\n"])
@pytest.mark.requirement("S1-123", "S1-127")
def test_the_target_is_the_address_for_every_reader(url: str, template: str) -> None:
    if template.startswith("x"):
        template = "x [1](y z)"  # no link: a target holds no space
    seen = Reader(convert(template, single(url)))
    assert [unquote(href or "") for href in seen.hrefs] == [unquote(url)]
    assert seen.text == Reader(template).text


@pytest.mark.requirement("S1-127")
def test_an_address_without_special_characters_is_written_as_it_is() -> None:
    url = "https://a.example:8443/p/%E7%9F%A9?utm_source=x&b=[1]#frag~!*'@;:+,="
    assert convert("[1]", single(url)) == f"[[1]]({url})"


@given(st.text(st.characters(codec="utf-8"), max_size=40))
@pytest.mark.requirement("S1-123")
def test_no_address_breaks_the_text(path: str) -> None:
    seen = Reader(convert("a [1] b `c`", single(f"https://a.example/{path}")))
    assert seen.text.strip() == "a [1] b c"
    assert len(seen.hrefs) == 1
