"""Where on a page a sentence stands: under which heading, in which list, before which note.

A page is plain text: items begin with a dash or a number, headings are short lines of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeseek.verification.objections.omissions import is_left_out, pattern

_ITEM = re.compile(r"\s*(?:[-*•·–]|\d{1,2}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[)）、])\s*\S")
_STOPS = tuple(".。!！?？;；")
# A longer line is no heading, and no line that only says of whom a quotation is.
_HEADING = 80
_SIGNED = re.compile(r"\s*(?:[—–―]|--)\s?\S.{0,120}$")
# What a footnote is marked with, where it is and before the note.
_MARK = re.compile(r"\*{1,3}|[†‡§¹²³⁴⁵⁶⁷⁸⁹①-⑳]|\(\d{1,2}\)|\[(?:\d{1,3}|[a-z])\]")
_BEHIND = re.compile(rf"[.。!！”\"'’,，;；]{{0,3}}\s?(?:{_MARK.pattern})")
_PLAIN = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "123456789")
# How long a note is, and how many marks are read.
_NOTE, _MARKS = 160, 8
# How far the heading of a list is looked for.
_LIST = 4_000


def is_set_apart(text: str, start: int, end: int, claim: str) -> bool:
    """Whether the page says elsewhere of what it tells from ``start`` to ``end`` how it is meant.

    As planned or as a myth by the heading of its list or the line that closes it, as a quotation by
    who signs it, as true with limits by a footnote. What ``claim`` says as well is left out by
    nobody.
    """
    begin = text.rfind("\n", 0, start) + 1
    if _ITEM.match(text, begin):
        if any(is_left_out("heading", line, claim) for line in _above(text, begin)):
            return True
        if any(pattern("closing").match(line) for line in _below(text, end)):
            return True
    return _is_signed(text, end) or any(_limits(note, claim) for note in _notes(text, start, end))


def _above(text: str, begin: int) -> Iterator[str]:
    """Yield the heading or the lead of the list with an item at ``begin``, if there is one."""
    for line in reversed(text[max(begin - _LIST, 0) : begin].splitlines()):
        if line.strip() and not _ITEM.match(line):
            if len(line) <= _HEADING and not line.rstrip().endswith(_STOPS):
                yield line
            return


def _below(text: str, end: int) -> Iterator[str]:
    """Yield the line that follows the list."""
    for line in text[end : end + _LIST].splitlines()[1:]:
        if line.strip() and not _ITEM.match(line):
            yield line.strip()
            return


def _is_signed(text: str, end: int) -> bool:
    """Whether the next line says who wrote it: "— letter of the mayor, 1820"."""
    rest = text[end : end + _LIST].split("\n", 1)
    line = next((line for line in rest[-1].splitlines() if line.strip()), "")
    return len(rest) > 1 and _SIGNED.match(line) is not None


def _notes(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the footnotes of what stands from ``start`` to ``end``."""
    behind = _BEHIND.match(text, end)
    marks = [one[0] for one in _MARK.finditer(text, start, behind.end() if behind else end)]
    for mark in dict.fromkeys(marks[:_MARKS]):
        number = mark.strip("[]()").translate(_PLAIN)
        ways = {re.escape(mark), rf"{re.escape(number)}[.):]?(?=\s)"}
        note = re.compile(rf"^[ \t]*(?:{'|'.join(ways)})[ \t]*(\S.{{0,{_NOTE}}})$", re.MULTILINE)
        found = note.search(text, end)
        if found:
            yield found[1]


def _limits(note: str, claim: str) -> bool:
    found = pattern("note").match(note)
    return found is not None and found[0].casefold() not in claim.casefold()
