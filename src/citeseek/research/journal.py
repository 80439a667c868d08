"""What a run has learned so far, on disk: a run that was cut off goes on where it was.

A journal is a file of JSON lines. The first names the inquiry, each further one an answer: whose,
to what, when, and what it was. Failures are not kept, so that they are tried again. Who keeps the
answers elsewhere, as in a database, gives what keeps one.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from msgspec import to_builtins

from citeseek.errors import InvalidInput, reason_of
from citeseek.research.inquiry import Inquiry

# Keeps an answer, with whose it is and when it came, before it returns.
Keep = Callable[[Mapping[str, Any]], Awaitable[None]]

VERSION = 1
# How every journal begins.
_TITLE = b'{"journal": '


class Journal:
    """What was answered so far.

    ``keep`` keeps each further answer for a later run; without it they are in memory alone.
    """

    def __init__(self, keep: Keep | None = None) -> None:
        self._keep = keep
        self._answers: dict[str, Any] = {}
        self._since: str | None = None
        # The keys of an earlier run's answers, and of those that were taken over.
        self._earlier: set[str] = set()
        self._resumed: set[str] = set()

    @classmethod
    def of(cls, path: Path, inquiry: Inquiry, *, fresh: bool = False) -> Self:
        """Return the journal in ``path``, begun for ``inquiry`` unless it was before.

        With ``fresh`` what an earlier run wrote there is forgotten, also that of another inquiry.
        Lines that were cut off or damaged are dropped. Raise InvalidInput when the file belongs to
        another inquiry, is none of ours, or cannot be read or written.
        """

        async def keep(line: Mapping[str, Any]) -> None:
            with path.open("ab") as file:
                file.write(_line(line).encode())

        journal = cls(keep)
        title = {"journal": VERSION, "inquiry": to_builtins(inquiry)}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes() if path.exists() else b""
            if fresh and is_journal(path):
                content = b""
            read_title, answers = _read(content)
            if read_title not in (None, title):
                raise InvalidInput(
                    f"{path} belongs to another report: {_question(read_title)!r:.80}.",
                    hint="Name another folder, or delete this one.",
                    values={
                        "case": "run_folder_other_report",
                        "path": str(path),
                        "question": f"{_question(read_title)!r:.80}",
                    },
                )
            if answers:
                changed = path.stat().st_mtime
                journal._go_on(answers, min(_day(line, changed) for line in answers))
            # Without the line that was cut off, whose end would spoil the next one.
            whole = "".join(map(_line, [title, *answers])).encode()
            if whole != content:
                path.write_bytes(whole)
        except OSError as reason:
            raise InvalidInput(
                f"{path} cannot be used ({reason.strerror}).",
                hint="Name another folder with --out.",
                values={
                    "case": "run_folder_unusable",
                    "path": str(path),
                    **reason_of(reason),
                },
            ) from None
        except (TypeError, KeyError):
            raise InvalidInput(
                f"{path} is not the journal of a report.",
                hint="Name another folder.",
                values={"case": "run_folder_no_journal", "path": str(path)},
            ) from None
        return journal

    @classmethod
    def going_on(cls, lines: Iterable[Mapping[str, Any]], keep: Keep) -> Self:
        """Return the journal with what ``keep`` was given in earlier runs; others are left out."""
        journal = cls(keep)
        if answers := [line for line in lines if _is_answer(line)]:
            journal._go_on(answers, min(_day(line, 0.0) for line in answers))
        return journal

    def _go_on(self, answers: Iterable[Mapping[str, Any]], since: str) -> None:
        self._answers = {line["of"]: line["answer"] for line in answers}
        self._earlier = set(self._answers)
        self._since = since

    @property
    def count(self) -> int:
        """The number of answers."""
        return len(self._answers)

    @property
    def since(self) -> str | None:
        """The day of the oldest answer of an earlier run (2026-01-31, UTC), None without any."""
        return self._since

    @property
    def resumed(self) -> int:
        """The number of answers of an earlier run that were taken over."""
        return len(self._resumed)

    def get(self, key: str) -> Any:
        """Return the answer that was kept under ``key``, or None."""
        return self._answers.get(key)

    def take_over(self, key: str) -> None:
        """Count the answer under ``key`` as taken over, if it is of an earlier run."""
        self._resumed |= self._earlier & {key}

    async def put(self, key: str, answer: Any) -> None:
        """Keep ``answer``, where it stays before this returns."""
        self._answers[key] = answer
        self._earlier.discard(key)
        if self._keep is not None:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            await self._keep({"of": key, "at": at, "answer": answer})


def is_journal(path: Path) -> bool:
    """Return whether ``path`` is a journal that was begun; raise OSError if it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            title = json.loads(file.readline())
    except (FileNotFoundError, ValueError, RecursionError):
        return False
    return isinstance(title, dict) and "journal" in title and "inquiry" in title


def _read(content: bytes) -> tuple[Any, list[dict[str, Any]]]:
    """Return the title and the answers in ``content``, without the lines that are damaged.

    The title is None where it was not written to its end. Raise TypeError for another file.
    """
    if not content.count(b"\n") and _TITLE.startswith(content[: len(_TITLE)]):
        title = _parse(content)
        return title, []
    first, *lines = content.split(b"\n")
    title = _parse(first)
    if not isinstance(title, dict):
        raise TypeError
    return title, [line for line in map(_parse, lines) if _is_answer(line)]


def _parse(line: bytes) -> Any:
    try:
        # Strictly: a letter that is damaged would be quoted as the page's own.
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None


def _is_answer(line: Any) -> bool:
    return isinstance(line, dict) and isinstance(line.get("of"), str) and "answer" in line


def _day(answer: Mapping[str, Any], usual: float) -> str:
    """Return the day of ``answer``; where it is not written, that of the time ``usual``."""
    try:
        at = datetime.fromisoformat(answer["at"])
    except (KeyError, TypeError, ValueError):
        at = datetime.fromtimestamp(usual, UTC)
    return at.date().isoformat()


def _question(title: Any) -> str:
    return str(title["inquiry"]["question"])


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
