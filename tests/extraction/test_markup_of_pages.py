"""Marks that a page has for browsers and Markdown for readers: neither becomes the other."""

# ruff: noqa: E501, ISC004 - a page is one line

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction import Form, extract
from citeseek.models import Page

_TOLD = "".join(
    f"<p>Cup {number} of the day is poured from the pot when the leaves have sunk to its ground.</p>"
    for number in range(12)
)


def read(inside: str, form: Form = "text") -> str:
    """Return the text of an article that holds ``inside``."""
    html = f"<title>Tea</title><article><h1>Tea</h1>{_TOLD}{inside}{_TOLD}</article>"
    headers = {"content-type": "text/html; charset=utf-8"}
    return extract(
        Page(url="https://tea.example/a", headers=headers, body=html.encode()), form=form
    ).text


@pytest.mark.parametrize(
    "heading",
    [
        "<h2 id=a>Leaves <a href='#a'>#</a></h2>",
        "<h2 id=a>Leaves<a class=headerlink href='#a' title=Permalink>¶</a></h2>",
        "<h2 id=a><a href='#a'>§</a>Leaves</h2>",
        "<h2 id=a>Leaves <a class=header-anchor href='#a' aria-label=Permalink>&#8203;</a></h2>",
        "<h2 id=a>Leaves <a href='https://tea.example/a#a'>🔗</a></h2>",
        "<h2>Leaves<span class=mw-editsection>[<a href='/w?action=edit'>edit</a>]</span></h2>",
        "<h2><span class=editsection>[<a href='/w?action=edit'>edit</a>]</span> Leaves</h2>",
    ],
)
def test_a_heading_is_its_words_alone(heading: str) -> None:
    assert "\n\n## Leaves\n\n" in read(heading, "markdown")
    assert "\n\nLeaves\n\n" in read(heading)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<h2>Leaves in <a href='/csharp#2'>C#</a></h2>", "Leaves in C#"),
        ("<p>The <a href='#dagger'>†</a> marks a lost leaf.</p>", "The † marks a lost leaf."),
        ("<p>See <a href='#b'>the leaves</a> below.</p>", "See the leaves below."),
    ],
)
def test_a_link_with_words_is_kept(markup: str, text: str) -> None:
    assert text in read(markup)


SAID = [
    "Say _not slanted_ and __init__ here",
    "snake_case_name and a_b",
    "~~not struck~~ and ~one~",
    "# no heading",
    "### no heading",
    "> no quotation",
    ">no quotation",
    "1. no item",
    "2) no item",
    "- no item",
    "+ no item",
    "*no* **emphasis**",
    "`no code`",
    "[no](link)",
    "&lt;b> is written so",
    "A&B; and &copy; and R&D",
    "<b>no tag</b>",
    r"back\slash \* and \_",
    "-----",
    "=====",
    "5 > 3 - 1 + 0",
    "It is 2020. Or 2021",
]


@pytest.mark.parametrize("said", SAID)
def test_what_a_page_says_is_no_markdown(said: str) -> None:
    from html import escape

    written = read(f"<p>Before it.<br>{escape(said)}</p><p>{escape(said)}</p>", "markdown")
    rendered = LexborHTMLParser(MarkdownIt("commonmark").enable("strikethrough").render(written))
    assert len(rendered.css("h1, h2, h3, em, strong, s, code, ul, ol, blockquote, hr, b")) == 1
    told = [" ".join(paragraph.text().split()) for paragraph in rendered.css("p")]
    assert " ".join(said.split()) in told
    assert f"Before it. {' '.join(said.split())}" in told


def test_a_cry_before_a_link_is_no_picture() -> None:
    written = read("<p>Drink!<a href='/b'>this one</a></p>", "markdown")
    assert r"Drink\![this one](https://tea.example/b)" in written


def test_words_with_underscores_inside_are_left_as_they_are() -> None:
    assert "call brew_tea_now with it" in read("<p>call brew_tea_now with it</p>", "markdown")


@pytest.mark.parametrize(
    ("markup", "tex"),
    [
        (r"<p>Sum \(x_1 * x_2 * y_3\) end.</p>", "x_1 * x_2 * y_3"),
        (r"<p>Sum \[\sum_{i&lt;n} a_i\] end.</p>", r"\sum_{i<n} a_i"),
        (r"<p>Sum $$\int_0^1 x\,dx$$ end.</p>", r"\int_0^1 x\,dx"),
        ("<p>Sum \\(a_1\n + b\\) end.</p>", "a_1 + b"),
    ],
)
def test_tex_stays_tex(markup: str, tex: str) -> None:
    assert f"Sum ${tex}$ end." in read(markup, "markdown")
    assert f"Sum {tex} end." in read(markup)


@pytest.mark.parametrize(
    "said", ["It costs $$ and then $$ again.", r"Open \( alone.", r"A pattern \(\) is empty."]
)
def test_marks_around_nothing_are_no_formula(said: str) -> None:
    assert said in read(f"<p>{said}</p>")


def test_tex_in_code_is_code() -> None:
    assert r"`\(x_1\)`" in read(r"<p>Write <code>\(x_1\)</code> there.</p>", "markdown")


SHADOWS = {
    "alone": ("<tea-box><template shadowrootmode=open><p>Inner leaf.</p></template></tea-box>", "Inner leaf."),
    "slots": (
        "<tea-box><template shadowrootmode=open><p>Shelf: <slot name=top>none</slot>.</p><div><slot></slot>"
        "</div></template><p>Low leaf.</p><b slot=top>High leaf</b></tea-box>",
        "Shelf: High leaf.\n\nLow leaf.",
    ),
    "fallback": ("<tea-box><template shadowrootmode=closed><p><slot>No leaf.</slot></p></template></tea-box>", "No leaf."),
    "nested": (
        "<tea-box><template shadowrootmode=open><tea-tin><template shadowrootmode=open><p>Deep leaf.</p>"
        "</template></tea-tin></template></tea-box>",
        "Deep leaf.",
    ),
    "within a slot": (
        "<tea-box><template shadowrootmode=open><slot></slot></template><tea-tin><template shadowrootmode=open>"
        "<p>Given leaf.</p></template></tea-tin></tea-box>",
        "Given leaf.",
    ),
    "the first of two": (
        "<tea-box><template shadowrootmode=open><p>First leaf.</p></template><template shadowrootmode=open>"
        "<p>Second leaf.</p></template></tea-box>",
        "First leaf.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHADOWS)
def test_a_declared_shadow_root_is_read(name: str) -> None:
    markup, text = SHADOWS[name]
    said = read(markup)
    assert f"\n\n{text}\n\n" in said
    assert "Second leaf" not in said


def test_what_no_slot_takes_and_other_templates_are_not_read() -> None:
    said = read(
        "<tea-box><template shadowrootmode=open><p>Seen leaf.</p></template><p>Lost leaf.</p></tea-box>"
        "<template><p>Spare leaf.</p></template>"
    )
    assert "Seen leaf." in said
    assert "Lost leaf." not in said
    assert "Spare leaf." not in said


def test_a_page_that_is_one_shadow_root_is_read() -> None:
    html = (
        f"<title>Tea</title><div><template shadowrootmode=open><h1>Tea</h1>{_TOLD}</template></div>"
    )
    page = Page(
        url="https://tea.example/", headers={"content-type": "text/html"}, body=html.encode()
    )
    assert all(f"Cup {number} of the day" in extract(page).text for number in range(12))


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_picture_that_is_a_sign_is_read_and_another_is_not(form: Form) -> None:
    said = read(
        "<p>Well brewed <img class=emoji alt='🍵' src=a.png> today.</p>"
        "<p><img alt='A pot on the stove' src=b.jpg></p>",
        form,
    )
    assert "Well brewed 🍵 today." in said
    assert "A pot on the stove" not in said
