"""A batch that outlives the request for it: its questions in parts, and how it stands."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from citeseek.conversations.tables import OPEN_STATES
from citeseek.jobs.batch_answering import Command
from citeseek.jobs.batch_files import Answered, Asked

# ``loading`` while its lines arrive: nobody sees it yet.
BatchState: TypeAlias = Literal["loading", "queued", "running", "finished", "cancelled"]
# Lines that are answered by one worker and kept at one time. What is lost with a worker is a part,
# and a report takes as long as fifty searches.
PART_LINES: Mapping[Command, int] = {"search": 50, "ask": 10, "fetch": 10, "research": 1}
AT_ONCE, MAX_AT_ONCE = 4, 16
# One whose workers end so often is not begun again.
MAX_LOST = 5
# What took no time that a clock shows, took as long.
_LEAST_SECONDS = 1e-3


class BatchOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is to be done with each line, ``at_once`` of a part side by side.

    ``usual`` holds for lines that do not say otherwise; its values are fit for JSON.
    """

    command: Command
    usual: Mapping[str, Any] = {}
    at_once: int = AT_ONCE


class BatchJob(msgspec.Struct, frozen=True, kw_only=True):
    """How a batch stands: ``done`` of ``total`` lines, of which ``failed`` have an error.

    ``recent`` lines were answered in ``window`` seconds: of late, or of one that has ended all.
    Times are seconds since 1970.
    """

    id: str
    state: BatchState
    created_at: float
    updated_at: float
    order: BatchOrder
    total: int
    done: int
    failed: int
    parts: int
    recent: int = 0
    window: float = 0.0

    @property
    def place(self) -> tuple[float, str]:
        """Where it stands in the list of batches."""
        return self.created_at, self.id

    @property
    def is_open(self) -> bool:
        """Whether lines are still to be answered."""
        return self.state in ("loading", *OPEN_STATES)

    @property
    def rate(self) -> float:
        """Lines a second of late, or in all when it has ended; 0 before the first part is done."""
        return self.recent / max(self.window, _LEAST_SECONDS)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at this rate, None where that is not known or nothing is left."""
        return (self.total - self.done) / self.rate if self.is_open and self.rate else None


class PartLeave(msgspec.Struct, frozen=True, kw_only=True):
    """Leave to answer a part, which the next attempt takes away.

    ``number`` is the fencing token: what comes with an earlier one is refused. ``person`` is the
    name of whoever gave the batch. With ``is_given_up`` its workers were lost too often: no line of
    it is asked any more.
    """

    batch_id: str
    person: str
    part: int
    number: int
    order: BatchOrder
    asked: Sequence[Asked]
    is_given_up: bool = False


class PartAnswers:
    """The answers to a part, in the order of its lines; ``failed`` of them are errors."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.failed = 0
        self._lines = bytearray()

    def write(self, answered: Answered) -> None:
        """Add an answer."""
        self._lines += msgspec.json.encode(answered) + b"\n"
        self.failed += answered.error is not None

    def pack(self) -> bytes:
        """Return them as they are kept."""
        return zlib.compress(self._lines, level=1)


def pack_questions(asked: Iterable[Asked]) -> bytes:
    """Return the questions of a part as they are kept."""
    return zlib.compress(msgspec.json.encode(list(asked)), level=1)


def unpack_questions(packed: bytes) -> list[Asked]:
    """Return the questions of a part."""
    return msgspec.json.decode(zlib.decompress(packed), type=list[Asked])


def unpack_answers(packed: bytes) -> bytes:
    """Return the lines of a part."""
    return zlib.decompress(packed)
