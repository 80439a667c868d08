"""Formulas become MathML; money and escaped brackets stay what they are."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.citations.sources import link, numbered

from citeseek.citations import linked_numbers
from citeseek.surfaces.page.markdown import render
from citeseek.surfaces.page.markdown.mathml import MAX_CHARS, mathml

SQUARE = "<mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>"
INLINE = f'<math display="inline" dir="ltr">{SQUARE}</math>'
DISPLAY = f'<math display="block" dir="ltr">{SQUARE}</math>'
IN_TEXT = f'<span class="formula" dir="ltr" tabindex="0">{DISPLAY}</span>'
ALONE = f'<div class="formula" dir="ltr" tabindex="0">{DISPLAY}</div>'
TABLE = (
    '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n<thead>\n<tr>\n'
    f'<th scope="col" dir="auto">{INLINE}</th>\n</tr>\n</thead>\n</table></div>'
)


def paragraph(html: str) -> str:
    return f'<p dir="auto">{html}</p>'


def source(written: str) -> str:
    return f'<code class="formula" dir="ltr">{written}</code>'


PLACES = [
    ("$x^2$", paragraph(INLINE)),
    ("a $x^2$, b", paragraph(f"a {INLINE}, b")),
    ("是$x^2$的", paragraph(f"是{INLINE}的")),
    ("\\(x^2\\)", paragraph(INLINE)),
    ("\\( x^2 \\)", paragraph(INLINE)),
    ("**$x^2$**", paragraph(f"<strong>{INLINE}</strong>")),
    ("# $x^2$", f'<h3 dir="auto">{INLINE}</h3>'),
    ("$$x^2$$", paragraph(IN_TEXT)),
    ("a $$ x^2 $$ b", paragraph(f"a {IN_TEXT} b")),
    ("a \\[x^2\\] b", paragraph(f"a {IN_TEXT} b")),
    ("a $$x\n^2$$ b", paragraph(f"a {IN_TEXT} b")),
    ("$$\nx^2\n$$", ALONE),
    ("\\[\nx^2\n\\]", ALONE),
    ("$$ x^2\n$$", ALONE),
    ("$$\nx^2 $$", ALONE),
    ("a\n$$\nx^2\n$$\nb", "\n".join([paragraph("a"), ALONE, paragraph("b")])),
    ("> $$\n> x^2\n> $$", f'<blockquote dir="auto">\n{ALONE}\n</blockquote>'),
    ("- $$\n  x^2\n  $$", f'<ul>\n<li dir="auto">\n{ALONE}\n</li>\n</ul>'),
    ("| $x^2$ |\n|-|", TABLE),
]


@pytest.mark.parametrize(("markdown", "html"), PLACES)
def test_formulas_where_they_may_stand(markdown: str, html: str) -> None:
    assert render(markdown, ()) == html


TEXT = """
    $5 and $6
    US$5 or US$6
    $5-$6
    $20,000 and $30,000
    $5, or 6$ in all
    $5 and x_y cost 6$
    costs $100，比$80便宜
    价格$100，原价120$。
    $ x^2 $
    $x^2 $
    $$$x^2$$$
    $
    $$
    $$$$
    a$x^2$
    $x^2$a
    $x^2$2
    $HOME/bin:$PATH/bin
    $HOME and PATH$
    \\$x^2\\$
    see [1] and [2]
"""


@pytest.mark.parametrize("written", [line.strip() for line in TEXT.strip().splitlines()])
def test_money_and_names_are_text(written: str) -> None:
    assert render(written, ()) == paragraph(written.replace("\\$", "$"))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\\[1\\]", "[1]"),
        ("\\[1, 2\\] and \\[3-5\\]", "[1, 2] and [3-5]"),
        ("\\[see note\\]", "[see note]"),
        ("\\(see note\\)", "(see note)"),
        ("\\(12\\)", "(12)"),
        ("\\[注\\]", "[注]"),
        ("\\[ \\]", "[ ]"),
        ("\\[x^2", "[x^2"),
        ("x^2\\]", "x^2]"),
        ("\\\\(x^2\\\\)", "\\(x^2\\)"),
    ],
)
def test_escaped_brackets_are_brackets(written: str, shown: str) -> None:
    assert render(written, ()) == paragraph(shown)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("$a `$` b$", "$a <code>$</code> b$"),
        ("`$x^2$`", "<code>$x^2$</code>"),
        ("$$\nnot closed", "$$\nnot closed"),
        ("$$ is money", "$$ is money"),
        ("\\[note\nnot closed", "[note\nnot closed"),
    ],
)
def test_code_and_what_is_not_closed(written: str, shown: str) -> None:
    assert render(written, ()) == paragraph(shown)


def test_what_a_formula_left_open_swallows_ends_with_the_paragraph() -> None:
    html = render("$$\nx = 1\n- b\n\n- c", ())
    assert html == paragraph("$$\nx = 1\n- b") + '\n<ul>\n<li dir="auto">c</li>\n</ul>'


def test_no_formula_holds_a_citation() -> None:
    answer = f"$5 = a {link(1)} and b$ {link(2)}"
    html = render(answer, numbered(2), linked_numbers(answer))
    assert html.count('class="citation"') == 2
    assert "<math" not in html


UNKNOWN = [
    "\\nosuchcommand",
    "\\frac{a}",
    "x_1_2",
    "{" * 200 + "}" * 200,
    "^" * 500,
    "\\begin{x}y",
    "\\left(x",
    "\\def\\a{\\a\\a}\\a",
    "\\newcommand{\\a}{b}\\a",
    "\\newenvironment{a}{b}{c}",
    "\\DeclareMathOperator{\\a}{b}",
    "x" + "+x" * MAX_CHARS,
]


@pytest.mark.parametrize("latex", UNKNOWN, ids=range(len(UNKNOWN)))
def test_what_cannot_be_drawn_stays_as_it_was_written(latex: str) -> None:
    assert mathml(latex, display=False) is None
    escaped = latex.replace("&", "&amp;")
    assert render(f"\\({latex}\\)", ()) == paragraph(source(f"\\({escaped}\\)"))
    assert render(f"$$\n{latex}\n$$", ()) == paragraph(source(f"$$\n{escaped}\n$$"))


@pytest.mark.parametrize(
    ("latex", "inside"),
    [
        ("\\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        ("\\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>"),
        ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("\\alpha \\in \\mathbb{R}", "<mi>α</mi><mo>∈</mo><mi>ℝ</mi>"),
        ("\\text{a b}", "<mtext>a&nbsp;b</mtext>"),
        ("\\quad", '<mspace width="1em"></mspace>'),
        ("\\boxed{x}", '<menclose notation="box"><mrow><mi>x</mi></mrow></menclose>'),
        # Neither links, classes, styles and colours nor sizes that cover what stands around.
        ("\\href{https://a.example}{x}", "<mrow><mrow><mi>x</mi></mrow></mrow>"),
        ("\\class{a}{x}", "<mrow><mi>x</mi></mrow>"),
        ("\\style{color:red}{x}", "<mrow><mi>x</mi></mrow>"),
        ("{\\color{red}{x}}", "<mrow><mstyle><mrow><mi>x</mi></mrow></mstyle></mrow>"),
        ("\\hspace{-99em}", "<mspace></mspace>"),
        ("\\hspace{99em}", "<mspace></mspace>"),
        ("\\hspace{2em}", '<mspace width="2em"></mspace>'),
        ("\\rule{99cm}{99cm}", "<mspace></mspace>"),
        ("\\raise 99em x", "<mpadded><mi>x</mi></mpadded>"),
    ],
)
def test_mathml(latex: str, inside: str) -> None:
    html = f'<math display="inline" dir="ltr"><mrow>{inside}</mrow></math>'
    assert render(f"\\({latex} =\\)", ()).replace("<mo>=</mo></mrow></math>", "</mrow></math>") == (
        paragraph(html)
    )


def test_formulas_are_converted_only_where_there_are_some() -> None:
    code = (
        "import sys; from citeseek.surfaces.page.markdown import render\n"
        "render('$5 and [x](https://a.example)', ()); assert 'latex2mathml' not in sys.modules\n"
        "render('$x^2$', ()); assert 'latex2mathml' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
