"""Reports at a Postgres: written by workers, taken over from dead and paused ones, never twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.command import run_citeseek
from tests.conftest import settings
from tests.jobs.library import NAMES, Library, question, until, worker
from tests.loopback import LoopbackServer
from tests.postgres_server import PASSWORD, PostgresServer, own_server
from tests.rest.serving import PREFIX
from tests.serving.running import Caller, events, running

from citeseek.conversations.store import open_store
from citeseek.health.dependencies import check_database
from citeseek.i18n import catalogue
from citeseek.surfaces.server.app import create_app

pytestmark = pytest.mark.postgres

REPORTS = f"{PREFIX}/research"
OTHER = "How long is the other bridge?"
TAKEN_OVER_SECONDS = 15


class Office:
    """A running API at ``database``, from which workers take reports."""

    def __init__(self, base_url: str, library: Library, database: str, folder: Path) -> None:
        self.http = Caller(base_url)
        self.library = library
        self.database = database
        self.folder = folder

    def worker(self, *args: str) -> Any:
        return worker(self.library, self.folder, *args, CITESEEK_DATABASE_URL=self.database)

    def ask(self, **asked: Any) -> dict[str, Any]:
        answer = self.http("POST", REPORTS, question(**asked))
        assert answer.status == 202, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    def show(self, report: dict[str, Any]) -> Any:
        return self.http("GET", f"{REPORTS}/{report['id']}").json()

    def ended(self, report: dict[str, Any]) -> Any:
        with self.http.opened("GET", report["events"]) as response:
            *_, last = events(response)
        assert last.kind == "done"
        return last.data

    def query(self, statement: str, *values: str) -> Any:
        with psycopg.connect(self.database) as connection:
            row = connection.execute(statement, values).fetchone()
        assert row
        return row[0]

    def is_held(self) -> bool:
        """Whether all but the page that is held back is in the journal."""
        in_journal = self.query("SELECT count(*) FROM report_answers")
        return bool(self.library.asked()["south"] and in_journal == len(NAMES))

    def check_written(self, report: dict[str, Any], attempts: int, souths: int) -> None:
        """Check that the report was finished, with no page of its journal asked for twice."""
        now = self.ended(report)
        assert (now["state"], now["attempt"], now["error"]) == ("finished", attempts, None)
        run = self.http("GET", report["result"]).json()
        assert len(run["artifacts"]["sources"]) == len(NAMES)
        asked = self.library.asked()
        assert [asked[each] for each in ("search", *NAMES)] == [1, 1, 1, 1, souths]
        assert (
            self.query("SELECT count(*) FROM report_answers WHERE report = %s", report["id"]) == 0
        )


@contextmanager
def office(database: str, folder: Path) -> Iterator[Office]:
    with LoopbackServer() as web:
        library = Library(web)
        loaded = settings(env={"CITESEEK_DATABASE_URL": database, **library.env})
        app = create_app(lambda: loaded, store=open_store(loaded), looks=False)
        with running(app) as base_url:
            yield Office(base_url, library, database, folder)


@pytest.fixture
def at(database: str, tmp_path: Path) -> Iterator[Office]:
    with office(database, tmp_path) as made:
        yield made


def test_a_worker_writes_what_was_asked_for_and_leaves_no_job(at: Office) -> None:
    first, second = at.ask(), at.ask(question=OTHER)
    assert at.show(first)["state"] == "queued"
    with at.worker("--at-once", "1") as one:
        assert "1" in one.ready
        at.check_written(first, attempts=1, souths=1)
        assert at.ended(second)["state"] == "finished"
        until(lambda: at.query("SELECT count(*) FROM procrastinate_jobs") == 0)
        assert one.end(signal.SIGTERM) == 0
    assert at.query("SELECT count(*) FROM procrastinate_workers") == 0


def test_a_report_of_a_killed_worker_goes_on_within_15_seconds(at: Office) -> None:
    south = at.library.hold("south")
    begun = at.ask()
    with at.worker() as one:
        until(at.is_held)
        with at.worker() as two:
            one.end(signal.SIGKILL)
            until(lambda: at.show(begun)["attempt"] == 2, TAKEN_OVER_SECONDS)
            south.set()
            at.check_written(begun, attempts=2, souths=2)
            assert two.end(signal.SIGTERM) == 0


@pytest.mark.release
def test_a_worker_that_was_only_paused_writes_no_more(at: Office) -> None:
    south = at.library.hold("south")
    begun = at.ask()
    with at.worker() as one:
        until(at.is_held)
        with at.worker() as two:
            one.process.send_signal(signal.SIGSTOP)
            until(lambda: at.show(begun)["attempt"] == 2, TAKEN_OVER_SECONDS)
            until(lambda: at.library.asked()["south"] == 2)
            # The page comes to both while both have the report.
            one.process.send_signal(signal.SIGCONT)
            south.set()
            at.check_written(begun, attempts=2, souths=2)
            count = "SELECT count(*) FROM report_events WHERE report = %s"
            told = at.query(count, begun["id"])
            # It is well, and writes the next one.
            assert two.end(signal.SIGTERM) == 0
            again = at.ask(question=OTHER)
            assert at.ended(again)["state"] == "finished"
            assert "Traceback" not in one.said()
            assert at.query(count, begun["id"]) == told
            assert one.end(signal.SIGTERM) == 0


@pytest.mark.release
def test_a_worker_that_ends_hands_back_what_it_cannot_finish(at: Office) -> None:
    south = at.library.hold("south")
    begun = at.ask()
    with at.worker("--grace", "0") as one:
        until(at.is_held)
        assert one.end(signal.SIGTERM) == 0
    assert at.show(begun)["state"] == "queued"
    south.set()
    with at.worker():
        at.check_written(begun, attempts=2, souths=2)


@pytest.mark.release
def test_a_worker_that_ends_finishes_what_it_can(at: Office) -> None:
    south = at.library.hold("south")
    begun, waiting = at.ask(), at.ask(question=OTHER)
    with at.worker("--grace", "60", "--at-once", "1") as one:
        until(at.is_held)
        one.process.send_signal(signal.SIGTERM)
        until(lambda: "不再接新的报告" in one.said())
        south.set()
        at.check_written(begun, attempts=1, souths=1)
        assert one.process.wait(60) == 0
    assert at.show(waiting)["state"] == "queued"


@pytest.mark.release
def test_a_cancelled_report_is_stopped_in_its_worker(at: Office) -> None:
    at.library.hold("south")
    begun = at.ask()
    with at.worker("--at-once", "1"):
        until(at.is_held)
        assert at.http("DELETE", f"{REPORTS}/{begun['id']}").json()["state"] == "cancelled"
        (request,) = [each for each in at.library.web.requests if each.path == "/south"]
        assert request.closed.wait()
        until(lambda: at.query("SELECT count(*) FROM procrastinate_jobs") == 0)
        queued = at.ask(question=OTHER)
        at.library.hold("south").set()
        assert at.ended(queued)["state"] == "finished"
    assert at.show(begun)["state"] == "cancelled"
    assert at.query("SELECT count(*) FROM report_answers") == 0


@pytest.mark.release
async def test_reports_that_wait_for_no_worker_are_a_finding(at: Office) -> None:
    loaded = settings(env={"CITESEEK_DATABASE_URL": at.database})
    assert [one.code for one in await check_database(loaded)] == ["ok"]
    begun = await asyncio.to_thread(at.ask)
    found = await check_database(loaded)
    assert [(one.code, one.status) for one in found] == [("ok", "ok"), ("no_worker", "warning")]
    assert found[1].text(catalogue("en")).seen == "Reports wait (1), and no worker runs."
    with at.worker():
        await asyncio.to_thread(at.ended, begun)
        assert [one.code for one in await check_database(loaded)] == ["ok"]


def test_one_that_was_cancelled_before_it_began_leaves_the_queue(at: Office) -> None:
    begun = at.ask()
    assert at.query("SELECT count(*) FROM procrastinate_jobs") == 1
    assert at.http("DELETE", f"{REPORTS}/{begun['id']}").json()["state"] == "cancelled"
    assert at.query("SELECT count(*) FROM procrastinate_jobs") == 0


@pytest.mark.release
def test_a_report_whose_worker_is_lost_each_time_ends(at: Office) -> None:
    begun = at.ask()
    with psycopg.connect(at.database) as connection:
        connection.execute("UPDATE reports SET lost = 5")
    with at.worker():
        now = at.ended(begun)
    assert (now["state"], now["error"]["detail_code"]) == ("failed", "internal")
    assert not at.library.asked()


@pytest.mark.release
def test_a_database_that_restarts_in_the_middle_costs_no_page(tmp_path: Path) -> None:
    with own_server() as server:
        database = server.address("template_citeseek")
        with office(database, tmp_path) as at:
            south = at.library.hold("south")
            begun = at.ask()
            with at.worker() as one:
                until(at.is_held)
                server.stop()
                server.start()
                south.set()
                at.check_written(begun, attempts=1, souths=1)
                # The worker is there again as well.
                assert at.ended(at.ask(question=OTHER))["state"] == "finished"
                assert one.end(signal.SIGTERM) == 0


@pytest.mark.release
def test_a_report_goes_on_when_a_database_is_back_that_was_away_for_longer(tmp_path: Path) -> None:
    with own_server() as server, office(server.address("template_citeseek"), tmp_path) as at:
        south = at.library.hold("south")
        begun = at.ask()
        with at.worker("--grace", "1") as one:
            until(at.is_held)
            server.stop()
            # What was read cannot be kept, and is given up after some seconds.
            south.set()
            until(lambda: "not reached" in one.said())
            server.start()
            until(lambda: at.http("GET", f"{REPORTS}/{begun['id']}").status == 200)
            # The same process still has the page.
            at.check_written(begun, attempts=2, souths=1)
            assert one.end(signal.SIGTERM) == 0
            assert "Traceback" not in one.said()


def test_without_a_postgres_there_is_nothing_to_work_for(tmp_path: Path) -> None:
    done = run_citeseek("worker", cwd=tmp_path)
    assert done.returncode == 2
    assert "CITESEEK_DATABASE_URL" in done.stderr


@pytest.mark.parametrize("wrong", ["--at-once=0", "--at-once=101", "--grace=-1", "--grace=nan"])
def test_numbers_out_of_range_are_refused(wrong: str) -> None:
    done = run_citeseek("worker", wrong)
    assert done.returncode == 2
    assert wrong.partition("=")[0] in done.stderr


def test_a_database_without_a_queue_is_refused(postgres: PostgresServer, tmp_path: Path) -> None:
    name = postgres.create()
    done = run_citeseek(
        "worker", env={**os.environ, "CITESEEK_DATABASE_URL": postgres.address(name)}
    )
    postgres.drop(name)
    assert done.returncode == 2
    assert "citeseek database upgrade" in done.stderr
    assert PASSWORD not in done.stderr
