"""Where a text mentions what was searched for, and the words around it."""

from __future__ import annotations

import re

import msgspec

from citeseek.text import ELLIPSIS, may_cut, plain_line

# At most so many characters are shown around a mention.
_BEFORE_CHARS = 24
_BEHIND_CHARS = 60
# What of Markdown is not seen as it is written.
_MARKUP = re.compile(r"\*\*|~~|`+|^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+", re.MULTILINE)
# Scripts and punctuation that do without spaces; a word of Katakana is of one piece.
_UNSPACED = re.compile(
    r"[\u2e80-\u309f\u3400-\u9fff\uf900-\ufaff\uff00-\uff65\U00020000-\U0003ffff]"
)


class Mention(msgspec.Struct, frozen=True):
    """What was searched for as it stands in a text, on one line with the words around it."""

    before: str
    match: str
    behind: str

    @property
    def text(self) -> str:
        """All of it."""
        return self.before + self.match + self.behind


def mention_of(text: str) -> re.Pattern[str]:
    """Return what finds ``text`` whatever the size of its letters."""
    return re.compile(re.escape(text), re.IGNORECASE)


def find_mention(text: re.Pattern[str], said: str, *, whole: bool = False) -> Mention | None:
    """Return where ``said`` first mentions ``text``, None where it does not.

    It begins and ends with a word; of one that is longer than what is shown there is a part. The
    ``whole`` of ``said`` is shown where that is wanted.
    """
    if (place := text.search(said)) is None:
        return None
    first, end = place.span()
    start = 0 if whole else _start(said, max(first - _BEFORE_CHARS, 0), first)
    stop = len(said) if whole else _stop(said, end, min(end + _BEHIND_CHARS, len(said)))
    # The signs at the ends keep the spaces beside the match.
    before = plain_line(f".{said[start:first]}.")[1:-1].lstrip()
    behind = plain_line(f".{said[end:stop]}.")[1:-1].rstrip()
    return Mention(
        f"{ELLIPSIS if start else ''}{before}",
        plain_line(place[0]),
        f"{behind}{ELLIPSIS if stop < len(said) else ''}",
    )


def find_in_markdown(text: re.Pattern[str], said: str) -> Mention | None:
    """Return the same of an answer, as a reader sees it; what is mentioned may be its markup."""
    return find_mention(text, _MARKUP.sub("", said)) or find_mention(text, said)


def _start(said: str, least: int, first: int) -> int:
    for at in range(least, first + 1):
        if _is_edge(said, at):
            return at
    return _whole_sign(said, least)


def _stop(said: str, end: int, most: int) -> int:
    for at in range(most, end - 1, -1):
        if _is_edge(said, at):
            return at
    return _whole_sign(said, most)


def _is_edge(said: str, at: int) -> bool:
    """Whether a word may begin or end at ``at``."""
    if at in (0, len(said)):
        return True
    before, after = said[at - 1], said[at]
    if before.isspace() or after.isspace():
        return True
    is_unspaced = _UNSPACED.match(before) or _UNSPACED.match(after)
    return is_unspaced is not None and may_cut(said, at)


def _whole_sign(said: str, at: int) -> int:
    while not may_cut(said, at):
        at -= 1
    return at
