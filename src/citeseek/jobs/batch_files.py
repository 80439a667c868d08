"""The files of a batch: a question in each line of one, its answer in the same line of the other.

Both are JSON Lines (https://jsonlines.org). A question is a text, or an object with the text under
its kind's name and more beside it. An answer is an object with the number of its ``line``, from 1
on, what was ``asked``, the ``id`` of the question if it has one, and ``result`` or ``error``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec

from citeseek.errors import InvalidInput

# A question is no document.
MAX_LINE_BYTES = 1_000_000
_CHUNK = 1 << 20


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question: its line, its text, and what else it says; or why it is none."""

    line: int
    text: str = ""
    more: Mapping[str, Any] = {}
    fault: str = ""


class Answered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, as it stands in its line."""

    line: int
    asked: str
    id: Any = None
    result: Any = None
    error: Any = None


def count_lines(path: Path) -> int:
    """Return how many questions a file has; raise InvalidInput when it cannot be read."""
    lines, last = 0, b"\n"
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
    return lines + (last != b"\n")


def read_asked(path: Path, name: str) -> Iterator[Asked]:
    """Yield the questions of a file, whose text stands under ``name`` in those that are objects.

    Raise InvalidInput when it cannot be read; a line that is no question has its ``fault``.
    """
    with _opened(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE_BYTES)
                yield Asked(line=number, fault=f"The line is longer than {MAX_LINE_BYTES:,} bytes.")
            else:
                yield _asked(number, line, name)


def _asked(number: int, line: bytes, name: str) -> Asked:
    try:
        value = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
    except msgspec.DecodeError as error:
        return Asked(line=number, fault=f"The line is no JSON: {error}.")
    if isinstance(value, str):
        return Asked(line=number, text=value)
    text = value.get(name) if isinstance(value, dict) else None
    if not isinstance(text, str):
        return Asked(
            line=number, fault=f'A line is a text, or an object with a text under "{name}".'
        )
    return Asked(line=number, text=text, more={k: v for k, v in value.items() if k != name})


class Answers:
    """The file of answers at ``path``, which is gone on with where it ends; use it with ``with``.

    A line that was cut off, by a full disk or the end of the program, is written anew. ``done`` is
    how many answers are there and ``failed`` how many of them are errors. Raise InvalidInput for a
    file that cannot be written to or is of something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.done = self.failed = 0

    def __enter__(self) -> Self:
        try:
            self._file: BinaryIO = self._path.open("ab+")
        except OSError as error:
            raise InvalidInput(f"{self._path} cannot be written to: {error.strerror}.") from None
        try:
            self._file.truncate(self._end_of_whole_lines())
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def skip(self, questions: Iterator[Asked]) -> Iterator[Asked]:
        """Yield the questions that have no answer yet; raise InvalidInput for those of others."""
        self._file.seek(0)
        for _ in range(self.done):
            answered = msgspec.json.decode(self._file.readline(), type=Answered)
            question = next(questions, None)
            if question is None or question.text != answered.asked:
                raise InvalidInput(
                    f"{self._path} has answers to other questions: line {answered.line} was "
                    f"{answered.asked!r:.60}.",
                    hint="Name another file with --out, or remove that one.",
                )
        self._file.seek(0, 2)
        yield from questions

    def write(self, answered: Answered) -> None:
        """Add an answer; it is there when this returns, whatever happens to the program."""
        self._file.write(msgspec.json.encode(answered) + b"\n")
        self._file.flush()
        self.done += 1
        self.failed += answered.error is not None

    def _end_of_whole_lines(self) -> int:
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            self._count(line)
            end += len(line)
        return end

    def _count(self, line: bytes) -> None:
        try:
            answered = msgspec.json.decode(line, type=Answered)
        except msgspec.DecodeError:
            answered = None
        if answered is None or answered.line != self.done + 1:
            raise InvalidInput(
                f"{self._path} is there and is not the file of a batch.",
                hint="Name another file with --out.",
            )
        self.done += 1
        self.failed += answered.error is not None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
