"""A sentence of an answer where it stands: its claims, and how it looks struck through."""

from __future__ import annotations

import re

import msgspec

from citeseek.verification.claims import Claim, claims, find_marks

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
                claim, places=tuple(at - earlier + self.first for at in claim.places)
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
