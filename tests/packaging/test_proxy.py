"""The proxy that is deployed: a real nginx in front of real servers that share a Valkey."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.loopback.models import ModelServer
from tests.loopback.signals import Signal
from tests.packaging.nginx_server import NameServer, Nginx, find_nginx, written
from tests.serving.command import Process, serving
from tests.serving.running import Caller, Sent, events
from tests.shared_state.server import ValkeyServer

from citeseek.settings.table import Table

pytestmark = [pytest.mark.nginx, pytest.mark.release]

TOKEN = "a-token-of-some-length"
HOST = "citeseek.example.org"
ONE, OTHER = "127.0.0.2", "127.0.0.3"
# How long a reader comes back to an answer whose server is gone.
SECONDS = 30


def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    command = [find_nginx(), "-t", "-c", str(written(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_file_of_ones_own_fits_through(tmp_path: Path) -> None:
    found = re.search(r"client_max_body_size (\d+)m;", written(tmp_path).read_text())
    assert found
    assert int(found[1]) * 1024 * 1024 > Table.files.settings()[0].default


class Servers:
    """Two servers on one port of two addresses, and nginx before them."""

    def __init__(self, nginx: Nginx, names: NameServer, one: Process, other: Process) -> None:
        self.nginx, self.names, self.one, self.other = nginx, names, one, other
        headers = {"Host": HOST, "Authorization": f"Bearer {TOKEN}"}
        self.call = Caller(nginx.url, **headers)
        self.call_one = Caller(one.base_url, **headers)


@contextmanager
def servers(tmp_path: Path, model: ModelServer) -> Iterator[Servers]:
    with socket.socket() as free:
        free.bind((ONE, 0))
        port = free.getsockname()[1]
    env = {**model.env, "CITESEEK_TOKEN": TOKEN, "CITESEEK_HOSTS": HOST}
    for folder in ("valkey", "nginx"):
        (tmp_path / folder).mkdir()
    with (
        ValkeyServer(tmp_path / "valkey") as valkey,
        NameServer(ONE, OTHER) as names,
        Nginx(tmp_path / "nginx", names, port) as nginx,
    ):
        env["CITESEEK_REDIS_URL"] = valkey.url

        def start(host: str) -> object:
            return serving(tmp_path, "--host", host, "--port", str(port), alone=True, **env)

        with start(ONE) as one, start(OTHER) as other:
            yield Servers(nginx, names, one, other)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.mark.valkey
def test_an_answer_is_followed_past_the_end_of_the_server_that_told_it(
    tmp_path: Path, model: ModelServer
) -> None:
    more = Signal()
    model.says("Tea ", more, "is a leaf.", chunk=4)
    with servers(tmp_path, model) as running:
        # The first makes the answer, and the other one tells it.
        session = running.call_one("POST", "/api/v1/sessions", {"search": False}).json()["id"]
        path = f"/api/v1/sessions/{session}"
        asked = running.call_one("POST", f"{path}/messages", {"text": "What is tea?"})
        path += f"/answers/{asked.json()['answer']}"
        running.names.addresses = (OTHER,)
        told: list[Sent] = []
        with running.call.opened("GET", path) as response:
            assert response.status == 200
            # It comes while the answer is under way: nothing holds it back.
            for event in events(response):
                told.append(event)
                if event.kind == "token":
                    break
            running.other.kill(signal.SIGKILL)
            running.names.addresses = (ONE, OTHER)
            with pytest.raises((http.client.HTTPException, OSError, StopIteration)):
                next(events(response))
        more.set()
        told += follow(running, path, told[-1].id)
        with running.call_one.opened("GET", path) as response:
            whole = list(events(response))
        assert [(one.id, one.kind, one.data) for one in told] == [
            (one.id, one.kind, one.data) for one in whole
        ]
        assert told[-1].kind == "done"
        assert told[-1].data["answer"] == "Tea is a leaf."


def follow(running: Servers, path: str, last: str) -> list[Sent]:
    """Go on behind ``last``, once nginx has heard that there is another server."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with running.call.opened("GET", path, headers={"Last-Event-ID": last}) as response:
            if response.status == 200:
                return list(events(response))
            assert response.status in (502, 504)
    pytest.fail("nginx does not come to the server that is there")


@pytest.mark.valkey
def test_nobody_notices_a_server_that_is_gone(tmp_path: Path, model: ModelServer) -> None:
    with servers(tmp_path, model) as running:
        running.other.kill(signal.SIGKILL)
        for _ in range(20):
            assert running.call("GET", "/api/v1/sessions").status == 200
            assert running.call("POST", "/api/v1/sessions", {}).status == 201
        tried = running.nginx.log.read_text()
    assert "502, 20" in tried


@pytest.mark.valkey
def test_who_is_meant_gets_in_and_the_log_does_not_say_what_was_looked_for(
    tmp_path: Path, model: ModelServer
) -> None:
    with servers(tmp_path, model) as running:
        found = running.call("GET", "/api/v1/search?q=secret-tea&engine=stub")
        assert found.status == 200
        assert Caller(running.nginx.url, Host=HOST)("GET", "/api/v1/sessions").status == 401
        stranger = Caller(running.nginx.url, Host="evil.example.org")
        assert stranger("GET", "/api/v1/health").status == 421
        # How the health check of the proxy calls it.
        assert Caller(running.nginx.url)("GET", "/api/v1/health").status == 200
        same = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
        assert running.call("POST", "/api/v1/sessions", {}, same).status == 201
        log = running.nginx.log.read_text()
    assert "/api/v1/search 200" in log
    assert "secret-tea" not in log
    assert found.headers["X-Request-ID"] in log
