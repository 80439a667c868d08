"""Few connections to Postgres serve a server and a worker, where PgBouncer gives them out."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.jobs.library import until
from tests.jobs.test_report_workers import OTHER, REPORTS, Office, office
from tests.postgres_server import NOBODY, PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.release]

# Fewer than a server and a worker open, so that each has those of others.
CONNECTIONS = 3


@contextmanager
def bouncer(postgres: PostgresServer) -> Iterator[str]:
    """Run PgBouncer in transaction mode before ``postgres``; give the folder of its socket."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "PgBouncer is missing: tools/postgres installs it"
    # The path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="pgb-"))
    written, users, log = folder / "pgbouncer.ini", folder / "users.txt", folder / "log"
    users.write_text('"citeseek" ""\n')
    written.write_text(
        f"[databases]\n* = host={postgres.folder}\n"
        f"[pgbouncer]\npool_mode = transaction\ndefault_pool_size = {CONNECTIONS}\n"
        f"auth_type = trust\nauth_file = {users}\nlogfile = {log}\n"
        f"unix_socket_dir = {folder}\nlisten_port = 5432\n"
    )
    log.touch()
    # It refuses root.
    user, groups = (NOBODY, ()) if os.geteuid() == 0 else (None, None)
    for path in (folder, *folder.iterdir()):
        os.chown(path, -1 if user is None else user, -1)
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [program, str(written)],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        user=user,
        extra_groups=groups,
    ) as process:
        try:
            until(lambda: "process up" in log.read_text())
            yield str(folder)
        finally:
            process.kill()
    shutil.rmtree(folder)


@pytest.fixture
def at(postgres: PostgresServer, database: str, tmp_path: Path) -> Iterator[Office]:
    with (
        bouncer(postgres) as folder,
        office(database.replace(postgres.folder, folder), tmp_path) as made,
    ):
        yield made


def test_a_worker_writes_reports_over_few_connections_and_leaves_no_job(at: Office) -> None:
    reports = [at.ask(**asked) for asked in ({}, {"question": OTHER}, {"max_sources": 2})]
    with at.worker("--at-once", "2") as one:
        assert [at.ended(report)["state"] for report in reports] == ["finished"] * 3
        until(lambda: at.query("SELECT count(*) FROM procrastinate_jobs") == 0)
        opened = at.query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        )
        assert opened <= CONNECTIONS
        assert one.end(signal.SIGTERM) == 0
        assert "Traceback" not in one.said()
    assert len(at.http("GET", REPORTS).json()["reports"]) == 3


def test_a_report_of_a_killed_worker_goes_on_with_another(at: Office) -> None:
    south = at.library.hold("south")
    begun = at.ask()
    with at.worker() as first:
        until(at.is_held)
        first.end(signal.SIGKILL)
    with at.worker():
        until(lambda: at.show(begun)["attempt"] == 2)
        south.set()
        at.check_written(begun, attempts=2, souths=2)
