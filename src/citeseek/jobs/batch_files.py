"""The files of a batch: a question in each line of one, its answer in the same line of the other.

Both are JSON Lines (https://jsonlines.org). A question is a text, or an object with the text under
its kind's name and more beside it. An answer is an object with the number of its ``line``, from 1
on, the ``command`` that answered, what was ``asked``, the ``id`` of the question if it has one, and
``result`` or ``error``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec
from msgspec import structs

from citeseek.errors import InvalidInput, reason_of

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# A question is no document.
MAX_LINE_BYTES = 1_000_000
# Standard input, by the name that it has everywhere.
STDIN = Path("-")
_CHUNK = 1 << 20


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question: its line, its text, and what else it says; or why it is none.

    ``answered`` is the answer that it has already, to be written again.
    """

    line: int
    text: str = ""
    more: Mapping[str, Any] = {}
    fault: str = ""
    answered: Answered | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, as it stands in its line."""

    line: int
    command: str
    asked: str
    id: Any = None
    result: Any = None
    error: Any = None


def count_lines(path: Path) -> int | None:
    """Return how many lines a file has, None for a pipe, which can be read once.

    Raise InvalidInput when it cannot be read.
    """
    if path == STDIN or (path.exists() and not path.is_file()):
        return None
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
                line = bytes(MAX_LINE_BYTES + 1)
            yield read_line(number, line, name)


def read_line(number: int, line: bytes, name: str) -> Asked:
    """Return the question in a line, whose text stands under ``name`` if it is an object."""
    if len(line) > MAX_LINE_BYTES:
        return Asked(line=number, fault=f"The line is longer than {MAX_LINE_BYTES:,} bytes.")
    if not line.strip():
        return Asked(line=number, fault="The line is empty.")
    try:
        value = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
    except (msgspec.DecodeError, RecursionError):
        return Asked(
            line=number, fault='The line is no JSON; a text stands in quotes: "like this".'
        )
    if isinstance(value, str):
        return Asked(line=number, text=value)
    if not isinstance(value, dict) or not isinstance(text := value.get(name), str):
        more = {"id": value["id"]} if isinstance(value, dict) and "id" in value else {}
        fault = f'A line is a text, or an object with a text under "{name}".'
        return Asked(line=number, more=more, fault=fault)
    return Asked(line=number, text=text, more={k: v for k, v in value.items() if k != name})


class Answers:
    """The file of answers at ``path``, which is gone on with where it ends; use it with ``with``.

    A line that was cut off, by a full disk or the end of the program, is written anew. With
    ``retry_failed`` lines with an error are answered again, in a new file that takes the place of
    the old one in the end. ``done`` is how many answers are there and ``failed`` how many of them
    are errors. Raise InvalidInput for a file that cannot be written to, that another command
    writes, or that is of something else.
    """

    def __init__(self, path: Path, command: str, *, retry_failed: bool = False) -> None:
        self._path, self.command = path, command
        self._before = path.parent / f"{path.name}.before"
        self._retries = retry_failed
        self.done = self.failed = 0

    def __enter__(self) -> Self:
        if self._retries and self._path.is_file() and not self._before.exists():
            self._path.rename(self._before)
        self._file = self._open()
        try:
            self._file.truncate(self._end_of_whole_lines())
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if kind is None:
            self._before.unlink(missing_ok=True)

    def skip(self, questions: Iterator[Asked]) -> Iterator[Asked]:
        """Yield the questions that have no answer yet; raise InvalidInput for those of others."""
        self._file.seek(0)
        for _ in range(self.done):
            self._check(msgspec.json.decode(self._file.readline(), type=Answered), questions)
        self._file.seek(0, 2)
        if self._before.exists():
            yield from self._without_good_ones(questions)
        yield from questions

    def write(self, answered: Answered) -> None:
        """Add an answer; it is there when this returns, whatever happens to the program."""
        self._file.write(msgspec.json.encode(answered) + b"\n")
        self._file.flush()
        self.done += 1
        self.failed += answered.error is not None

    def _without_good_ones(self, questions: Iterator[Asked]) -> Iterator[Asked]:
        """Yield the questions whose answer was an error; the others have theirs at hand."""
        with self._before.open("rb") as before:
            for number, line in enumerate(before, start=1):
                if number <= self.done:
                    continue
                answered = msgspec.json.decode(line, type=Answered)
                question = self._check(answered, questions)
                if answered.error is None:
                    yield structs.replace(question, answered=answered)
                else:
                    yield question

    def _check(self, answered: Answered, questions: Iterator[Asked]) -> Asked:
        question = next(questions, None)
        if question is None or question.text != answered.asked or answered.command != self.command:
            raise InvalidInput(
                f"{self._path} has answers to other questions: line {answered.line} was "
                f"{answered.asked!r:.60} for {answered.command}.",
                hint="Name another file with --out, or remove that one.",
                values={
                    "case": "batch_other",
                    "path": str(self._path),
                    "line": str(answered.line),
                    "asked": f"{answered.asked!r:.60}",
                    "command": answered.command,
                },
            )
        return question

    def _open(self) -> BinaryIO:
        if self._path.exists() and not self._path.is_file():
            raise InvalidInput(
                f"{self._path} cannot be written to: it is no ordinary file.",
                values={"case": "batch_device", "path": str(self._path)},
            )
        try:
            file = self._path.open("ab+")
        except OSError as error:
            raise InvalidInput(
                f"{self._path} cannot be written to: {error.strerror}.",
                values={
                    "case": "not_written",
                    "path": str(self._path),
                    **reason_of(error),
                },
            ) from None
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                raise InvalidInput(
                    f"Another command is writing to {self._path}.",
                    values={"case": "batch_busy", "path": str(self._path)},
                ) from None
        return file

    def _end_of_whole_lines(self) -> int:
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                begins = b'{"line":%d,' % (self.done + 1)
                if not (line.startswith(begins) or begins.startswith(line)):
                    raise self._foreign()
                break
            self._count(line)
            end += len(line)
        return end

    def _count(self, line: bytes) -> None:
        try:
            answered = msgspec.json.decode(line, type=Answered)
        except (msgspec.DecodeError, RecursionError):
            answered = None
        if answered is None or answered.line != self.done + 1:
            raise self._foreign()
        self.done += 1
        self.failed += answered.error is not None

    def _foreign(self) -> InvalidInput:
        return InvalidInput(
            f"{self._path} is there and is not the file of a batch.",
            hint="Name another file with --out.",
            values={"case": "batch_no_file", "path": str(self._path)},
        )


def _opened(path: Path) -> BinaryIO:
    try:
        return sys.stdin.buffer if path == STDIN else path.open("rb")
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.",
            values={"case": "not_read", "path": str(path), **reason_of(error)},
        ) from None
