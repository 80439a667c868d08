"""Formulas: LaTeX as MathML, which browsers draw themselves."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element

MAX_CHARS = 2_000
"""Longer formulas stay as they were written."""

TAGS = frozenset(
    "math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub "
    "msubsup msup mtable mtd mtext mtr munder munderover".split()
)

# Larger ones could push a formula over the text around it.
_SIZE = (
    r"-?0?\.\d{1,4}(?:em|ex)|\+?\d(?:\.\d{1,4})?(?:em|ex|cm)|\+?0?\.\d{1,4}(?:em|ex|cm)"
    r"|\d{1,2}(?:\.\d{1,4})?(?:pt|px|mm)|0|(?:negative)?(?:thin|medium|thick)mathspace"
)
_SIZES = rf"(?:{_SIZE})(?: (?:{_SIZE})){{0,30}}"
_TRUTH = "true|false"
_WORDS = r"[a-z-]{1,24}(?: [a-z-]{1,24}){0,30}"

ATTRIBUTES = {
    **dict.fromkeys("width height depth lspace rspace voffset".split(), _SIZE),
    **dict.fromkeys("minsize maxsize mathsize linethickness".split(), _SIZE),
    **dict.fromkeys("rowspacing columnspacing".split(), _SIZES),
    **dict.fromkeys("accent displaystyle fence largeop".split(), _TRUTH),
    **dict.fromkeys("movablelimits separator stretchy".split(), _TRUTH),
    **dict.fromkeys("columnalign columnlines rowlines".split(), _WORDS),
    **dict.fromkeys("form linebreak mathvariant notation".split(), _WORDS),
    "scriptlevel": "[0-3]",
}
"""What a formula's elements may have, with the pattern of its value."""

# With more or fewer children these are not drawn, or drawn as something else.
_CHILDREN = {
    **dict.fromkeys("mfrac mover mroot msub msup munder".split(), 2),
    **dict.fromkeys("msubsup munderover".split(), 3),
}
# Definitions can unfold to any length.
_DEFINES = re.compile(r"\\(?:def|newcommand|newenvironment|DeclareMathOperator)(?![a-z])")
# Deep formulas would end at the end of the stack, which is not at the same place for all callers.
_MAX_DEPTH = 60


class _Unknown(Exception):
    """The formula has something in it that is not drawn."""


@lru_cache(maxsize=512)
def mathml(latex: str, *, display: bool) -> str | None:
    """Return the HTML of a formula, None when it cannot be drawn."""
    if len(latex) > MAX_CHARS or _DEFINES.search(latex):
        return None
    # Its tables of symbols take a while to load, and most answers have no formula.
    from latex2mathml.converter import convert_to_element  # noqa: PLC0415

    try:
        tree = convert_to_element(latex.strip())
        inside = "".join(_html(child, 0) for child in tree)
    except Exception:  # noqa: BLE001 - whatever it does not understand, it raises anything
        return None
    return f'<math display="{"block" if display else "inline"}" dir="ltr">{inside}</math>'


def _html(element: Element, depth: int) -> str:
    # Texts hold numeric references of the library's own.
    text = unescape(element.text or "")
    is_command = element.tag == "mi" and text.startswith("\\")
    if element.tag not in TAGS or is_command or depth > _MAX_DEPTH:
        raise _Unknown
    if len(element) != _CHILDREN.get(element.tag, len(element)):
        raise _Unknown
    attributes = "".join(
        f' {name}="{escape(value)}"'
        for name, value in element.items()
        if name in ATTRIBUTES and re.fullmatch(ATTRIBUTES[name], value)
    )
    inside = "".join(_html(child, depth + 1) for child in element)
    return f"<{element.tag}{attributes}>{escape(text)}{inside}</{element.tag}>"
