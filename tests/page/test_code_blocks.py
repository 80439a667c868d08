"""Code in answers: its language by name, its parts in colours, never slow, always the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.page.hostile import faults
from tests.processor_time import processor_time_below

from citeseek.surfaces.page.live_markdown import LiveMarkdown
from citeseek.surfaces.page.markdown import render
from citeseek.surfaces.page.markdown.code import _LANGUAGES, CLASSES, highlight, name_of

LANGUAGES = sorted(_LANGUAGES)
# What makes a lexer look far ahead for an end that does not come.
SLOW = (
    "(", '"', "'", "\\", "/*", "<", " ", "a", "a ", "\n", "{", "[", "<a ", "='", "`", "$(", "${",
    "#", "--", "0", "a.a", "a::", "@a", "<<a\n", "r#", "/", "(a,", "a b(", "*", "_a", "  - ",
    "a:\n ",
    "%(", "q{", "\t", "a<", "function ", "class a ", "def a(", "// \\\n", " \n", "[]", "a=", "&a;",
    '"\\\n', "u'", "1e", "-a", "a\n=\n", "<?php", "{{", "![", "<!--", "|", ";", "$a", "a,", "é",
)  # fmt: skip


@pytest.mark.parametrize(
    ("info", "language", "name"),
    [
        ("python", "python", "Python"),
        ("Python title=x", "python", "Python"),
        ("c++", "c++", "C++"),
        ("c#", "c#", "C#"),
        ("ts", "ts", "TypeScript"),
        ("objective-c", "objective-c", "objective-c"),
        ("f.90", "", ""),
        ('x"y', "", ""),
        ("中文", "", ""),
        ("x" * 33, "", ""),
        ("", "", ""),
    ],
)
def test_code_says_its_language_when_it_is_a_name(info: str, language: str, name: str) -> None:
    html = LexborHTMLParser(render(f"~~~{info}\na  b\n<c>\n~~~", ()))
    code, label = html.css_first(".code > pre > code"), html.css_first(".code > .code-language")
    assert code.text() == "a  b\n<c>\n"
    assert code.attributes.get("class", "") == (f"language-{language}" if language else "")
    assert (label.text() if label else "") == name
    assert name_of(language) == name


def test_the_parts_of_code_have_classes() -> None:
    html = highlight("@once\ndef f(x):\n    return len(x) + 12  # 'a<b'\n", "python")
    assert html == (
        '<span class="code-name">@once</span>\n'
        '<span class="code-keyword">def</span> <span class="code-name">f</span>(x):\n'
        '    <span class="code-keyword">return</span> <span class="code-builtin">len</span>(x) + '
        '<span class="code-number">12</span>  '
        '<span class="code-comment"># &#x27;a&lt;b&#x27;</span>\n'
    )
    assert highlight("+new\n-old\n same\n", "diff") == (
        '<span class="code-inserted">+new</span>\n<span class="code-deleted">-old</span>\n same\n'
    )


def test_code_that_grows_has_no_colours_until_its_end_is_known() -> None:
    live = LiveMarkdown()
    live.feed("```js\nconst a = 'x';\n")
    (growing,) = live.blocks(())
    assert "code-language" in growing
    assert "code-keyword" not in growing
    live.feed("```\n\nThat is all.\n\nReally.\n")
    assert "code-keyword" in live.blocks(())[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_lexer_that_knows_something(language: str) -> None:
    text = "# a\n// b\n<a b='c'>1</a>\n+d\nif (true) { return \"x\" }\nFROM x\n\\cmd{y}\n"
    text = "# a\nb: 'c'\n" if language in {"yaml", "yml"} else text
    html = highlight(text, language)
    assert LexborHTMLParser(f"<pre>{html}</pre>").css_first("pre").text() == text
    assert any(name in html for name in CLASSES)


@pytest.mark.sample(3)
@pytest.mark.parametrize("language", sorted({name for name, _ in _LANGUAGES.values()}))
def test_no_code_takes_long(language: str) -> None:
    for piece in SLOW:
        code = piece * (6_000 // len(piece))
        # The limit is 0.11 s; one step of a lexer comes on top of it.
        with processor_time_below(0.5, language, piece):
            highlight(code, language)


def test_code_beyond_the_limit_is_plain() -> None:
    assert highlight("return 1\n" * 2_000, "python") == "return 1\n" * 2_000


@given(st.text(alphabet=st.sampled_from("ab1 \n\t'\"<>&/*#\\{}()[]=.:$@-é中"), max_size=80))
def test_highlighting_changes_no_character_and_is_harmless(code: str) -> None:
    for language in ("python", "js", "html", "bash", "rust", "php"):
        html = highlight(code, language)
        assert LexborHTMLParser(f"<pre>x{html}</pre>").css_first("pre").text() == f"x{code}"
        assert faults(f"<pre>{html}</pre>") == []
