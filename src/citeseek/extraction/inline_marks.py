"""Marks within a line of Markdown: emphasis, code, and text that is raised or lowered."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

# Letters that end an ordinal (1er, 2e, 3o) or shorten a word; another single letter is an exponent.
_ORDINAL = frozenset("eoaàrdst")
_PLAIN = re.compile(r"[\w.]+|[-−+–]\w+")
# Marks of Markdown and spaces say nothing of what stands before.
_AROUND = " \t\n*_~`\\"


def put_around(mark: str, inside: str) -> str:
    """Return ``inside`` between two of ``mark``, which stand within its white space."""
    before, words, after = split_space(inside)
    return f"{before}{mark}{words}{mark}{after}"


def split_space(inside: str) -> tuple[str, str, str]:
    """Return the white space before, the words, and the white space after."""
    words = inside.strip()
    at = inside.index(words)
    return inside[:at], words, inside[at + len(words) :]


def code_span(code: str) -> str:
    """Return ``code`` on one line, in as many backticks as it needs."""
    code = " ".join(code.split())
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * (longest + 1)
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{space}{code}{space}{fence}"


def write_superscript(node: LexborNode, before: str, text: str) -> str:
    """Return ``text`` of ``node``, a ``sup`` that follows ``before``, as it is written on the line.

    Notes are in brackets; ordinals and trade marks follow their word; the rest are powers.
    """
    said = text.strip()
    if _is_note(node):
        is_marked = not said.strip("[]()").isalnum() or said[0] in "[(" or "](" in said
        return said if is_marked else f"[{said}]"
    base = before.rstrip(_AROUND)[-1:]
    if not base or before[-1:].isspace() or not (base.isalnum() or base in ")]}"):
        return text
    is_letter = len(said) == 1 and said.casefold() not in _ORDINAL
    if said.isalpha() and (not is_letter or not said.isascii()):
        return text
    if not any(sign.isalnum() for sign in said):
        return text
    return f"^{said}" if _PLAIN.fullmatch(said) else f"^({said})"


def write_subscript(before: str, text: str) -> str:
    """Return ``text``, a ``sub`` that follows ``before``; numbers follow a letter, as in H2O."""
    base = before.rstrip(_AROUND)[-1:]
    if not base.isalnum() and base not in ("", ")", "]"):
        return text
    is_formula = not base.isdigit() and text.strip().isdigit()
    return text if is_formula or not base else f"_{text.strip()}"


def _is_note(node: LexborNode) -> bool:
    link = node.css_first("a[href]")
    return link is not None and "#" in (link.attributes.get("href") or "")
