"""The sentences of an answer, each with its claims, also of one that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from citeseek.citations.blocks import place
from citeseek.citations.lines import Context, Line, ListItem, Mode, line_bounds
from citeseek.citations.marks import MARK, MARK_CUT
from citeseek.citations.opaque import opaque_spans
from citeseek.text import sentences
from citeseek.verification.claims import (
    LATE,
    MARK_SIGN,
    WRAPPED,
    Claim,
    claims,
    find_marks,
)

_CELL = re.compile(r"(?:\\.|[^|\\])+")


class AnswerSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of an answer that ends with a sentence, a heading or a row, letter by letter.

    ``before`` is what it is read with: the sentence that a list goes on with, and the sign of the
    list. ``cites`` are the numbers in its marks, the first of which has the place ``first`` among
    all numbers of the answer. ``head`` are its first letters that are no text: the sign of a list,
    of a heading or of a quotation. One that is not ``is_whole`` was too long to wait for its end.
    """

    text: str
    before: str = ""
    cites: tuple[int, ...] = ()
    first: int = 0
    head: int = 0
    is_row: bool = False
    is_whole: bool = True

    @property
    def body(self) -> str:
        """The text without its head and the space around it."""
        return self.text[self.head :].strip()

    def claims(self) -> list[Claim]:
        """Return what it says of its sources."""
        earlier = sum(len(mark.numbers) for mark in find_marks(self.before))
        return [
            msgspec.structs.replace(
                claim,
                places=tuple(at - earlier + self.first for at in claim.places),
                parts={at - earlier + self.first: one for at, one in claim.parts.items()},
            )
            for claim in claims(self.before + self.text)
            if claim.places[0] >= earlier
        ]

    def with_body(self, body: str) -> AnswerSentence:
        """Return the same with another ``body``."""
        told = self.text[self.head :]
        tail = told[len(told.rstrip()) :]
        begin = self.head + len(told) - len(told.lstrip())
        text = f"{self.text[:begin]}{body}{tail}"
        return msgspec.structs.replace(self, text=text, cites=numbers_of(text))

    def struck(self) -> AnswerSentence:
        """Return it struck through, in a row each cell."""
        if self.is_row:
            return msgspec.structs.replace(self, text=_CELL.sub(_strike_cell, self.text))
        found = self.with_body(_strike(self.body))
        if found.text[-1:].isspace():
            return found
        # A letter right behind it would keep the sign from closing.
        return msgspec.structs.replace(found, text=f"{found.text} ")


def numbers_of(text: str) -> tuple[int, ...]:
    """Return the numbers in the marks of ``text``, in order."""
    return tuple(number for mark in find_marks(text) for number in mark.numbers)


def _strike(text: str) -> str:
    return f"~~{text.replace('~~', '')}~~"


def _strike_cell(cell: re.Match[str]) -> str:
    text = cell[0].strip()
    return cell[0].replace(text, _strike(text)) if text else cell[0]


# What is longer and has no end is no sentence: it is not waited for.
_LONGEST = 2_000
# Emphasis or a link that is open for longer is none.
_LONGEST_SPAN = 300
# Without one of these no sentence and no line ends; a full stop needs something behind it.
_END = re.compile(r"[。！？!?.…\n\r]")
_MAY_END = re.compile(r"[。！？!?]|[.…]+[^\w\s]*[\s\[［【]")
# What is longer and has no end yet is looked at again when it has grown by one of so many parts.
_SHORT, _PARTS = 256, 16
_EMPHASIS = re.compile(r"(?<!\\)(?:(?<!\s)\*{1,3}+|\*{1,3}+(?!\s)|~~|(?<!\w)_{1,3}|_{1,3}(?!\w))")
_BRACKETS = re.compile(r"\[[^\[\]]*(?:\](?:\([^()\s]*\))?)?")
_WRAPPED_CUT = re.compile(
    rf"(?:[(（]\s*+(?:[a-z.]{{2,7}}:?|参?见|来源[:：]?)?+\s*+|\^)(?:(?:{MARK.pattern})\s*+)*+",
    MARK.flags,
)
_SPACE = re.compile(r"\s*")
_EMPHASIZED = re.compile(r"[*_~\s]*")
# So much of the text may wait for what comes behind its full stop.
_TAIL = 8
_FLOWING = (Mode.PARAGRAPH, Mode.CONTINUATION)
_DISPLAYED = ("$$", "\\[")
_LINE_ENDS = ("\n", "\r")
_QUOTED = re.compile(r"[\s>]*")


class SentenceStream:
    """Takes an answer apart while it arrives; the pieces given out, joined, are the answer.

    Code and whatever else has no sentences is given out as it comes. No piece ends inside of code,
    a formula, a link or emphasis. At most 2,000 characters wait for the end of their sentence.
    """

    def __init__(self) -> None:
        self._text = ""  # what was not given out
        # Where in it the line goes on that is read, how that is read, and between what it stands.
        self._at = 0
        self._mode: Mode | None = None
        self._context = self._following = Context()
        self._head = 0  # of the first piece of the block
        self._is_item = self._is_begun = self._is_at_line_start = False
        self._lead = ""  # the last sentence that stands in no list
        self._numbers = 0
        # Whether whatever comes decides what is there, and how long it has to be for a look.
        self._waits = False
        self._due = 0

    @property
    def held(self) -> str:
        """What was not given out yet."""
        return self._text

    def feed(self, text: str) -> Iterator[AnswerSentence]:
        """Take the next piece of the answer and yield what is whole now."""
        self._text += text
        self._waits |= _END.search(text) is not None
        is_due = "\n" in text or (self._waits and len(self._text) >= self._due)
        if self._mode in _FLOWING and not is_due and len(self._text) < _LONGEST:
            return
        yield from self._look(final=False)

    def finish(self) -> Iterator[AnswerSentence]:
        """Yield the rest of the answer, after which nothing may come."""
        yield from self._look(final=True)

    def _look(self, *, final: bool) -> Iterator[AnswerSentence]:
        while True:
            if self._mode is None:
                if self._at == len(self._text):
                    break
                line = place(self._context, self._text, self._at, final=final)
                if line is None:
                    break
                yield from self._begin_line(line)
            chars = len(self._text)
            stop, following = line_bounds(self._text, self._at, final=final)
            yield from self._read(stop, following)
            if following is None:
                break
            self._at = following - (chars - len(self._text))
            self._mode, self._context = None, self._following
        if final:
            yield from self._cut(len(self._text), closed=True)
        elif len(self._text) > _LONGEST:
            yield self._give(len(self._text), is_whole=False)
            self._mode = self._mode or Mode.VERBATIM
        chars = len(self._text)
        self._waits = _END.search(self._text[-_TAIL:]) is not None
        self._due = chars + chars // _PARTS if chars > _SHORT else chars

    def _begin_line(self, line: Line) -> Iterator[AnswerSentence]:
        if line.mode is not Mode.CONTINUATION:
            head = line.content - self._at
            yield from self._cut(self._at, closed=True)
            self._head, self._is_begun = head, False
            self._is_item = any(isinstance(each, ListItem) for each in line.after.containers)
        self._mode, self._following = line.mode, line.after

    def _read(self, stop: int, following: int | None) -> Iterator[AnswerSentence]:
        """Give out what is whole of the line that ends at ``stop``, if ``following`` is there."""
        if self._mode in _FLOWING:
            yield from self._cut(stop, closed=False)
        elif self._mode is Mode.VERBATIM:
            if end := stop if following is None else following:
                yield self._give(end, is_text=False)
        elif following is not None:
            yield self._give(following, is_row=self._mode is Mode.ROW)

    def _cut(self, stop: int, *, closed: bool) -> Iterator[AnswerSentence]:
        """Give out the sentences before ``stop``, all of it when the paragraph is ``closed``."""
        at = 0
        for end in _ends(self._text[:stop], closed=closed):
            yield self._give(end - at)
            at = end
        if closed and at < stop:
            yield self._give(stop - at)

    def _give(
        self, chars: int, *, is_text: bool = True, is_row: bool = False, is_whole: bool = True
    ) -> AnswerSentence:
        text, self._text = self._text[:chars], self._text[chars:]
        self._at = max(self._at - chars, 0)
        if not is_text:
            return AnswerSentence(text=text)
        head, before = self._head, ""
        if self._is_begun:
            quoted = _QUOTED.match(text)
            head = quoted.end() if quoted and self._is_at_line_start else 0
        if self._is_item:
            before = f"{self._lead}\n\n{'- ' if self._is_begun else ''}"
        else:
            self._lead = text
        cites = numbers_of(text)
        self._numbers += len(cites)
        self._is_begun, self._is_at_line_start = True, text.endswith(("\n", "\r"))
        return AnswerSentence(
            text=text,
            before=before,
            cites=cites,
            first=self._numbers - len(cites),
            head=head,
            is_row=is_row,
            is_whole=is_whole,
        )


def _ends(text: str, *, closed: bool) -> Iterator[int]:
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
