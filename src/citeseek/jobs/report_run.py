"""Writing a report that was asked for earlier, from its journal to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from citeseek import observing
from citeseek.assistant.report_writer import writer_of
from citeseek.client import Client
from citeseek.concurrency.background import finish
from citeseek.conversations.store import Store
from citeseek.errors import CiteseekError, NoConversation, WebProviderError
from citeseek.fetching.own_file import OwnFile
from citeseek.jobs.report_job import Attempt, TakenOver
from citeseek.jobs.report_store import ReportStore
from citeseek.observing.operation import Watcher
from citeseek.person import Person, acting_as
from citeseek.research import Journal, Progress, RunError, RunResult, research

log = logging.getLogger(__name__)


class ReportRunner:
    """Writes the reports of ``store``; ``conversations`` have their files.

    ``current`` gives the client for the settings as they are when one begins.

    Each of ``watchers`` is told of what is done.
    """

    def __init__(
        self,
        store: ReportStore,
        current: Callable[[], Client],
        conversations: Store,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        self._store = store
        self._current = current
        self._conversations = conversations
        self._watchers = watchers

    async def run(self, report_id: str, owner: str = "") -> None:
        """Write a report of ``owner`` to its end, unless it has ended.

        What an earlier attempt has learnt is not asked again. Whoever is cancelled hands it back.
        Raise TakenOver when somebody else goes on with it, or it was cancelled; Busy and
        CiteseekError of the database, after which it may be run again.
        """
        if attempt := await self._store.begin(report_id, owner):
            try:
                watching = observing.watching(*self._watchers) if self._watchers else nullcontext()
                with acting_as(Person(attempt.person, "member")), watching:
                    await _Run(self._store, attempt).run(self._current, self._conversations)
            except asyncio.CancelledError:
                await finish(self._hand_back(attempt))
                raise

    async def _hand_back(self, attempt: Attempt) -> None:
        with suppress(TakenOver, CiteseekError):
            await self._store.hand_back(attempt)


class _Run:
    """One attempt: what it learns is kept before it goes on, and what it says is told to all."""

    def __init__(self, store: ReportStore, attempt: Attempt) -> None:
        self._store = store
        self._attempt = attempt
        self._said: asyncio.Queue[Progress | None] = asyncio.Queue()
        self._failure: TakenOver | CiteseekError | None = None
        self._work: asyncio.Task[RunResult] | None = None

    async def run(self, current: Callable[[], Client], conversations: Store) -> None:
        files = await self._load_files(conversations)
        telling = asyncio.create_task(self._tell())
        self._work = asyncio.create_task(self._research(current, files))
        result, error = None, None
        try:
            result = await self._work
        except asyncio.CancelledError:
            if self._failure is None:
                raise
        except CiteseekError as failed:
            error = RunError.of(failed, "")
        except Exception as failed:
            log.exception("the report %s failed", self._attempt.report_id)
            broke = WebProviderError(
                f"The report failed unexpectedly ({type(failed).__name__}).",
                hint="This is a fault of the program; its log says where.",
                detail_code="internal",
                values={"case": "report", "type": type(failed).__name__},
            )
            error = RunError.of(broke, "")
        finally:
            self._said.put_nowait(None)
            await telling
        if self._failure is not None:
            raise self._failure
        run = None if result is None else result.as_json()
        error = result.error if result else error
        await self._store.finish(self._attempt, result=run, error=error)

    async def _load_files(self, conversations: Store) -> tuple[OwnFile, ...] | NoConversation:
        if (session_id := self._attempt.order.session) is None:
            return ()
        record = await conversations.get(session_id)
        if record is None:
            return NoConversation(
                f"The conversation {session_id!r:.60} was deleted.",
                values={"case": "deleted", "id": f"{session_id!r:.60}"},
            )
        return record.files

    async def _research(
        self, current: Callable[[], Client], files: tuple[OwnFile, ...] | NoConversation
    ) -> RunResult:
        if isinstance(files, NoConversation):
            raise files
        order = self._attempt.order
        client = current()
        # With a model the libraries take a moment to be loaded.
        writer = await asyncio.to_thread(writer_of, client.settings, order.model)
        try:
            return await research(
                order.inquiry(),
                client,
                engines=order.engines,
                files=files,
                writer=writer,
                journal=Journal.going_on(self._attempt.answers, self._keep),
                watch=self._said.put_nowait,
            )
        finally:
            if writer:
                await writer.close()

    async def _keep(self, line: Mapping[str, Any]) -> None:
        try:
            await self._store.keep_answer(self._attempt, line)
        except (TakenOver, CiteseekError) as failure:
            self._give_up(failure)
            # A tool that failed would be reported and the run go on: it waits for its end instead.
            await asyncio.get_running_loop().create_future()

    async def _tell(self) -> None:
        """Write down progress, all that has come meanwhile at one time."""
        is_over = False
        while not is_over:
            said = [await self._said.get()]
            while not self._said.empty():
                said.append(self._said.get_nowait())
            is_over = None in said
            events = [progress for progress in said if progress]
            try:
                if events and self._failure is None:
                    await self._store.add_events(self._attempt, events)
            except (TakenOver, CiteseekError) as failure:
                self._give_up(failure)

    def _give_up(self, failure: TakenOver | CiteseekError) -> None:
        if self._failure is None:
            self._failure = failure
        if self._work is not None:
            self._work.cancel()
