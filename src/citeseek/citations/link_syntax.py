"""Where Markdown's links, definitions and tags end, in text that may not be complete.

Every function takes the position where the construct would begin and returns the position after
it, ``NO`` when there is none, or ``CUT`` when the text ends before that is known.
"""

from __future__ import annotations

import re

NO = -1
CUT = -2

# As in cmark: deeper nesting is not a destination, which also bounds the time that it takes.
_MAX_NESTING = 32

_SPACE = re.compile(r"[ \t\r\n]*")
_BLANKS = re.compile(r"[ \t\r]*")
_BRACKETED = re.compile(r"<(?:[^<>\\\n]|\\.)*+(?:(?P<end>>)|\\?\Z)")
_PIECE = re.compile(r"[^\x00-\x20\x7f()\\]+|\\[()\\]?|[()]")
_TITLES = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+(?:(?P<end>")|\\?\Z)', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*+(?:(?P<end>')|\\?\Z)", re.DOTALL),
    "(": re.compile(r"\((?:[^()\\]|\\.)*+(?:(?P<end>\))|\\?\Z)", re.DOTALL),
}
# Nothing, too, may be the beginning of a label.
_LABEL = re.compile(r"\Z|\[(?:[^\[\]\\]|\\.){0,999}+(?:(?P<end>\])|\\?\Z)", re.DOTALL)
_NUMBERS = re.compile(r"[\d\s,，、-]+")
_ADDRESS = re.compile(r"<|[a-z][a-z\d+.-]{0,11}://|mailto:|www\.|\.{0,2}/|#", re.IGNORECASE)
_ADDRESS_CHARS = 15  # as many as _ADDRESS can take

TAG = re.compile(
    r"""
    <(?:
        [a-z][a-z\d-]*+
        (?:\s++[a-z_:][\w.:-]*+ (?:\s*+=\s*+ (?:[^\s"'=<>`]++ | '[^']*+' | "[^"]*+"))?+ )*+
        \s*+ (?: /?+ (?:(?P<open>>)|\Z) | =\s*+ (?:'[^']*+ | "[^"]*+)?+ \Z )
      | / (?:\Z | [a-z][a-z\d-]*+ \s*+ (?:(?P<close>>)|\Z))
      | \Z
    )
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""An opening or closing tag; neither group takes part when the text ends inside it."""

_AUTOLINK = re.compile(
    r"<[a-z](?:[a-z\d+.-]{1,31}+(?::[^\x00-\x20\x7f<>]*+(?:(?P<end>>)|\Z)|\Z)|\Z)", re.IGNORECASE
)


def label(text: str, at: int) -> int:
    """Return the end of the link label that begins at ``at`` with ``[``."""
    return _end(_LABEL.match(text, at))


def link(text: str, at: int) -> int:
    """Return the end of an inline link's tail that begins at ``at`` with ``(``."""
    at = _skip(text, at + 1)
    if text.startswith(")", at):
        return at + 1
    end = _destination(text, at)
    if end < 0:
        return end
    at = _skip(text, end)
    if at > end and at < len(text) and text[at] in _TITLES:
        title = _title(text, at)
        if title < 0:
            return title
        at = _skip(text, title)
    if at == len(text):
        return CUT
    return at + 1 if text[at] == ")" else NO


def definition(text: str, at: int, *, closed: bool) -> int:
    """Return the end of the link reference definition that begins at ``at``, its line end included.

    ``closed`` says that nothing follows ``text``. A number is defined only by an address: what
    follows ``[1]:`` in ``[1]: Annual report`` or ``[1]: Report`` is the text of a note.
    """
    colon = label(text, at)
    if colon < 0 or colon == len(text):
        return CUT if colon == len(text) else colon
    name = text[at + 1 : colon - 1]
    if text[colon] != ":" or not name.strip():
        return NO
    start = _past_line_break(text, colon + 1)
    if _NUMBERS.fullmatch(name) and not _ADDRESS.match(text, start):
        return NO if closed or len(text) - start >= _ADDRESS_CHARS else CUT
    return _after_destination(text, _destination(text, start), closed=closed)


def tag(text: str, at: int) -> int:
    """Return the end of the HTML tag or autolink that begins at ``at`` with ``<``."""
    ends = (_end(_AUTOLINK.match(text, at)), _tag(text, at))
    return max(ends) if max(ends) >= 0 else min(ends)


def _after_destination(text: str, end: int, *, closed: bool) -> int:
    if end < 0:
        return end
    at = _skip(text, end, _BLANKS)
    if at == len(text):
        return at if closed else CUT
    if text[at] != "\n":
        return _line_end(text, _title(text, at), closed=closed) if at > end else NO
    line_end = at + 1
    at = _skip(text, line_end, _BLANKS)
    if at == len(text):
        return line_end if closed else CUT
    titled = _line_end(text, _title(text, at), closed=closed)
    return line_end if titled == NO or (titled == CUT and closed) else titled


def _line_end(text: str, at: int, *, closed: bool) -> int:
    if at < 0:
        return at
    at = _skip(text, at, _BLANKS)
    if at == len(text):
        return at if closed else CUT
    return at + 1 if text[at] == "\n" else NO


def _destination(text: str, at: int) -> int:
    if at == len(text):
        return CUT
    if text[at] == "<":
        return _end(_BRACKETED.match(text, at))
    start, depth = at, 0
    while piece := _PIECE.match(text, at):
        if piece[0] == "(":
            depth += 1
        elif piece[0] == ")":
            depth -= 1
        if not 0 <= depth <= _MAX_NESTING:
            break
        at = piece.end()
    if depth > 0:
        return CUT if at == len(text) else NO
    return at if at > start else NO


def _title(text: str, at: int) -> int:
    pattern = _TITLES.get(text[at])
    return _end(pattern.match(text, at)) if pattern else NO


def _tag(text: str, at: int) -> int:
    found = TAG.match(text, at)
    if not found:
        return NO
    return found.end() if found["open"] or found["close"] else CUT


def _end(found: re.Match[str] | None) -> int:
    if not found:
        return NO
    return found.end() if found["end"] else CUT


def _skip(text: str, at: int, space: re.Pattern[str] = _SPACE) -> int:
    found = space.match(text, at)
    return found.end() if found else at


def _past_line_break(text: str, at: int) -> int:
    at = _skip(text, at, _BLANKS)
    return _skip(text, at + 1, _BLANKS) if text.startswith("\n", at) else at
