"""``--batch … --spread``: a file of questions answered by the workers at the database."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from citeseek.errors import InvalidInput, NoBatch
from citeseek.surfaces.cli.output import settings_of

if TYPE_CHECKING:
    from citeseek.jobs.batch_files import Answers, Asked
    from citeseek.jobs.batch_job import BatchJob, BatchOrder
    from citeseek.jobs.batches import Batches


async def spread(
    questions: Iterator[Asked],
    answers: Answers,
    options: argparse.Namespace,
    usual: Mapping[str, Any],
    told: Callable[[int, int], None],
) -> None:
    """Give ``questions`` to the workers, wait for them, and write what they answered.

    Which batch it is stands in a file beside that of the answers, until it is written: the same
    command follows it again. ``told`` hears how many are done, and how many failed.
    """
    from citeseek.assistant.assistant import Assistant  # noqa: PLC0415 - when run
    from citeseek.conversations.store import Nowhere, open_store  # noqa: PLC0415 - when run
    from citeseek.jobs.batches import open_batches  # noqa: PLC0415 - with the extra

    settings = settings_of(options)
    if not settings.database_url:
        raise InvalidInput(
            "--spread has workers at a Postgres answer, and none is set.",
            hint="Set CITESEEK_DATABASE_URL, or leave --spread out.",
            values={"case": "spread_without_database"},
        )
    note = _Note(options.out.parent / f"{options.out.name}.batch", options.batch)
    store = open_store(settings)
    async with Assistant(lambda: settings, store=Nowhere()) as assistant:
        batches = open_batches(settings, store, assistant)
        try:
            job = await _find(batches, note)
            if job is None:
                first = next(questions, None)
                if first is None:
                    return
                order = _order(answers.command, options, usual)
                job = await batches.give(order, _each(first, questions))
                note.write(job.id)
            async with aclosing(batches.follow(job.id)) as jobs:
                async for now in jobs:
                    job = now
                    told(now.done, now.failed)
            async with aclosing(batches.answers(job)) as parts:
                async for part in parts:
                    _write(part, answers)
            note.forget()
            await batches.forget(job.id)
            if job.state == "cancelled":
                raise InvalidInput(
                    f"The batch {job.id} was cancelled: {job.done:,} of {job.total:,} lines have "
                    "an answer.",
                    hint="The same command asks for the rest.",
                    values={
                        "case": "batch_cancelled",
                        "id": job.id,
                        "done": f"{job.done:,}",
                        "total": f"{job.total:,}",
                    },
                )
        finally:
            await batches.close()
            await store.close()


class _Note:
    """The file that says which batch answers ``questions``, until its answers are written."""

    def __init__(self, path: Path, questions: Path) -> None:
        self._path = path
        self._digest = _digest(questions)

    def read(self) -> str:
        """Return the batch, empty for none; raise InvalidInput for that of other questions."""
        try:
            id_, _, digest = self._path.read_text(encoding="ascii").strip().partition(" ")
        except OSError:
            return ""
        if digest != self._digest:
            raise InvalidInput(
                f"Workers answer other questions for this --out: {self._path} names their batch.",
                hint="Name another file with --out, or remove that one.",
                values={"case": "spread_other", "path": str(self._path)},
            )
        return id_

    def write(self, batch_id: str) -> None:
        """Note the batch."""
        self._path.write_text(f"{batch_id} {self._digest}\n", encoding="ascii")

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)


def _digest(questions: Path) -> str:
    """Return what tells a file of questions from another; a pipe can be read once."""
    if not questions.is_file():
        return ""
    with questions.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def _find(batches: Batches, note: _Note) -> BatchJob | None:
    """Return the batch that an earlier command gave, None when there is none."""
    if not (batch_id := note.read()):
        return None
    try:
        return await batches.get(batch_id)
    except NoBatch:
        return None


def _order(command: str, options: argparse.Namespace, usual: Mapping[str, Any]) -> BatchOrder:
    from citeseek.jobs.batch_job import AT_ONCE, MAX_AT_ONCE, BatchOrder  # noqa: PLC0415 - when run

    at_once = min(options.at_once or AT_ONCE, MAX_AT_ONCE)
    given = {name: value for name, value in usual.items() if value is not None}
    return msgspec.convert(
        {"command": command, "usual": msgspec.to_builtins(given), "at_once": at_once}, BatchOrder
    )


async def _each(first: Asked, rest: Iterator[Asked]) -> AsyncIterator[Asked]:
    yield first
    for asked in rest:
        yield asked


def _write(part: bytes, answers: Answers) -> None:
    """Add the answers of a part but for those that an earlier command has written."""
    from citeseek.jobs.batch_files import Answered  # noqa: PLC0415 - when run

    for line in part.splitlines():
        answered = msgspec.json.decode(line, type=Answered)
        if answered.line > answers.done:
            answers.write(answered)
