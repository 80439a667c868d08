"""Where the marks of chat templates stand in a text, whole or cut off."""

from __future__ import annotations

import re

from citeseek.language_model.streaming.templates import ENDS, NOISE, TEMPLATES, WRAPPERS

OPENINGS = {template.opening.lower(): template for template in TEMPLATES}
ENDS_OF_THINKING = {
    mark.lower() for each in TEMPLATES if each.kind == "thinking" for mark in each.closing
}
ENDS_OF_MESSAGES = {mark.lower() for mark in ENDS}
WRAPPINGS = {f"<{name}>": f"</{name}>" for name in WRAPPERS}
_CLOSINGS = {mark.lower() for each in TEMPLATES for mark in each.closing}
_NAMED_MARKS = {
    *OPENINGS,
    *ENDS_OF_MESSAGES,
    *map(str.lower, NOISE),
    *WRAPPINGS,
    *WRAPPINGS.values(),
}
# A fence is no mark but where it ends a call.
_MARKS = sorted({*_NAMED_MARKS, *_CLOSINGS} - {"```"}, key=len, reverse=True)
MARK = re.compile("|".join(map(re.escape, _MARKS)), re.IGNORECASE)
_BEGINNINGS = {mark[:size] for mark in _MARKS for size in range(1, len(mark))}
_LONGEST = max(map(len, _MARKS))
_FIRST = re.compile(f"[{re.escape(''.join({mark[0] for mark in _MARKS}))}]")
ENDS_OF_CALLS = {
    opening: re.compile(
        "|".join(map(re.escape, (template.opening, *template.closing))), re.IGNORECASE
    )
    for opening, template in OPENINGS.items()
    if template.kind == "call"
}


def begun_mark(text: str, at: int) -> int:
    """Return where a mark may begin that is cut off, the end of ``text`` when none does."""
    window = max(at, len(text) - _LONGEST + 1)
    places = (first.start() for first in _FIRST.finditer(text, window))
    return next((place for place in places if text[place:].lower() in _BEGINNINGS), len(text))
