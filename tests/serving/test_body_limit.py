"""Bodies: a limit that holds whatever a client says, and no waiting for ever."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest
from tests.serving.guarding import Guarded, guarding

from citeseek.surfaces.server.rules import Rules

MOST = 1000
POST = ("POST /api/v1/sessions HTTP/1.1", "Host: localhost", "Content-Type: application/json")
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def served() -> Iterator[Guarded]:
    with guarding(Rules(max_body=MOST)) as running:
        yield running


def chunks(*sizes: int, ends: bool = True) -> bytes:
    sent = b"".join(b"%x\r\n%s\r\n" % (size, b" " * size) for size in sizes)
    return sent + (b"0\r\n\r\n" if ends else b"")


def test_the_default_is_a_quarter_of_a_megabyte() -> None:
    assert Rules().max_body == 262_144
    body = json.dumps("x" * (262_144 - 2)).encode()
    kind = {"Content-Type": "application/json"}
    with guarding() as running:
        answer = running.call("POST", "/api/v1/sessions", body, kind)
        assert (answer.status, len(answer.json()["body"])) == (200, 262_144)
        assert running.call("POST", "/api/v1/sessions", body + b" ", kind).status == 413


@pytest.mark.parametrize(("size", "status"), [(0, 200), (MOST, 200), (MOST + 1, 413)])
def test_a_told_length_is_looked_at(served: Guarded, size: int, status: int) -> None:
    answer = served.raw(*POST, f"Content-Length: {size}", body=b" " * size)
    assert answer.status == status
    if status == 200:
        assert len(answer.json()["body"]) == size


def test_a_body_that_is_too_large_is_not_waited_for(served: Guarded) -> None:
    for told in ("Content-Length: 99999999999", "Content-Length: 2000"):
        answer = served.raw(*POST, told)
        assert answer.status == 413
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["code"], problem["detail"]) == (
            "BODY_TOO_LARGE",
            "请求正文超过 1,000 字节。",
        )
    expecting = served.raw(*POST, "Content-Length: 2000", "Expect: 100-continue")
    assert expecting.status == 413


@pytest.mark.parametrize(
    ("sizes", "status"),
    [((1,), 200), ((MOST,), 200), ((500, 500), 200), ((500, 501), 413), ((MOST + 1,), 413)],
)
def test_chunks_are_counted(served: Guarded, sizes: tuple[int, ...], status: int) -> None:
    answer = served.raw(*POST, CHUNKED, body=chunks(*sizes))
    assert answer.status == status
    if status == 200:
        assert len(answer.json()["body"]) == sum(sizes)


def test_chunks_without_an_end_are_refused_at_the_limit(served: Guarded) -> None:
    assert served.raw(*POST, CHUNKED, body=chunks(*[100] * 11, ends=False)).status == 413


def test_a_short_length_before_a_long_body_is_the_length(served: Guarded) -> None:
    answer = served.raw(*POST, "Content-Length: 2", body=b"{}" + b" " * 5000)
    assert answer.json()["body"] == "{}"


def test_a_body_that_does_not_come_is_not_waited_for_for_ever() -> None:
    with guarding(Rules(body_seconds=0.05)) as impatient:
        answer = impatient.raw(*POST, "Content-Length: 10", body=b"{")
        assert answer.status == 408
        assert answer.json()["code"] == "REQUEST_TIMEOUT"


def test_who_leaves_in_the_middle_leaves_nothing_behind(
    served: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, port = served.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as wire:
        wire.sendall("\r\n".join((*POST, "Content-Length: 10", "", "{")).encode())
    assert served.raw(*POST, "Content-Length: 2", body=b"{}").status == 200
    assert not caplog.records


def test_the_login_has_the_same_limit() -> None:
    head = ("POST /login HTTP/1.1", "Host: localhost")
    form = "Content-Type: application/x-www-form-urlencoded"
    with guarding(Rules(token="marked-token-8c1d4e", max_body=MOST)) as closed:
        assert closed.raw(*head, form, CHUNKED, body=chunks(MOST + 1)).status == 413
