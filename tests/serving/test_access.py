"""The guard over a real wire: which requests reach the application, and what every answer says."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from tests.serving.guarding import MARKED, Guarded, guarding

from citeseek.surfaces.server.app import guard_app
from citeseek.surfaces.server.rules import Rules

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


@pytest.fixture(scope="module")
def local() -> Iterator[Guarded]:
    with guarding(Rules(hosts=("chat.example",))) as served:
        yield served


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *[(host, 200) for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000")],
        *[(host, 200) for host in ("chat.example", "Chat.Example.:443", "a.localhost:8000")],
        *[(host, 421) for host in ("evil.example", "192.168.1.5:8000", "0.0.0.0:8000")],
        *[(host, 421) for host in ("localhost.evil.example", "2130706433", "0x7f.1", "[::]")],
        *[(host, 400) for host in ("", "a b", "localhost,evil.example", "localhost:x", "user@a")],
        *[(host, 400) for host in ("::1", "[::1", "localhost:0", "localhost/evil", "\xe4.example")],
    ],
)
def test_a_request_must_mean_this_server(local: Guarded, host: str, status: int) -> None:
    for path in ("/", "/static/main.js", "/api/v1/health", "/login"):
        if status == 200 and path == "/login":
            continue
        assert local.raw(f"GET {path} HTTP/1.1", f"Host: {host}").status == status, path


def test_a_foreign_name_is_told_which_setting_makes_it_ours(local: Guarded) -> None:
    answer = local.raw("GET / HTTP/1.1", "Host: evil.example:8000")
    assert answer.text == (
        "evil.example 不是这个服务器的名称。 "
        "如果应该是，请加到 server.hosts（CITESEEK_HOSTS）里。\n"
    )
    assert answer.headers["Content-Type"].startswith("text/plain")
    problem = local.raw("GET /api/v1/engines HTTP/1.1", "Host: evil.example").json()
    assert (problem["status"], problem["code"]) == (421, "MISDIRECTED_REQUEST")
    assert "server.hosts" in problem["hint"]


def test_a_missing_or_doubled_host_is_a_bad_request(local: Guarded) -> None:
    assert local.raw("GET / HTTP/1.0").status == 400
    assert local.raw("GET / HTTP/1.1").status == 400
    assert local.raw("GET / HTTP/1.1", "Host: localhost", "Host: localhost").status == 400


@pytest.mark.parametrize(
    "target", ["http://localhost/", "http://evil.example/", "*", "localhost:1"]
)
def test_a_target_that_is_no_path_is_a_bad_request(local: Guarded, target: str) -> None:
    for method in ("GET", "OPTIONS"):
        assert local.raw(f"{method} {target} HTTP/1.1", "Host: localhost").status == 400


JSON = {"Content-Type": "application/json"}
OURS, FOREIGN = "http://{host}", "http://evil.example"


def sent(served: Guarded, method: str, path: str, **headers: str) -> int:
    """Send a request with these headers (``_`` for ``-``) and return the status."""
    filled = {
        name.replace("_", "-"): value.format(host=served.host) for name, value in headers.items()
    }
    body = b"{}" if method in ("POST", "PUT", "PATCH") else None
    if body and "Content-Type" not in filled:
        filled |= JSON
    return served.call(method, path, body, filled).status


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": OURS}, 200),
        ({"Origin": OURS, "Sec_Fetch_Site": "same-origin"}, 200),
        ({"Sec_Fetch_Site": "same-origin"}, 200),
        ({"Sec_Fetch_Site": "none"}, 200),
        ({"Origin": FOREIGN}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "null", "Sec_Fetch_Site": "same-origin"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://{host}.evil.example"}, 403),
        ({"Origin": FOREIGN, "Sec_Fetch_Site": "cross-site"}, 403),
        ({"Origin": OURS, "Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        (
            {
                "Sec_Fetch_Site": "cross-site",
                "Sec_Fetch_Mode": "navigate",
                "Sec_Fetch_Dest": "document",
            },
            403,
        ),
    ],
    ids=str,
)
def test_no_other_site_changes_anything(
    local: Guarded, method: str, headers: dict[str, str], status: int
) -> None:
    assert sent(local, method, "/api/v1/sessions", **headers) == status


LINK = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
FRAME = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
IMAGE = {"Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "image"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    ("path", "how", "status"),
    [
        ("/", LINK, 200),
        ("/c/abc", LINK, 200),
        ("/c/abc", FRAME, 403),
        ("/c/abc", IMAGE, 403),
        ("/c/abc", {}, 403),
        ("/c/abc/events", LINK, 403),
        ("/api/v1/sessions", LINK, 403),
        ("/api/v1/sessions", IMAGE, 403),
        ("/static/main.js", IMAGE, 403),
    ],
)
def test_other_sites_may_link_to_pages_and_nothing_else(
    local: Guarded, site: str, path: str, how: dict[str, str], status: int
) -> None:
    assert sent(local, "GET", path, Sec_Fetch_Site=site, **how) == status
    for ours in ("same-origin", "none"):
        assert sent(local, "GET", path, Sec_Fetch_Site=ours, **how) == 200


@pytest.mark.parametrize("path", ["/", "/api/v1/sessions", "/search?q=tea&format=json"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_for_another_site_is_refused_as_well(
    local: Guarded, method: str, path: str
) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert sent(local, method, path, Origin=origin) == 403
    ours = sent(local, method, path, Origin=f"http://{local.host}")
    assert ours == sent(local, method, path) != 403


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/jsonp", 415),
        ("text/plain; application/json", 415),
        ("", 415),
    ],
)
def test_a_body_is_json(local: Guarded, kind: str, status: int) -> None:
    assert sent(local, "POST", "/api/v1/sessions", **{"Content-Type": kind}) == status


def test_what_says_nothing_of_its_body_is_refused(local: Guarded) -> None:
    told = ("POST /api/v1/sessions HTTP/1.1", "Host: localhost")
    assert local.raw(*told, "Content-Length: 2", body=b"{}").status == 415
    chunked = "Transfer-Encoding: chunked"
    assert local.raw(*told, chunked, body=b"2\r\n{}\r\n0\r\n\r\n").status == 415
    assert local.raw(*told, "Content-Length: 0").status == 200
    doubled = ("Content-Type: application/json", "Content-Type: text/plain", "Content-Length: 2")
    assert local.raw(*told, *doubled, body=b"{}").status == 415


def test_two_origins_are_refused(local: Guarded) -> None:
    head = ("POST /api/v1/sessions HTTP/1.1", f"Host: {local.host}", "Content-Length: 0")
    ours = f"Origin: http://{local.host}"
    assert local.raw(*head, ours).status == 200
    assert local.raw(*head, ours, "Origin: http://evil.example").status == 403


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/nothing", {}),
        ("/login", {}),
        ("/api/v1/sessions", {}),
        ("/api/v1/broken", {}),
        ("/broken", {}),
        ("/careless", {}),
        ("/", {"Host": "evil.example"}),
        ("/", {"Host": "a b"}),
        ("/api/v1/sessions", {"Sec-Fetch-Site": "cross-site"}),
    ],
    ids=str,
)
def test_every_answer_has_the_headers(local: Guarded, path: str, headers: dict[str, str]) -> None:
    answer = local.call("GET", path, headers=headers)
    assert {name: answer.headers.get(name) for name in SAFE} == SAFE
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert not [name for name in dict(answer.headers) if name.lower().startswith("access-control")]


def test_files_of_the_page_are_asked_for_again(local: Guarded) -> None:
    headers = local.call("GET", "/static/main.js").headers
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Security-Policy"] == POLICY


def test_a_preflight_gets_no_permission(local: Guarded) -> None:
    asked = {"Origin": FOREIGN, "Access-Control-Request-Method": "POST"}
    answer = local.call("OPTIONS", "/careless", headers=asked)
    assert answer.status == 403
    assert not answer.headers.get("Access-Control-Allow-Origin")
    assert sent(local, "OPTIONS", "/api/v1/sessions", Sec_Fetch_Site="cross-site") == 403


@pytest.mark.parametrize("path", ["/broken", "/api/v1/broken"])
def test_a_failure_is_logged_and_not_shown(
    local: Guarded, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = local.call("GET", path)
    assert answer.status == 500
    assert MARKED not in answer.text
    assert "Traceback" not in answer.text
    if path.startswith("/api/"):
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "INTERNAL_SERVER_ERROR"
    else:
        assert answer.text == "服务器出错了，原因见它的日志。\n"
    records = [record for record in caplog.records if record.exc_info]
    assert [record.getMessage() for record in records] == [f"GET '{path}' failed."]
    assert MARKED in caplog.text


def test_a_stream_that_breaks_is_cut(local: Guarded, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        local.call("GET", "/half")
    assert MARKED in caplog.text


async def test_a_websocket_is_closed() -> None:
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    async def never(*_: Any) -> Any:
        raise AssertionError

    await guard_app(never, rules=Rules())({"type": "websocket", "path": "/"}, never, send)
    assert said == [{"type": "websocket.close", "code": 1008}]


def test_what_is_no_http_gets_no_answer_from_the_application(local: Guarded) -> None:
    host, _, port = local.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as wire:
        wire.sendall(b"\x16\x03\x01\x02\x00 not http at all\r\n\r\n")
        assert b" 400 " in wire.recv(4096)


def test_on_a_network_any_address_is_ours_and_a_foreign_name_is_not() -> None:
    token = "marked-token-8c1d4e"
    bearer = f"Authorization: Bearer {token}"
    with guarding(Rules(host="0.0.0.0", token=token)) as served:  # noqa: S104 - only the rules
        for host, status in (
            ("192.168.1.5:8000", 200),
            ("[2001:db8::1]", 200),
            ("evil.example", 421),
        ):
            assert served.raw("GET / HTTP/1.1", f"Host: {host}", bearer).status == status
        answer = served.raw("GET /x?a=1 HTTP/1.1", "Host: 192.168.1.5", bearer)
        assert json.loads(answer.body)["path"] == "/x"
