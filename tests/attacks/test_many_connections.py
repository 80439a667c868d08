"""Connections that hold a server's places: others are served meanwhile, and they are closed."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.loopback.models import ModelServer
from tests.serving.command import Process, serving

pytestmark = pytest.mark.release

HALF_BODY = (
    b"POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n{"
)
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
# A calm server takes some milliseconds; the machine of a test may be busy.
SOON_SECONDS = 5.0


@contextmanager
def connected(server: Process, count: int, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open connections that send no more than ``first``, and read nothing."""
    where = urlsplit(server.base_url)
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            wire = stack.enter_context(socket.socket())
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            wire.settimeout(10)
            wire.connect((where.hostname or "", where.port or 0))
            wire.sendall(first)
            opened.append(wire)
        yield opened


def check_others_are_served(server: Process, times: int = 10) -> None:
    for _ in range(times):
        began = time.monotonic()
        assert server.call("GET", "/api/v1/health").status == 200
        assert time.monotonic() - began < SOON_SECONDS


def check_closed(wires: Iterable[socket.socket], seconds: float) -> None:
    """Check that the server closes each of ``wires``, without reading anything of an answer."""
    until = time.monotonic() + seconds
    poll = select.poll()
    left = {wire.fileno() for wire in wires}
    for number in left:
        poll.register(number, select.POLLRDHUP)
    while left:
        assert time.monotonic() < until, f"{len(left)} are still open"
        for number, _ in poll.poll(1_000):
            poll.unregister(number)
            left.discard(number)


def files_of(server: Process) -> int:
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not show files")
def test_half_heads_and_silent_connections_keep_nobody_out_and_are_closed(tmp_path: Path) -> None:
    with serving(tmp_path, alone=True) as server:
        before = files_of(server)
        with connected(server, 600, HALF_BODY):
            check_others_are_served(server)
        with connected(server, 400, HALF) as halves, connected(server, 400) as silent:
            check_others_are_served(server)
            # One byte now and then gives no head more time.
            for wire in halves:
                with suppress(OSError):
                    wire.send(b"x")
            check_closed([*halves, *silent], 20)
        check_others_are_served(server, 1)
        assert files_of(server) <= before + 4
        assert "Traceback" not in server.end()[1]


def test_readers_that_never_read_are_closed_and_their_places_are_free(tmp_path: Path) -> None:
    readers = 12
    with (
        ModelServer() as model,
        serving(tmp_path, alone=True, **model.env, CITESEEK_MAX_STREAMS=str(readers)) as server,
    ):
        model.says("Green tea. " * 8_000, chunk=16)
        session = server.call("POST", "/api/v1/sessions", {}).json()["id"]
        events = f"/api/v1/sessions/{session}"
        begun = server.call("POST", f"{events}/messages", {"text": "tea"}).json()
        with server.call.opened("GET", begun["events"]) as whole:
            assert whole.read()
        request = f"GET {begun['events']} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        with connected(server, readers, request) as mute:
            check_others_are_served(server, 3)
            check_closed(mute, 45)
        # Each of the places can be taken again.
        with ExitStack() as stack:
            for _ in range(readers):
                wanted = server.call.opened("GET", begun["events"])
                assert stack.enter_context(wanted).status == 200


def test_without_files_nobody_floods_the_log_and_the_server_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path, max_files=96) as server:
        with connected(server, 300):
            check_others_are_served(server, 3)
        check_others_are_served(server, 3)
        told = server.end()[1]
    assert len(told) < 2_000
    assert "ulimit -n" in told


def test_small_answers_on_a_kept_connection_wait_for_no_acknowledgement(tmp_path: Path) -> None:
    with serving(tmp_path, alone=True) as server:
        where = urlsplit(server.base_url)
        request = b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        took = []
        with socket.create_connection((where.hostname or "", where.port or 0), timeout=30) as wire:
            for _ in range(40):
                began = time.monotonic()
                wire.sendall(request)
                answer = b""
                while b'"searxng"' not in answer:
                    answer += wire.recv(65_536)
                took.append(time.monotonic() - began)
    # Without TCP_NODELAY none is quicker than the 40 ms after which a client acknowledges.
    assert min(took) < 0.03
