"""Hostile pages are refused before they are parsed, and ordinary large ones are not."""

from __future__ import annotations

import time

import pytest

from citeseek.errors import WebParseError
from citeseek.extraction import extract
from citeseek.models import Page

P = "<p>A sentence of some words, and more of it.</p>"
HOSTILE = {
    "deep": ("<div>" * 100_000 + "x", "too_deep"),
    "deep and closed": ("<div>" * 300 + "x" + "</div>" * 300, "too_deep"),
    "marks never closed": ("".join(f"<p><font size={n}>" for n in range(2_000)), "too_deep"),
    "marks opened in every paragraph": (
        "".join(f"<p><font size={n}>" for n in range(250)) + P * 200_000,
        "too_complex",
    ),
    "attributes": ("<p " + " ".join(f"a{n}=1" for n in range(300_000)) + ">", "too_complex"),
    "attributes with tags in them": (
        "<p " + " ".join(f'a{n}=">"' for n in range(300_000)) + ">",
        "too_complex",
    ),
    "options": ("<select>" + "<option>x" * 500_000, "too_complex"),
    "quotes": ('<a "' * 1_000_000, "too_complex"),
}
LARGE = {
    "paragraphs": P * 100_000,
    "one line": "<p>" + "word " * 2_000_000,
    "script": "<script>" + 'var a = "<div>";' * 500_000 + "</script>" + P,
    "attribute": f"<p data-x='{'y ' * 4_000_000}'>" + P,
    "comment": "<!--" * 1_000_000 + "-->" + P,
    "unclosed items": "<ul>" + "<li>item" * 50_000,
    "table": "<table>" + ("<tr>" + "<td>c" * 10) * 5_000,
    "selectors": f"<style>{'p,' * 100_000}p{{display:none}}</style>{'<p>x' * 40_000}" + P,
    "hidden in hidden": (
        "<style>" + "".join(f"b,i.n{n},div{{display:none}}" for n in range(5_000)) + "</style>"
        f"{P}{'<div>' * 200}{'word ' * 300_000}{'</div>' * 200}"
    ),
    "blocks of rules": f"<style>{'@media screen{' * 30_000}p{{display:none}}</style>{P * 3}",
    "spaces in a rule": f"<style>p{{display:{' ' * 400_000}none}}</style>{P}",
    "formulas": rf"<p>{chr(92)}({chr(92)}[$$" * 60_000 + r"x\)" + P,
    "shadow roots": "<a-b><template shadowrootmode=open><slot></slot></template>x</a-b>" * 9_000,
    "consent": "<div class=cookie>cookies <button>no</button></div>" * 9_000,
}
SECONDS = 15


def read(body: str) -> str:
    headers = {"content-type": "text/html"}
    return extract(Page(url="https://e.example/", headers=headers, body=body.encode())).text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_refused_at_once(name: str) -> None:
    body, detail_code = HOSTILE[name]
    began = time.process_time()
    with pytest.raises(WebParseError) as caught:
        read(body)
    assert caught.value.detail_code == detail_code
    assert time.process_time() - began < SECONDS


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", LARGE)
def test_a_large_page_is_read_in_bounded_time(name: str) -> None:
    began = time.process_time()
    assert read(LARGE[name])
    assert time.process_time() - began < SECONDS


def test_what_stands_in_scripts_and_comments_counts_for_nothing() -> None:
    assert read("<script>" + "'<div>'" * 1_000 + "</script><!--" + "<div>" * 1_000 + f"-->{P}")
