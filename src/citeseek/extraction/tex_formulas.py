r"""Formulas on a page: each one ``math`` element that holds it as text, in TeX where the page does.

Programs that draw formulas leave three copies of each: what is seen, MathML for machines that
read aloud, and the TeX that it was written in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

# What holds all copies of one formula: KaTeX, MathJax 3 and 4, MediaWiki.
_WHOLE = (
    ".katex:not(.katex .katex), mjx-container:not(mjx-container mjx-container),"
    " .mwe-math-element:not(.mwe-math-element .mwe-math-element)"
)
_TEX = "script[type^='math/tex' i]"
# What MathJax 2 draws beside the TeX.
_DRAWN = (
    ".MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML, .mjx-chtml"
)
_SOURCE = "annotation[encoding*=tex i]"
# The marks that scripts look for around TeX. Money stands between the last ones as well.
_PAIRS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
_OPENING = re.compile(r"\\\(|\\\[|\$\$")
_TEX_SIGN = re.compile(r"[\\^_]")
_LONGEST = 1_000
_NO_TEX = frozenset("script style textarea pre code kbd samp math title template noscript".split())
_STYLE = re.compile(r"^\{\s*\\(?:display|text)style\s+(.*)\}$", re.DOTALL)
_NAMELESS = frozenset({"annotation", "annotation-xml"})
_MOST = 5_000
# By name and number of parts: the parts as they are, then each as a group.
_FORMS = {
    ("mfrac", 2): "{2}/{3}",
    ("msup", 2): "{0}^{3}",
    ("mover", 2): "{0}^{3}",
    ("msub", 2): "{0}_{3}",
    ("munder", 2): "{0}_{3}",
    ("msubsup", 3): "{0}_{4}^{5}",
    ("munderover", 3): "{0}_{4}^{5}",
    ("mroot", 2): "√[{1}]({0})",
}
# What stands before, between and after the parts of others.
_ROWS = {
    "msqrt": ("√(", " ", ")"),
    "mfenced": ("(", ", ", ")"),
    "mtr": ("", ", ", ""),
    "mlabeledtr": ("", ", ", ""),
    "mtable": ("", "; ", ""),
}


def tidy_formulas(document: LexborHTMLParser) -> None:
    """Make every formula in ``document`` one ``math`` element of plain text."""
    scripts = document.css(_TEX)[:_MOST]
    if scripts:
        for drawn in document.css(_DRAWN)[:_MOST]:
            drawn.decompose()
    for script in scripts:
        _replace(script, script.text().strip())
    for whole in document.css(_WHOLE)[:_MOST]:
        inner = whole.css_first("math")
        picture = whole.css_first("img[alt]")
        text = _written(inner) if inner is not None else ""
        text = text or (picture.attributes.get("alt") or "" if picture is not None else "")
        if text:
            _replace(whole, text)
    for math in document.css("math:not(math math)")[:_MOST]:
        if math.css_first("*") is not None:
            _replace(math, _written(math))


def mark_tex(document: LexborHTMLParser) -> None:
    """Make ``math`` elements of the TeX between marks in ``document``, which has no scripts."""
    body = document.body
    text = body.text() if body is not None else ""
    if body is None or not ("\\" in text or "$$" in text):
        return
    marked = [
        node
        for node in body.traverse(include_text=True)
        if node.is_text_node and any(mark in (node.text_content or "") for mark in _PAIRS)
    ]
    for node in marked[:_MOST]:
        if not _is_literal(node):
            _mark_formulas(node)


def _is_literal(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in _NO_TEX:
            return True
        parent = parent.parent
    return False


def _mark_formulas(node: LexborNode) -> None:
    """Part the text of ``node`` into words and ``math`` elements."""
    text, at, parts = node.text_content or "", 0, []
    for start, end in _formulas_in(text):
        tex = " ".join(text[start + 2 : end - 2].split())
        parts.append(f"{escape(text[at:start])}<math>{escape(tex)}</math>")
        at = end
    parted = LexborHTMLParser(f"<p>{''.join(parts)}{escape(text[at:])}</p>").css_first("p")
    if not at or parted is None:
        return
    for part in parted.iter(include_text=True):
        node.insert_before(part)
    node.decompose()


def _formulas_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where formulas in ``text`` begin and end, their marks included."""
    closing = dict.fromkeys(_PAIRS, 0)
    at = 0
    while found := _OPENING.search(text, at):
        start, mark = found.start(), found[0]
        at = start + 2
        if 0 <= closing[mark] < at:
            closing[mark] = text.find(_PAIRS[mark], at)
        end = closing[mark]
        inside = text[at:end] if 0 <= end <= at + _LONGEST else ""
        if inside.strip() and (mark != "$$" or _TEX_SIGN.search(inside)):
            at = end + 2
            yield start, at


def _written(math: LexborNode) -> str:
    source = math.css_first(_SOURCE)
    text = source.text() if source is not None else math.attributes.get("alttext") or ""
    text = " ".join((text or _on_a_line(math)).split())
    styled = _STYLE.match(text)
    return styled[1].strip() if styled else text


def _on_a_line(node: LexborNode) -> str:
    """Return MathML on one line: ``(a)/(b)``, ``x^2``."""
    if node.is_text_node:
        return (node.text_content or "").strip()
    if node.tag in _NAMELESS:
        return ""
    parts = [part for child in node.iter(include_text=True) if (part := _on_a_line(child))]
    if form := _FORMS.get((node.tag or "", len(parts))):
        return form.format(*parts, *map(_group, parts))
    before, between, after = _ROWS.get(node.tag or "", ("", " ", ""))
    return f"{before}{between.join(parts)}{after}"


def _group(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"


def _replace(node: LexborNode, text: str) -> None:
    formula = LexborHTMLParser(f"<math>{escape(text)}</math>").css_first("math")
    if formula is not None:
        node.replace_with(formula)
