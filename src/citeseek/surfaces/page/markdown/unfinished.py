"""What of an answer can be shown while its end is still being written."""

from __future__ import annotations

import re

from citeseek.surfaces.page.markdown import inline_html

_OPENER = re.compile(r"!?\[\Z")
_ADDRESS = re.compile(r"\([^\s()<>]*\Z")
_LONGEST = 8_300
_LONGEST_TAG = 52
# One more character and these are something else: a rule, a list, a heading of the line before.
_LINE_BEGINNING = re.compile(r"(?:\A|\n)[ \t]*(?:[-=+*_>#~`$]{1,3}|\\\[?|\d{1,9}[.)]?)[ \t]*\Z")
_DELIMITERS = re.compile(r"[ \t|:-]*")
_FENCE = re.compile(r"```|~~~")
_MARKERS = re.compile(r"[*_~]+\Z")
_NOT_EMPHASIS = re.compile(r"`[^`]*`|\\.")
_BOLD = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*")


def hide_unfinished(text: str) -> str:
    """Return ``text``, which goes on, without what would be shown for a moment as what it is not.

    That are half a link, half a subscript, the first signs of a line, and the first line of a
    table, which is one only when the second has come. Bold text and code that are open at the end
    are closed.
    """
    for cut in (_before_link, _before_tag, _before_line, _before_table):
        text = text[: cut(text)]
    return text if _FENCE.search(text) else _close(text)


def _before_link(text: str) -> int:
    if opener := _OPENER.search(text):
        return opener.start()
    # What it says can be shown.
    address = text.rfind("](", max(len(text) - _LONGEST, 0)) + 1
    return address if address and _ADDRESS.match(text, address) else len(text)


def _before_tag(text: str) -> int:
    opener = inline_html.UNFINISHED.search(text, max(len(text) - _LONGEST_TAG, 0))
    return opener.start() if opener else len(text)


def _before_line(text: str) -> int:
    cut = _LINE_BEGINNING.match(text, max(text.rfind("\n"), 0))
    return cut.start() if cut else len(text)


def _before_table(text: str) -> int:
    last = text.rfind("\n") + 1
    head = text.rfind("\n", 0, max(last - 1, 0)) + 1
    above = text.rfind("\n", 0, max(head - 1, 0)) + 1
    is_second = last > 0 and text[head:last].lstrip().startswith("|")
    if is_second and "|" not in text[above:head]:
        return head if _DELIMITERS.fullmatch(text, last) else len(text)
    is_first = text[last:].lstrip().startswith("|") and "|" not in text[head:last]
    return last if is_first else len(text)


def _close(text: str) -> str:
    text = _MARKERS.sub("", text)
    paragraph = text[text.rfind("\n\n") + 1 :]
    if paragraph.count("`") % 2:
        text = text[:-1] if text.endswith("`") else f"{text}`"
    bold = _BOLD.findall(_NOT_EMPHASIS.sub("", text[text.rfind("\n\n") + 1 :]))
    return f"{text.rstrip()}**" if len(bold) % 2 else text
