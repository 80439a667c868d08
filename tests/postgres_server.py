"""A real Postgres: one for all tests of a run, whichever process they are in, or one's own."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOBODY = 65_534
TEMPLATE = "template_citeseek"
# Trusted at the socket, whatever it is: it must be read nowhere.
PASSWORD = "pass-word-of-the-database"
# Nothing of it has to survive the machine.
_FAST = "-c fsync=off -c full_page_writes=off -c listen_addresses=''"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server whose socket is in ``folder``, with its files, where ``data`` is not elsewhere.

    ``within`` is a command that runs its programs, as somebody who is not root there.
    """

    folder: str
    data: str
    within: tuple[str, ...] = ()

    @classmethod
    def make(cls, data: Path | None = None, within: Sequence[str] = ()) -> PostgresServer:
        """Return a server that was never started."""
        server = cls._in_new_folder(data, within)
        options = ("--auth=trust", "--username=citeseek", "--encoding=UTF8", "--no-sync")
        server._run("initdb", *server._data, "--locale=C.UTF-8", *options)
        return server

    @classmethod
    def copy_of(cls, other: PostgresServer) -> PostgresServer:
        """Return one that was never started and is to follow ``other``, which runs."""
        server = cls._in_new_folder()
        whom = (f"--host={other.folder}", "--username=citeseek", "--write-recovery-conf")
        how = ("--checkpoint=fast", "--no-sync")
        server._run("pg_basebackup", *server._data, *whom, *how)
        return server

    @classmethod
    def _in_new_folder(cls, data: Path | None = None, within: Sequence[str] = ()) -> PostgresServer:
        # The path of a socket is short.
        folder = tempfile.mkdtemp(prefix="pg-")
        server = cls(folder, str(data or f"{folder}/data"), tuple(within))
        if server._is_root:
            os.chown(server.folder, NOBODY, NOBODY)
        return server

    def start(self) -> None:
        socket = f"-c unix_socket_directories={self.folder} -c max_connections=200"
        log = f"--log={self.folder}/log"
        self._run("pg_ctl", "start", "--wait", log, f"--options={_FAST} {socket}", *self._data)

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "stop", "--wait", f"--mode={mode}", *self._data)

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    def address(self, database: str) -> str:
        return f"postgresql://citeseek:{PASSWORD}@/{database}?host={self.folder}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        import psycopg  # a second of loading that most tests do without

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def create(self, template: str = "template0") -> str:
        """Make a database and return its name."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database} WITH (FORCE)")

    @property
    def _data(self) -> tuple[str]:
        return (f"--pgdata={self.data}",)

    @property
    def _is_root(self) -> bool:
        return os.geteuid() == 0 and not self.within

    def _run(self, program: str, *arguments: str) -> None:
        # Postgres refuses root.
        user, groups = (NOBODY, ()) if self._is_root else (None, None)
        done = subprocess.run(
            [*self.within, find_program(program), *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8"},
            # A server holds what it inherits as long as it runs.
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            check=False,
            user=user,
            group=user,
            extra_groups=groups,
        )
        assert done.returncode == 0, f"{program} failed: {done.stderr!r}"


def find_program(name: str) -> str:
    """Return the path of a program of Postgres; Debian puts those of a server beside the others."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    path = str(found[-1]) if found else shutil.which(name)
    assert path, "Postgres is missing: tools/postgres installs it"
    return path


@contextmanager
def own_server(data: Path | None = None, within: Sequence[str] = ()) -> Iterator[PostgresServer]:
    """Give a server that a test may stop; ``data`` and ``within`` as for `PostgresServer`."""
    server = _started(data, within)
    try:
        yield server
    finally:
        server.stop()
        server.remove()


@contextmanager
def standby_of(server: PostgresServer) -> Iterator[PostgresServer]:
    """Give a server that follows another one, and takes no changes."""
    standby = PostgresServer.copy_of(server)
    standby.start()
    try:
        yield standby
    finally:
        standby.stop()
        standby.remove()


def _started(data: Path | None = None, within: Sequence[str] = ()) -> PostgresServer:
    """Return a server whose template has the tables."""
    server = PostgresServer.make(data, within)
    server.start()
    server.execute(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
    from citeseek.conversations import postgres

    assert postgres.upgrade(server.address(TEMPLATE)).state == "ok"
    return server


@contextmanager
def shared_server(folder: Path) -> Iterator[PostgresServer]:
    """Give the server of all processes that share ``folder``; the last one to leave ends it."""
    with _locked(folder) as state:
        if not state.get("users"):
            started = _started()
            state |= {"folder": started.folder, "data": started.data, "users": 0}
        state["users"] += 1
        server = PostgresServer(state["folder"], state["data"])
    try:
        yield server
    finally:
        with _locked(folder) as state:
            state["users"] -= 1
            if not state["users"]:
                server.stop()
                server.remove()


@contextmanager
def _locked(folder: Path) -> Iterator[dict[str, Any]]:
    """Give what the processes know of the server, to be changed by one at a time."""
    with (folder / "postgres.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.seek(0)
        file.truncate()
        json.dump(state, file)
