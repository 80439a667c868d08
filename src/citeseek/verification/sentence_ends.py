"""Where the sentences of an answer in Markdown end, also of one that goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeseek.citations.marks import MARK, MARK_CUT
from citeseek.citations.opaque import opaque_spans
from citeseek.text import sentences
from citeseek.verification.claims import LATE, MARK_SIGN, WRAPPED, find_marks

# Emphasis or a link that is open for longer is none.
_LONGEST_SPAN = 300
# A full stop needs something behind it.
_MAY_END = re.compile(r"[。！？!?]|[.…]+[^\w\s]*[\s\[［【]")
_EMPHASIS = re.compile(r"(?<!\\)(?:(?<!\s)\*{1,3}+|\*{1,3}+(?!\s)|~~|(?<!\w)_{1,3}|_{1,3}(?!\w))")
_BRACKETS = re.compile(r"\[[^\[\]]*(?:\](?:\([^()\s]*\))?)?")
_WRAPPED_CUT = re.compile(
    rf"(?:[(（]\s*+(?:[a-z.]{{2,7}}:?|参?见|来源[:：]?)?+\s*+|\^)(?:(?:{MARK.pattern})\s*+)*+",
    MARK.flags,
)
_SPACE = re.compile(r"\s*")
_EMPHASIZED = re.compile(r"[*_~\s]*")
_DISPLAYED = ("$$", "\\[")
_LINE_ENDS = ("\n", "\r")


def find_ends(text: str, *, closed: bool) -> Iterator[int]:
    """Yield where the sentences of a paragraph end, with the space behind them.

    Of one that is not ``closed`` only those are told that no further text can change.
    """
    if not closed and not _MAY_END.search(text):
        return
    masked, spans = _mask(text, closed=closed)
    moved = LATE.sub(r"\2\1", masked)
    at, stop = 0, len(moved.rstrip())
    for sentence in sentences(moved):
        at = moved.index(sentence, at) + len(sentence)
        space = _SPACE.match(text, at)
        end = space.end() if space else at
        behind = _EMPHASIZED.match(text, end)
        # What stands last may go on, and a mark that comes may belong to what stands before it.
        is_open = at == stop or (
            behind and (behind.end() == len(text) or _may_be_mark(text, behind.end()))
        )
        if is_open and not closed:
            return
        if not any(begin < at < until for begin, until in spans):
            yield end


def _may_be_mark(text: str, at: int) -> bool:
    """Whether what stands at ``at``, the end of ``text``, may become a mark, or one in brackets."""
    opened = _WRAPPED_CUT.match(text, at)
    return any(MARK_CUT.match(text, begin) for begin in (at, opened.end() if opened else at)) or (
        opened is not None and opened.end() == len(text)
    )


def _hide_marks(text: str, letters: list[str]) -> None:
    """Put the sign of a mark in the place of each letter of the marks, and of brackets around."""
    spans = [(mark.start, mark.end) for mark in find_marks(text)]
    for start, end in spans:
        letters[start:end] = MARK_SIGN * (end - start)
    for wrapped in WRAPPED.finditer("".join(letters)) if spans else ():
        start, end = wrapped.span()
        letters[start:end] = MARK_SIGN * (end - start)


def _mask(text: str, *, closed: bool) -> tuple[str, list[tuple[int, int]]]:
    """Return ``text`` as long as it is but without Markdown, and the spans that are not cut."""
    letters = list(text.replace(MARK_SIGN, "X").replace("\n", " ").replace("\r", " "))
    spans = []
    for begin, stop in opaque_spans(text, closed=closed):
        letters[begin:stop] = "X" * (stop - begin)
        spans.append((begin, min(stop, begin + _LONGEST_SPAN)))
        if text.startswith(_DISPLAYED, begin) and text[stop : stop + 1] in _LINE_ENDS:
            # A formula on lines of its own is a sentence of its own.
            letters[stop - 1] = "。"
            if text[max(begin - 1, 0)] in _LINE_ENDS:
                letters[begin - 1] = "。"
    _hide_marks(text, letters)
    opened: dict[str, int] = {}
    for sign in _EMPHASIS.finditer("".join(letters)):
        begun = opened.pop(sign[0], None)
        # Before a sentence stands a space, behind its full stop what closes.
        letters[sign.start() : sign.end()] = (" " if begun is None else '"') * len(sign[0])
        if begun is None:
            opened[sign[0]] = sign.start()
        else:
            spans.append((begun, sign.end()))
    for link in _BRACKETS.finditer("".join(letters)):
        letters[link.start()] = " "
        if "]" in link[0]:
            spans.append(link.span())
            after = link.start() + link[0].index("]")
            letters[after : link.end()] = "X" * (link.end() - after)
        else:
            opened["["] = link.start()
    if not closed:
        spans += ((begin, begin + _LONGEST_SPAN) for begin in opened.values())
    return "".join(letters), spans
