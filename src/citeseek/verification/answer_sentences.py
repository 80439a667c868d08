"""The sentences of an answer, each with its claims, also of one that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from citeseek.citations.blocks import place
from citeseek.citations.lines import Context, Line, ListItem, Mode, line_bounds
from citeseek.verification.claims import Claim, claims, find_marks
from citeseek.verification.sentence_ends import find_ends

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
# Without one of these no sentence and no line ends.
_END = re.compile(r"[。！？!?.…\n\r]")
# What is longer and has no end yet is looked at again when it has grown by one of so many parts.
_SHORT, _PARTS = 256, 16
# So much of the text may wait for what comes behind its full stop.
_TAIL = 8
_FLOWING = (Mode.PARAGRAPH, Mode.CONTINUATION)
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
        for end in find_ends(self._text[:stop], closed=closed):
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
