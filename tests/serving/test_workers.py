"""``citeseek serve --workers``: several real processes at one address, with a real Valkey."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.serving.command import Process, serving
from tests.serving.running import events
from tests.shared_state.server import ValkeyServer

pytestmark = [pytest.mark.valkey, pytest.mark.release]

COUNT = 2


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path_factory.mktemp("valkey")) as server:
        yield server


def serving_many(tmp_path: Path, valkey: ValkeyServer) -> object:
    return serving(tmp_path, "--workers", str(COUNT), alone=True, CITESEEK_REDIS_URL=valkey.url)


def ask(server: Process, question: str) -> list[str]:
    """Return the kinds of events of an answer in a new conversation."""
    session = server.call("POST", "/api/v1/sessions", {"search": True}).json()["id"]
    path = f"/api/v1/sessions/{session}"
    begun = server.call("POST", f"{path}/messages", {"text": question}).json()
    with server.call.opened("GET", begun["events"]) as response:
        return [event.kind for event in events(response)]


def test_one_that_dies_is_replaced_and_the_others_serve(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with serving_many(tmp_path, valkey) as server:
        first = server.children()
        assert len(first) == COUNT
        assert ask(server, "tea")[-1] == "done"
        os.kill(min(first), signal.SIGKILL)
        assert ask(server, "tea")[-1] == "done"
        while len(others := server.children() - first) == 0:
            server.call("GET", "/api/v1/health")
        assert len(others) == 1
        code, told = server.end(signal.SIGTERM)
    assert code == 0
    assert f"Worker {min(first)} ended with -9; another is started." in told


def test_a_hangup_replaces_all_while_requests_are_answered(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with serving_many(tmp_path, valkey) as server:
        first = server.children()
        os.kill(server.pid, signal.SIGHUP)
        while server.children() & first or len(server.children()) != COUNT:
            assert server.call("GET", "/api/v1/health").status == 200
        assert ask(server, "tea")[-1] == "done"
        assert server.end()[0] == 0


def test_workers_end_with_their_master(tmp_path: Path, valkey: ValkeyServer) -> None:
    with serving_many(tmp_path, valkey) as server:
        left = server.children()
        os.kill(server.pid, signal.SIGKILL)
        while any(Path(f"/proc/{worker}/cmdline").exists() for worker in left):
            os.sched_yield()


def test_several_need_a_valkey(tmp_path: Path) -> None:
    done = run_citeseek("serve", "--port", "0", "--workers", "2", env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert "CITESEEK_REDIS_URL" in done.stderr


@pytest.mark.release
def test_workers_of_a_demo_share_conversations_of_which_nothing_is_left(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    places = {"CITESEEK_HOME": str(tmp_path), "TMPDIR": str(tmp_path), "CITESEEK_SESSIONS": ""}
    shared = {"CITESEEK_REDIS_URL": valkey.url}
    with serving(tmp_path, "--workers", "2", "--demo", alone=True, **places, **shared) as server:
        session = server.call("POST", "/api/v1/sessions", {}).json()["id"]
        statuses = {server.call("GET", f"/api/v1/sessions/{session}").status for _ in range(12)}
        assert statuses == {200}
        code, told = server.end()
    assert code == 0
    assert "演示结束后不保留" in told
    assert list(tmp_path.rglob("*.sqlite3*")) == []
