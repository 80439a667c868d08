r"""Where formulas stand in Markdown: ``$…$``, ``$$…$$``, ``\(…\)`` and ``\[…\]``.

They are told from money and from escaped brackets as the citations of an answer do, so that no
citation is taken for a part of a formula.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from citeseek.surfaces.markdown_dialect import SIGN

_CLOSERS = {"$$": r"\$\$", "\\(": r"\\\)", "\\[": r"\\\]", "$": r"(?<![\s\\$])\$(?![\w$])"}
_LINE_OPENER = re.compile(r"\$\$(?!\$)|\\\[")
_TEX = re.compile(r"[\\^_{}=<>+]")
_TEX_AFTER_NUMBER = re.compile(r"[\\^{}=]")
_NUMBERS = re.compile(r"[\d\s,，、-]+")
_WORD = re.compile(r"[A-Za-z]{2}")
_CODE_BLOCK_INDENT = 4
# A sum of money, or an aside, says what it is in the beginning.
_LOOKED_AT = 200
# What ends so far away ends something else.
_MAX_CHARS = 10_000


def add(parser: MarkdownIt) -> None:
    """Teach ``parser`` formulas: tokens of the kind ``formula``, written as in ``info``."""
    parser.inline.ruler.before("escape", "formula", _in_text)
    parser.block.ruler.before(
        "fence", "formula", _in_lines, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _in_text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    opener = _opener(state.src, state.pos)
    if not opener:
        return False
    start = state.pos + len(opener)
    end = _next(state, _CLOSERS[opener], start)
    if not start < end <= min(state.posMax - len(opener), start + _MAX_CHARS):
        return False
    content = state.src[start:end]
    if not _is_formula(content, opener):
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.markup, token.content = opener, content
        token.info = state.src[state.pos : end + len(opener)]
    state.pos = end + len(opener)
    return True


def _opener(text: str, at: int) -> str:
    if text[at] == "\\":
        return text[at : at + 2] if text[at + 1 : at + 2] in {"(", "["} else ""
    before = text[at - 1 : at] if at else ""
    if text[at] != "$" or before == "$":
        return ""
    if text.startswith("$$", at):
        return "" if text.startswith("$$$", at) else "$$"
    follows = text[at + 1 : at + 2]
    is_word = before.isascii() and before.isalnum()
    return "" if is_word or not follows or follows.isspace() else "$"


def _next(state: StateInline, pattern: str, start: int) -> int:
    """Return where ``pattern`` is next; its places are looked up once for a text."""
    text, places = state.env.get("closers", ("", {}))
    if text is not state.src:
        text, places = state.env["closers"] = (state.src, {})
    if pattern not in places:
        places[pattern] = [match.start() for match in re.finditer(pattern, text, re.ASCII)]
    index = bisect_left(places[pattern], start)
    return places[pattern][index] if index < len(places[pattern]) else -1


def _is_formula(content: str, opener: str) -> bool:
    beginning = content[:_LOOKED_AT].strip()
    if not beginning or not _looks_like_one(beginning, opener):
        return False
    return "`" not in content and SIGN not in content


def _looks_like_one(beginning: str, opener: str) -> bool:
    is_word = len(beginning.split()) == 1
    if opener == "$" and beginning[0].isdigit() and not is_word:
        return bool(_TEX_AFTER_NUMBER.search(beginning))
    if _TEX.search(beginning):
        return True
    if opener[0] == "\\" and _NUMBERS.fullmatch(beginning):
        return False
    return beginning.isascii() and (is_word or not _WORD.search(beginning))


def _in_lines(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    opener = _line_opener(state, start)
    if not opener or silent:
        return bool(opener)
    closer = "$$" if opener == "$$" else "\\]"
    line, closing = start, -1
    while closing < 0 and line + 1 < end and _goes_on(state, line + 1):
        line += 1
        closing = _text(state, line).find(closer)
    written = state.getLines(start, line + 1, state.blkIndent, False).strip()  # noqa: FBT003
    is_open = closing < 0 and line + 1 == end and state.env.get("growing", False)
    lines = [start, line + 1]
    if is_open or (closing >= 0 and written.find(closer, 2) == len(written) - 2):
        token = state.push("formula", "math", 0)
        token.markup, token.info, token.map = opener, written, lines
        token.content = written[2 : None if is_open else -2]
        token.meta["open"] = is_open
    else:
        _push_paragraph(state, written, lines)
    state.line = line + 1
    return True


def _push_paragraph(state: StateBlock, written: str, lines: list[int]) -> None:
    state.push("paragraph_open", "p", 1).map = lines
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = written, lines, []
    state.push("paragraph_close", "p", -1)


def _line_opener(state: StateBlock, line: int) -> str:
    """Return what opens a formula that goes on behind ``line``, empty when nothing does."""
    text = _text(state, line)
    opener = _LINE_OPENER.match(text)
    if not opener or state.sCount[line] - state.blkIndent >= _CODE_BLOCK_INDENT:
        return ""
    rest = text[opener.end() :].strip()
    closer = "$$" if opener[0] == "$$" else "\\]"
    return opener[0] if closer not in rest and (not rest or _TEX.search(rest)) else ""


def _goes_on(state: StateBlock, line: int) -> bool:
    return not state.isEmpty(line) and state.sCount[line] >= state.blkIndent


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
