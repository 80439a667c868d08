"""What goes on while a store is away, stalls or is full, seen from real servers, and afterwards."""

from __future__ import annotations

import json
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ResponseError
from tests.assistant.chatting import FOUND
from tests.command import run_citeseek
from tests.conftest import page
from tests.jobs.library import until
from tests.loopback import LoopbackServer, Reply
from tests.loopback.models import ModelServer
from tests.loopback.signals import Signal
from tests.postgres_server import TEMPLATE, PostgresServer, own_server
from tests.serving.command import Process, serving
from tests.serving.running import Answered, Sent, events
from tests.shared_state.server import ValkeyServer
from tests.shared_state.small_disk import SmallDisk

pytestmark = [
    pytest.mark.valkey,
    pytest.mark.postgres,
    pytest.mark.release,
    pytest.mark.timeout(300),
]

# All is well so long after a store is back.
WELL_SECONDS = 5.0
# Nobody waits longer for one that is away.
REFUSED_SECONDS = 8.0
PER_MINUTE = 6
SLOW = ("hackernews", "marginalia", "wikipedia")
JSON = {"Content-Type": "application/json"}
ANSWER = "Tea is a leaf, and so on."


class Cluster:
    """Two servers that share a Valkey and a Postgres, an engine and a model."""

    def __init__(
        self,
        valkey: ValkeyServer,
        postgres: PostgresServer,
        servers: tuple[Process, Process],
        model: ModelServer,
        env: dict[str, str],
    ) -> None:
        self.valkey, self.postgres, self.model, self.env = valkey, postgres, model, env
        self.one, self.other = servers
        self._pool = ThreadPoolExecutor()
        self._searches = 0

    def close(self) -> None:
        self._pool.shutdown()

    def begin(self) -> tuple[str, Signal, Future[list[Sent]]]:
        """Begin an answer of the first, followed at the other, that waits in the middle.

        Return its path, what lets it go on, and what its reader gets.
        """
        go = Signal()
        self.model.says("Tea is ", go, "a leaf, and so on.", chunk=4)
        path = ask(self.one).json()["events"]
        is_told = Signal()

        def read() -> list[Sent]:
            told: list[Sent] = []
            with self.other.call.opened("GET", path) as response:
                assert response.status == 200
                for event in events(response):
                    told.append(event)
                    if event.kind == "token":
                        is_told.set()
            return told

        reading = self._pool.submit(read)
        assert is_told.wait()
        return path, go, reading

    def check_kept(self, path: str, reading: Future[list[Sent]]) -> None:
        """Check that the answer at ``path`` was told and kept as a whole."""
        told = reading.result(60)
        assert told[-1].kind == "done"
        assert "".join(event.data["text"] for event in told if event.kind == "token") == ANSWER
        for server in (self.one, self.other):
            shown = server.call("GET", path.partition("/answers/")[0]).json()
            assert [(turn["outcome"], turn["answer"]) for turn in shown["turns"]] == [
                ("answered", ANSWER)
            ]

    def search(self, server: Process, engine: str = "searxng") -> Answered:
        """Search for something new."""
        self._searches += 1
        path = f"/api/v1/search?q=tea+{self._searches}&engine={engine}&timeout=2"
        return server.call("GET", path)

    def health(self, part: str) -> list[str]:
        """Return the codes of what the health says of ``part``."""
        health = self.one.call("GET", "/api/v1/health?max_age=0").json()
        found = [each["code"] for each in health["findings"] if each["part"] == part]
        assert health["status"] == "degraded" or not found, health
        return found

    def degraded_by(self) -> set[str]:
        """Return the parts in which the status finds errors; stores are looked at every 5 s."""

        def told() -> set[str] | None:
            shown = self.one.call("GET", "/api/v1/status").json()
            found = {each["part"] for each in shown["findings"] if each["status"] == "error"}
            return found if shown["status"] == "degraded" else None

        return until(told)

    def is_up(self, store: str) -> bool:
        """Return what the metrics say of ``store``."""
        page = self.one.call("GET", "/metrics").text
        (line,) = [
            row
            for row in page.splitlines()
            if row.startswith("citeseek_store_up{") and store in row
        ]
        return line.endswith(" 1.0")

    def doctor(self, part: str) -> str:
        """Return what the doctor says of ``part``, which is that something is wrong."""
        done = run_citeseek("doctor", part, "--json", env={**os.environ, **self.env})
        assert done.returncode != 0
        (finding,) = json.loads(done.stdout)["findings"]
        return str(finding["code"])

    def well(self) -> None:
        """Check that both servers answer soon, with an answer of each read at the other."""
        until = time.monotonic() + WELL_SECONDS
        for server, reader in ((self.one, self.other), (self.other, self.one)):
            self.model.says(ANSWER)
            while (begun := ask(server)).status != 202:
                assert time.monotonic() < until, begun.text
            while (told := reader.call("GET", begun.json()["events"])).status != 200:
                assert time.monotonic() < until, told.text
            assert "event: done" in told.text


def ask(server: Process) -> Answered:
    """Ask in a new conversation; one that cannot be made is the answer."""
    made = server.call("POST", "/api/v1/sessions", {"search": False})
    if made.status != 201:
        return made
    path = f"/api/v1/sessions/{made.json()['id']}/messages"
    return server.call("POST", path, {"text": "What is tea?"})


def check_refused(answer: Answered, code: str) -> None:
    assert answer.status == 503, answer.text
    assert answer.json()["detail_code"] == code
    assert int(answer.headers["Retry-After"]) > 0


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "valkey").mkdir()
    config = folder / "config.json"
    with ExitStack() as stack:
        engine = stack.enter_context(LoopbackServer())
        engine.on("/search", FOUND)
        others = {name: stack.enter_context(LoopbackServer()) for name in SLOW}
        for name, other in others.items():
            other.otherwise(Reply(200, JSON, page(f"{name}/results.json")))
        model = stack.enter_context(ModelServer())
        valkey = stack.enter_context(ValkeyServer(folder / "valkey", "--maxmemory", "32mb"))
        postgres = stack.enter_context(own_server())
        engines = {
            "searxng": {"base_url": engine.base_url, "rate_per_minute": 600},
            **{
                name: {"base_url": other.base_url, "rate_per_minute": PER_MINUTE}
                for name, other in others.items()
            },
        }
        config.write_text(json.dumps({"engines": engines}))
        env = {
            **model.env,
            "CITESEEK_REDIS_URL": valkey.url,
            "CITESEEK_DATABASE_URL": postgres.address(TEMPLATE),
            "CITESEEK_GRACE_SECONDS": "0",
        }
        logs = [folder / "one.log", folder / "other.log"]
        servers = [
            stack.enter_context(
                serving(folder, "--config", str(config), alone=True, log=log, **env)
            )
            for log in logs
        ]
        running = Cluster(valkey, postgres, (servers[0], servers[1]), model, env)
        stack.callback(running.close)
        yield running
        for log in logs:
            assert "Traceback" not in log.read_text()


@pytest.fixture
def fresh(cluster: Cluster) -> Cluster:
    """Give the cluster as it is in the beginning, with servers that know of each other."""
    cluster.valkey.empty()
    until = time.monotonic() + 60
    with Redis.from_url(cluster.valkey.url) as client:

        def said() -> list[float]:
            return [at for _, at in client.zrange("citeseek:processes", 0, -1, withscores=True)]

        # Each said so when it knew of the other.
        while len(first := said()) != 2:
            assert time.monotonic() < until
            time.sleep(0.1)
        while min(said()) <= max(first):
            assert time.monotonic() < until
            time.sleep(0.1)
    return cluster


def stop(valkey: ValkeyServer) -> Callable[[], None]:
    valkey.stop()
    return valkey.start


def pause(valkey: ValkeyServer) -> Callable[[], None]:
    valkey.pause()
    return valkey.resume


def fill(valkey: ValkeyServer) -> Callable[[], None]:
    with Redis.from_url(valkey.url) as client:
        client.setrange("much", 40_000_000, b"x")

    def empty() -> None:
        with Redis.from_url(valkey.url) as client:
            client.delete("much")

    return empty


AWAY = {
    "stopped": (stop, "unreachable", "hackernews"),
    "paused": (pause, "unreachable", "marginalia"),
    "full": (fill, "full", "wikipedia"),
}


@pytest.mark.parametrize("how", AWAY)
def test_a_valkey_that_is_away(fresh: Cluster, how: str) -> None:
    begin, code, slow = AWAY[how]
    path, go, reading = fresh.begin()
    bring_back = begin(fresh.valkey)
    try:
        for server in (fresh.one, fresh.other):
            with within(REFUSED_SECONDS):
                check_refused(ask(server), "shared_state_gone")
            if how != "full":
                check_refused(server.call("GET", f"{path[:-16]}{'0' * 16}"), "shared_state_gone")
        assert fresh.health("valkey") == [code]
        assert not fresh.is_up("valkey")
        assert fresh.is_up("conversations")
        assert fresh.doctor("valkey") == code
        # Searches go on, each with its share of what may be asked of a slow engine.
        for server in (fresh.one, fresh.other):
            assert fresh.search(server).status == 200
            found = [fresh.search(server, slow).status for _ in range(PER_MINUTE)]
            assert found.count(200) == PER_MINUTE / 2, found
        go.set()
        # Conversations are read, which are elsewhere.
        assert fresh.other.call("GET", "/api/v1/sessions").status == 200
    finally:
        bring_back()
    fresh.well()
    assert fresh.health("valkey") == []
    assert fresh.is_up("valkey")
    fresh.check_kept(path, reading)


@pytest.mark.parametrize("how", ["restarted", "emptied"])
def test_a_valkey_that_forgets_or_restarts_is_not_noticed(fresh: Cluster, how: str) -> None:
    path, go, reading = fresh.begin()
    if how == "emptied":
        fresh.valkey.empty()
    else:
        fresh.valkey.stop()
        fresh.valkey.start()
    go.set()
    fresh.well()
    fresh.check_kept(path, reading)


def test_a_valkey_that_stalls_loses_nothing(fresh: Cluster) -> None:
    """Its disk makes it wait, again and again, longer than it works."""
    path, go, reading = fresh.begin()
    is_over = threading.Event()

    def stall() -> None:
        while not is_over.wait(0.05):
            fresh.valkey.pause()
            is_over.wait(0.2)
            fresh.valkey.resume()

    stalling = threading.Thread(target=stall)
    stalling.start()
    try:
        go.set()
        fresh.check_kept(path, reading)
        fresh.model.says(ANSWER)
        begun = ask(fresh.other)
        assert begun.status == 202
        with fresh.one.call.opened("GET", begun.json()["events"]) as response:
            assert [*events(response)][-1].kind == "done"
    finally:
        is_over.set()
        stalling.join()


def test_a_postgres_that_is_stopped(fresh: Cluster) -> None:
    path, go, reading = fresh.begin()
    fresh.postgres.stop()
    try:
        for server in (fresh.one, fresh.other):
            with within(REFUSED_SECONDS):
                check_refused(ask(server), "sessions_unavailable")
            report = server.call("POST", "/api/v1/research", {"question": "What is tea?"})
            check_refused(report, "sessions_unavailable")
        assert fresh.search(fresh.one).status == 200
        assert fresh.health("database") == ["unreachable"]
        assert not fresh.is_up("conversations")
        assert fresh.is_up("valkey")
        assert fresh.doctor("database") == "unreachable"
        assert "database" in fresh.degraded_by()
        go.set()
        # It cannot be kept now, and its reader is told.
        told = reading.result(60)
    finally:
        fresh.postgres.start()
    fresh.well()
    assert fresh.health("database") == []
    assert fresh.is_up("conversations")
    assert told[-1].kind == "error"
    # What was written is kept when its conversation is opened again.
    session = path.partition("/answers/")[0]
    (turn,) = fresh.one.call("GET", session).json()["turns"]
    assert turn["answer"] == ANSWER
    assert fresh.other.call("GET", session).json()["turns"] == [turn]


def test_a_postgres_that_restarts_is_not_noticed(fresh: Cluster) -> None:
    path, go, reading = fresh.begin()
    fresh.postgres.stop()
    go.set()
    fresh.postgres.start()
    fresh.check_kept(path, reading)
    fresh.well()


def test_a_postgres_whose_disk_is_slow(fresh: Cluster) -> None:
    """Each commit waits a tenth of a second for the disk."""
    slow = ("fsync = on", "commit_delay = 100000", "commit_siblings = 0")
    fresh.postgres.execute(
        *(f"ALTER SYSTEM SET {each}" for each in slow), "SELECT pg_reload_conf()"
    )
    try:
        path, go, reading = fresh.begin()
        go.set()
        fresh.check_kept(path, reading)
        fresh.well()
    finally:
        fresh.postgres.execute("ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()")


@pytest.mark.parametrize("how", [pause, stop])
def test_a_server_that_ends_waits_for_no_valkey_and_keeps_what_was_written(
    cluster: Cluster, tmp_path: Path, how: Callable[[ValkeyServer], Callable[[], None]]
) -> None:
    with ModelServer() as model:
        go = Signal()
        model.says("Tea is ", go, "never told")
        env = {**cluster.env, **model.env}
        with serving(tmp_path, alone=True, **env) as server:
            path = ask(server).json()["events"]
            with cluster.other.call.opened("GET", path) as response:
                assert any(event.kind == "token" for event in events(response))
            bring_back = how(cluster.valkey)
            try:
                with within(15):
                    assert server.end(signal.SIGTERM)[0] == -signal.SIGTERM
            finally:
                bring_back()
                go.set()
    until = time.monotonic() + 30
    while True:
        shown = cluster.other.call("GET", path.partition("/answers/")[0]).json()
        if shown["running"] is None and shown["turns"]:
            break
        assert time.monotonic() < until
    assert [(turn["outcome"], turn["answer"]) for turn in shown["turns"]] == [
        ("stopped", "Tea is ")
    ]


def test_a_file_of_conversations_whose_disk_is_full(tmp_path: Path, shared_home: Path) -> None:
    with SmallDisk(tmp_path / "disk", "4m") as disk, ModelServer() as model:
        env = {**model.env, "CITESEEK_SESSIONS": str(disk.folder / "sessions.sqlite3")}
        with serving(tmp_path, within=disk.within(), **env) as server:
            go = Signal()
            model.says("Tea is ", go, "a leaf, and so on.")
            path = ask(server).json()["events"]
            disk.fill()
            go.set()
            check_refused(ask(server), "sessions_unavailable")
            assert server.call("GET", "/api/v1/search?q=tea&engine=stub").status == 200
            with server.call.opened("GET", path) as response:
                assert [*events(response)][-1].kind == "error"
            disk.make_room()
            (turn,) = server.call("GET", path.partition("/answers/")[0]).json()["turns"]
            assert turn["answer"] == ANSWER
            model.says(ANSWER)
            assert ask(server).status == 202


def test_a_postgres_whose_disk_is_full(tmp_path: Path, shared_home: Path) -> None:
    with (
        SmallDisk(tmp_path / "disk", "256m") as disk,
        own_server(disk.folder / "data", disk.within_as_user()) as postgres,
        ModelServer() as model,
    ):
        env = {**model.env, "CITESEEK_DATABASE_URL": postgres.address(TEMPLATE)}
        with serving(tmp_path, **env) as server:
            # What has no room in pages that are there, nor gets smaller by being packed.
            long = secrets.token_hex(40_000)
            go = Signal()
            model.says("Tea is ", go, long, chunk=4_000)
            path = ask(server).json()["events"]
            disk.fill()
            go.set()
            with server.call.opened("GET", path) as response:
                assert [*events(response)][-1].kind == "error"
            assert server.call("GET", "/api/v1/search?q=tea&engine=stub").status == 200
            disk.make_room()
            (turn,) = server.call("GET", path.partition("/answers/")[0]).json()["turns"]
            assert turn["answer"] == f"Tea is {long}"
            model.says(ANSWER)
            assert ask(server).status == 202


def codes_of_health(server: Process) -> list[str]:
    health = server.call("GET", "/api/v1/health?max_age=0").json()
    return [each["code"] for each in health["findings"]]


def write_on(client: Redis) -> None:
    """Write until it is refused."""
    while True:
        client.set("much", bytes(8_192))


def test_a_valkey_whose_disk_is_full(cluster: Cluster, tmp_path: Path) -> None:
    with (
        SmallDisk(tmp_path / "disk", "4m") as disk,
        ValkeyServer(disk.folder, within=disk.within()) as valkey,
        ModelServer() as model,
    ):
        env = {**cluster.env, **model.env, "CITESEEK_REDIS_URL": valkey.url}
        with serving(tmp_path, alone=True, **env) as server:
            model.says(ANSWER)
            assert ask(server).status == 202
            disk.fill()
            with (
                Redis.from_url(valkey.url) as client,
                pytest.raises(ResponseError, match="MISCONF"),
            ):
                write_on(client)
            check_refused(ask(server), "shared_state_gone")
            # It takes what fits into the last page of its file, and then refuses again.
            until = time.monotonic() + REFUSED_SECONDS
            while "read_only" not in (told := codes_of_health(server)):
                assert time.monotonic() < until, told
            assert server.call("GET", "/api/v1/search?q=tea&engine=stub").status == 200
            disk.make_room()
            until = time.monotonic() + WELL_SECONDS
            model.says(ANSWER)
            while (begun := ask(server)).status != 202:
                assert time.monotonic() < until, begun.text
