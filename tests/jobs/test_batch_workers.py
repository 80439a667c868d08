"""Batches at a Postgres: spread over workers, taken over from dead ones, no line twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.command import CITESEEK, run_citeseek
from tests.conftest import settings
from tests.jobs.library import Library, until, worker
from tests.loopback import LoopbackServer, Reply, Request, Signal, replies
from tests.rest.serving import PREFIX
from tests.serving.running import Caller, running

from citeseek.conversations.store import open_store
from citeseek.surfaces.server.app import create_app

pytestmark = pytest.mark.postgres

BATCHES = f"{PREFIX}/batches"
PART = 50


class Office:
    """A running API at ``database``, from which workers take batches."""

    def __init__(self, base_url: str, engine: LoopbackServer, database: str, folder: Path) -> None:
        self.http = Caller(base_url)
        self.engine = engine
        self.library = Library(engine)
        self.database = database
        self.folder = folder
        self.gate = Signal()
        engine.on("/search", self._answer)

    def _answer(self, request: Request) -> Reply:
        text = request.param("q")
        page = {"title": f"On {text}", "url": f"https://{text}.example/", "content": ""}
        found = replies.as_json({"results": [page]})
        return replies.held(found, self.gate) if text.startswith("slow") else found

    def worker(self, *args: str) -> Any:
        env = {"CITESEEK_DATABASE_URL": self.database, "CITESEEK_ENGINE": "searxng"}
        return worker(self.library, self.folder, *args, **env)

    def give(self, *lines: str) -> Any:
        # Longer than it takes to start a worker where much else is done.
        asked = ({"query": line, "seconds": 60} for line in lines)
        body = "".join(f"{json.dumps(line)}\n" for line in asked).encode()
        headers = {"Content-Type": "application/jsonl"}
        answer = self.http("POST", f"{BATCHES}?command=search", body, headers)
        assert answer.status == 202, answer.text
        return answer.json()

    def show(self, batch: Any) -> Any:
        return self.http("GET", f"{BATCHES}/{batch['id']}").json()

    def ended(self, batch: Any) -> Any:
        return until(
            lambda: (now := self.show(batch))["state"] in ("finished", "cancelled") and now
        )

    def asked(self) -> list[str]:
        """Return what the answers in the result were asked, after a look at their numbers."""
        batch = self.http("GET", BATCHES).json()["batches"][0]
        answers = [json.loads(line) for line in self.http("GET", batch["result"]).text.splitlines()]
        assert [each["line"] for each in answers] == list(range(1, batch["total"] + 1))
        assert all("result" in each for each in answers)
        return [each["asked"] for each in answers]

    def searched(self) -> Counter[str]:
        return Counter(one.param("q") for one in self.engine.requests if one.path == "/search")

    def query(self, statement: str) -> Any:
        with psycopg.connect(self.database) as connection:
            row = connection.execute(statement).fetchone()  # type: ignore[arg-type]
        assert row
        return row[0]


@pytest.fixture
def at(database: str, tmp_path: Path) -> Iterator[Office]:
    with office(database, tmp_path) as made:
        yield made


@contextmanager
def office(database: str, folder: Path) -> Iterator[Office]:
    with LoopbackServer() as engine:
        loaded = settings(env={"CITESEEK_DATABASE_URL": database})
        app = create_app(lambda: loaded, store=open_store(loaded), looks=False)
        with running(app) as base_url:
            yield Office(base_url, engine, database, folder)


def lines(parts: int, *, slow_in: int | None = None) -> list[str]:
    """Return the lines of so many parts; the last one of the part ``slow_in`` is held back."""
    made = [f"q{number}" for number in range(parts * PART)]
    if slow_in is not None:
        made[slow_in * PART + PART - 1] = "slow"
    return made


def test_workers_answer_it_in_order_and_leave_no_job(at: Office) -> None:
    asked = lines(5)
    batch = at.give(*asked)
    assert at.show(batch)["state"] == "queued"
    with at.worker("--at-once", "1") as one, at.worker("--at-once", "1") as two:
        assert at.ended(batch)["failed"] == 0
        assert at.asked() == asked
        assert at.searched() == Counter(asked)
        until(lambda: at.query("SELECT count(*) FROM procrastinate_jobs") == 0)
        assert one.end(signal.SIGTERM) == 0
        assert two.end(signal.SIGTERM) == 0


def test_parts_of_a_killed_worker_are_answered_by_another_once(at: Office) -> None:
    asked = lines(4, slow_in=1)
    batch = at.give(*asked)
    with at.worker("--at-once", "2") as one:
        # All is done but for the part with the line that is held back.
        until(lambda: at.show(batch)["done"] == 3 * PART and at.searched()["slow"])
        with at.worker() as two:
            one.end(signal.SIGKILL)
            until(lambda: at.searched()["slow"] == 2)
            at.gate.set()
            assert at.ended(batch)["done"] == len(asked)
            assert at.asked() == asked
            again = {text for text, count in at.searched().items() if count > 1}
            # What was done is not asked again.
            assert again <= set(asked[PART : 2 * PART])
            assert two.end(signal.SIGTERM) == 0


@pytest.mark.release
def test_a_worker_that_was_only_paused_stores_nothing_more(at: Office) -> None:
    asked = lines(1, slow_in=0)
    batch = at.give(*asked)
    with at.worker() as one:
        until(lambda: at.searched()["slow"])
        with at.worker() as two:
            one.process.send_signal(signal.SIGSTOP)
            until(lambda: at.searched()["slow"] == 2)
            one.process.send_signal(signal.SIGCONT)
            at.gate.set()
            assert at.ended(batch)["done"] == len(asked)
            assert at.asked() == asked
            assert one.end(signal.SIGTERM) == 0
            assert two.end(signal.SIGTERM) == 0
        assert "Traceback" not in one.said()


@pytest.mark.release
def test_a_worker_that_ends_hands_back_its_part(at: Office) -> None:
    asked = lines(1, slow_in=0)
    batch = at.give(*asked)
    with at.worker("--grace", "0") as one:
        until(lambda: at.searched()["slow"])
        assert one.end(signal.SIGTERM) == 0
    at.gate.set()
    with at.worker():
        assert at.ended(batch)["failed"] == 0
        assert at.asked() == asked
    assert at.query("SELECT lost FROM batch_parts") == 1


def test_no_more_than_a_window_of_it_is_in_the_queue(at: Office) -> None:
    batch = at.give(*lines(70))
    assert at.query("SELECT count(*) FROM procrastinate_jobs") == 64
    assert at.http("DELETE", f"{BATCHES}/{batch['id']}").json()["state"] == "cancelled"
    assert at.query("SELECT count(*) FROM procrastinate_jobs") == 0
    assert at.http("DELETE", f"{BATCHES}/{batch['id']}").status == 204
    assert at.query("SELECT count(*) FROM batch_parts") == 0


@pytest.mark.release
def test_one_that_is_cancelled_is_stopped_in_its_worker(at: Office) -> None:
    batch = at.give(*lines(1, slow_in=0))
    with at.worker():
        (request,) = until(lambda: [one for one in at.engine.requests if one.param("q") == "slow"])
        assert at.http("DELETE", f"{BATCHES}/{batch['id']}").json()["state"] == "cancelled"
        assert request.closed.wait()
        until(lambda: at.query("SELECT count(*) FROM procrastinate_jobs") == 0)
    assert at.http("GET", batch["result"]).text == ""


@pytest.mark.release
def test_a_part_whose_worker_is_lost_each_time_ends_with_errors(at: Office) -> None:
    batch = at.give(*lines(1))
    with psycopg.connect(at.database) as connection:
        connection.execute("UPDATE batch_parts SET lost = 5")
    with at.worker():
        assert at.ended(batch)["failed"] == PART
    assert not at.searched()
    answers = at.http("GET", batch["result"]).text.splitlines()
    assert {json.loads(each)["error"]["detail_code"] for each in answers} == {"internal"}


def test_a_report_does_not_wait_for_a_batch(at: Office) -> None:
    batch = at.give(*lines(30))
    asked = {"question": "How long is the tea bridge at Lin?", "max_sources": 1}
    report = at.http("POST", f"{PREFIX}/research", asked).json()
    with at.worker("--at-once", "1"):
        until(
            lambda: at.http("GET", f"{PREFIX}/research/{report['id']}").json()["state"] != "queued"
        )
        assert at.show(batch)["done"] < 30 * PART
        at.http("DELETE", f"{BATCHES}/{batch['id']}")


@pytest.mark.release
def test_the_command_line_has_a_file_answered_by_workers(at: Office, tmp_path: Path) -> None:
    asked = lines(2)
    queries, out = tmp_path / "queries.jsonl", tmp_path / "out.jsonl"
    queries.write_text("".join(f"{json.dumps(line)}\n" for line in [*asked, {"query": 7}]))
    command = ("search", "--batch", str(queries), "--out", str(out), "--spread", "--engine")
    env = {**os.environ, "CITESEEK_DATABASE_URL": at.database, **at.library.env}
    with at.worker("--at-once", "2"):
        ended = run_citeseek(*command, "searxng", env=env)
    assert ended.returncode == 3, ended.stderr
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["asked"] for each in answers] == [*asked, ""]
    assert [each["line"] for each in answers] == list(range(1, len(asked) + 2))
    assert answers[-1]["error"]["type"] == "InvalidInput"
    assert at.searched() == Counter(asked)
    assert not (tmp_path / "out.jsonl.batch").exists()
    assert at.http("GET", BATCHES).json()["batches"] == []


@pytest.mark.release
def test_a_command_that_was_ended_follows_its_batch_again(at: Office, tmp_path: Path) -> None:
    asked = lines(1, slow_in=0)
    queries, out = tmp_path / "queries.jsonl", tmp_path / "out.jsonl"
    given = [{"query": line, "seconds": 60} for line in asked]
    queries.write_text("".join(f"{json.dumps(line)}\n" for line in given))
    command = [*CITESEEK, "search", "--batch", str(queries), "--out", str(out), "--spread"]
    env = {**os.environ, "CITESEEK_DATABASE_URL": at.database, **at.library.env}
    with at.worker():
        with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as process:
            until(lambda: at.searched()["slow"])
            until((tmp_path / "out.jsonl.batch").exists)
            process.kill()
        assert out.read_text() == ""
        other = tmp_path / "other.jsonl"
        other.write_text('"tea"\n')
        wrong = [str(other) if part == str(queries) else part for part in command]
        refused = subprocess.run(wrong, env=env, capture_output=True, text=True, check=False)
        assert (refused.returncode, "别的问题" in refused.stderr) == (2, True)
        at.gate.set()
        ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert [json.loads(line)["asked"] for line in out.read_text().splitlines()] == asked
    assert at.searched() == Counter(asked)


def test_without_a_postgres_there_is_nobody_to_spread_over(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('"tea"\n')
    files = ("--batch", str(tmp_path / "q.jsonl"), "--out", str(tmp_path / "o.jsonl"))
    ended = run_citeseek("search", *files, "--spread")
    assert (ended.returncode, "CITESEEK_DATABASE_URL" in ended.stderr) == (2, True)
