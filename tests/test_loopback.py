"""The loopback server does exactly what it is told."""

import asyncio
import gzip
import http.client
import json
import socket
import zlib
from contextlib import ExitStack
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from tests.loopback import (
    LoopbackServer,
    Reply,
    Request,
    Signal,
    black_hole,
    faults,
    refused_port,
    replies,
)

PATIENCE = 60


def fetch(
    server: LoopbackServer, path: str, body: str | None = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """Make one request on a connection of its own and read the whole answer."""
    client = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    try:
        client.request("GET" if body is None else "POST", path, body, headers)
        response = client.getresponse()
        return response, response.read()
    finally:
        client.close()


def dial(server: LoopbackServer, path: str) -> socket.socket:
    """Send a request and return the socket with the answer still to come."""
    line = socket.create_connection((server.host, server.port), timeout=PATIENCE)
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: loopback\r\n\r\n".encode())
    return line


def test_a_path_answers_in_turn_and_the_last_answer_stays() -> None:
    with LoopbackServer() as server:
        server.on("/search", Reply(503), replies.as_json({"n": 2}))
        answers = [fetch(server, "/search") for _ in range(3)]
    assert [response.status for response, _ in answers] == [503, 200, 200]
    assert json.loads(answers[2][1]) == {"n": 2}


def test_scripting_a_path_again_replaces_it() -> None:
    with LoopbackServer() as server:
        server.on("/search", Reply(500), Reply(501))
        server.on("/search", Reply(204))
        assert fetch(server, "/search")[0].status == 204


def test_a_path_needs_an_answer() -> None:
    with LoopbackServer() as server, pytest.raises(ValueError, match="/search"):
        server.on("/search")


def test_an_answer_may_be_made_from_the_request() -> None:
    def greet(request: Request) -> Reply:
        return replies.html(f"hello {request.param('name', 'nobody')}")

    with LoopbackServer() as server:
        server.on("/greet", greet)
        assert fetch(server, "/greet?name=Ann")[1] == b"hello Ann"
        assert fetch(server, "/greet")[1] == b"hello nobody"


def test_what_is_not_scripted_is_404_unless_said_otherwise() -> None:
    with LoopbackServer() as server:
        assert fetch(server, "/nowhere")[0].status == 404
        server.otherwise(replies.html("anything"))
        assert fetch(server, "/nowhere")[1] == b"anything"


def test_requests_are_recorded_as_they_came() -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with LoopbackServer() as server:
        fetch(server, "/a%2Fb?q=%E8%8C%B6+pot&q=&kl=cn-zh", Accept="text/html")
        fetch(server, "/html/", "q=%E8%8C%B6&b=", **form)
        fetch(server, "/json", '{"query": "tea"}')
    first, second, third = server.requests
    assert (first.method, first.path, first.headers["accept"]) == ("GET", "/a%2Fb", "text/html")
    assert first.query == [("q", "茶 pot"), ("q", ""), ("kl", "cn-zh")]
    assert (first.form, first.body) == ([], b"")
    assert (second.method, second.form, second.param("q")) == (
        "POST",
        [("q", "茶"), ("b", "")],
        "茶",
    )
    assert (third.form, third.json()) == ([], {"query": "tea"})


def test_requests_can_be_waited_for_before_and_after_they_came() -> None:
    with LoopbackServer() as server:
        both = server.requests.reach(2)
        fetch(server, "/")
        assert server.requests.reach(1).is_set()
        assert not both.is_set()
        fetch(server, "/")
        assert both.wait() is True


def test_a_chunked_request_is_refused_loudly() -> None:
    server = LoopbackServer()
    with pytest.raises(ValueError, match="chunked"), server:
        expect_no_answer(server, **{"Transfer-Encoding": "chunked"})


def test_a_repeated_header_is_joined() -> None:
    with LoopbackServer() as server, socket.create_connection((server.host, server.port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nX-Tag: a\r\nx-tag: b\r\n\r\n")
        server.requests.reach(1).wait()
    assert server.requests[0].headers == {"x-tag": "a, b"}


def test_one_connection_serves_many_requests_until_one_side_says_close() -> None:
    with LoopbackServer() as server:
        server.on("/bye", Reply(200, {"Connection": "close"}, "bye"))
        client = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        for path in ("/a", "/b", "/bye"):
            client.request("GET", path)
            client.getresponse().read()
        assert server.connections == 1
        fetch(server, "/c", Connection="close")
        assert server.connections == 2


def test_head_gets_the_headers_alone() -> None:
    with LoopbackServer() as server:
        server.on("/", replies.html("four"))
        client = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        client.request("HEAD", "/")
        response = client.getresponse()
        assert (response.getheader("Content-Length"), response.read()) == ("4", b"")
        client.close()


def test_a_client_that_gets_its_whole_answer_did_not_close_early() -> None:
    with LoopbackServer() as server:
        fetch(server, "/")
        assert server.requests[0].closed.wait() is False


@pytest.mark.parametrize(
    "reply",
    [faults.hang(), faults.drip(), Reply(delay=3600), replies.held(Reply(), Signal())],
    ids=["hang", "drip", "delay", "held"],
)
def test_a_client_that_hangs_up_is_noticed(reply: Reply) -> None:
    with LoopbackServer() as server:
        server.on("/slow", reply)
        line = dial(server, "/slow")
        server.requests.reach(1).wait()
        assert not server.requests[0].closed.is_set()
        line.close()
        assert server.requests[0].closed.wait() is True


async def test_coroutines_wait_with_await() -> None:
    with LoopbackServer() as server:
        server.on("/slow", faults.hang())
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(b"GET /slow HTTP/1.1\r\n\r\n")
        assert await server.requests.reach(1)
        writer.close()
        assert await server.requests[0].closed
        assert await reader.read() == b""


def test_a_held_reply_comes_when_the_test_says_so() -> None:
    gate = Signal()
    with LoopbackServer() as server:
        server.on("/slow", replies.held(replies.html("now"), gate))
        line = dial(server, "/slow")
        server.requests.reach(1).wait()
        gate.set()
        assert read_all(line).endswith(b"\r\n\r\nnow")


def test_waiting_for_what_never_comes_ends() -> None:
    with pytest.raises(TimeoutError):
        Signal().wait(0.01)


def test_a_signal_keeps_its_first_value() -> None:
    signal = Signal()
    signal.set(False)
    signal.set(True)
    assert signal.wait() is False


def test_a_mistake_in_an_answer_fails_the_test() -> None:
    def wrong(_request: Request) -> Reply:
        raise RuntimeError("a mistake of the test")

    server = LoopbackServer()
    server.on("/", wrong)
    with pytest.raises(RuntimeError, match="a mistake"), server:
        expect_no_answer(server)


def test_a_client_that_speaks_tls_is_turned_away() -> None:
    with LoopbackServer() as server, socket.create_connection((server.host, server.port)) as line:
        line.sendall(b"\x16\x03\x01\x02\x00\x01")
        assert line.recv(100) == b""
    assert server.requests == []


def test_a_taken_port_is_an_error() -> None:
    with LoopbackServer() as server, ExitStack() as second, pytest.raises(OSError, match="in use"):
        second.enter_context(LoopbackServer(port=server.port))


@pytest.mark.release
def test_reset_sends_no_answer() -> None:
    with LoopbackServer() as server:
        server.on("/", faults.reset())
        with dial(server, "/") as line, pytest.raises(ConnectionResetError):
            line.recv(1)


def test_drip_never_ends() -> None:
    with LoopbackServer() as server:
        server.on("/", faults.drip(0.0))
        client = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        client.request("GET", "/")
        response = client.getresponse()
        assert response.status == 200
        assert len(response.read(1000)) == 1000
        response.close()
        client.close()
        assert server.requests[0].closed.wait() is True


def test_cut_body_promises_more_than_it_sends() -> None:
    with LoopbackServer() as server:
        server.on("/", faults.cut_body(replies.html("a whole page"), 7))
        with pytest.raises(http.client.IncompleteRead) as cut:
            fetch(server, "/")
    assert cut.value.partial == b"a whole"


def test_truncated_gzip_is_sound_http_and_half_a_gzip() -> None:
    page = b"<p>a page that compresses</p>" * 100
    with LoopbackServer() as server:
        server.on("/", faults.truncated_gzip(page))
        response, body = fetch(server, "/")
    assert response.getheader("Content-Encoding") == "gzip"
    with pytest.raises(EOFError):
        gzip.decompress(body)
    assert page.startswith(zlib.decompressobj(31).decompress(body))


def test_gzip_bomb_is_small_on_the_wire_and_huge_behind_it() -> None:
    with LoopbackServer() as server:
        server.on("/", faults.gzip_bomb())
        body = fetch(server, "/")[1]
    assert len(body) < 200_000
    unpacker, size = zlib.decompressobj(31), 0
    while not unpacker.eof:
        size += len(unpacker.decompress(body, faults.MEGABYTE))
        body = unpacker.unconsumed_tail
    assert size == 128 * faults.MEGABYTE


def test_a_brotli_body_that_is_none() -> None:
    with LoopbackServer() as server:
        server.on("/", faults.undecodable_brotli())
        response, body = fetch(server, "/")
    assert response.getheader("Content-Encoding") == "br"
    assert body


@pytest.mark.parametrize(
    ("labelled", "header", "meta"),
    [
        (faults.gbk_called_utf8, "text/html; charset=utf-8", False),
        (faults.gbk_called_gbk, "text/html; charset=gbk", False),
        (faults.gbk_in_meta_only, "text/html", True),
        (faults.gbk_unlabelled, "text/html", False),
    ],
)
def test_gbk_under_every_label(labelled: faults.Labelled, header: str, *, meta: bool) -> None:
    with LoopbackServer() as server:
        server.on("/", labelled("<p>茶壶</p>"))
        response, body = fetch(server, "/")
    assert labelled in faults.GBK
    assert response.getheader("Content-Type") == header
    assert body.decode("gbk").endswith("<p>茶壶</p>")
    assert (b"<meta charset" in body) is meta


def test_redirects_go_where_they_are_told() -> None:
    with LoopbackServer() as server, LoopbackServer() as elsewhere:
        server.on("/a", replies.redirect("/b", 301))
        server.on("/away", replies.redirect(elsewhere.url("/x")))
        here, away = fetch(server, "/a")[0], fetch(server, "/away")[0]
        assert (here.status, here.getheader("Location")) == (301, "/b")
        assert (away.status, away.getheader("Location")) == (302, f"{elsewhere.base_url}/x")


def test_a_redirect_loop_never_names_the_same_address_twice() -> None:
    path, seen = "/loop", set()
    with LoopbackServer() as server:
        server.on("/loop", replies.redirect_loop)
        for _ in range(5):
            path = str(fetch(server, path)[0].getheader("Location"))
            seen.add(path)
    assert len(seen) == 5
    assert {urlsplit(address).path for address in seen} == {"/loop"}


@pytest.mark.parametrize("code", [202, 400, 401, 403, 404, 429, 500, 502, 503, 504, 599])
def test_every_status(code: int) -> None:
    with LoopbackServer() as server:
        server.on("/", replies.status(code, "why"))
        response, body = fetch(server, "/")
    assert (response.status, body) == (code, b"why")


def test_retry_after_in_seconds_and_as_a_date() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    with LoopbackServer() as server:
        server.on("/", replies.status(429, retry_after=7), replies.status(503, retry_after=noon))
        seconds, date = fetch(server, "/")[0], fetch(server, "/")[0]
    assert seconds.getheader("Retry-After") == "7"
    assert date.getheader("Retry-After") == "Fri, 01 May 2026 12:00:00 GMT"


def test_challenge_and_empty_pages() -> None:
    with LoopbackServer() as server:
        server.on("/", replies.challenge("prove it", 202), replies.empty())
        challenge, empty = fetch(server, "/"), fetch(server, "/")
    assert (challenge[0].status, challenge[1]) == (202, b"prove it")
    assert (empty[0].status, empty[1]) == (200, b"")


@pytest.mark.parametrize("junk", replies.JUNK_JSON)
def test_junk_instead_of_json(junk: str) -> None:
    with LoopbackServer() as server:
        server.on("/", replies.JUNK_JSON[junk])
        body = fetch(server, "/")[1]
    if junk in {"object", "null", "list"}:
        assert not json.loads(body)
    else:
        with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
            json.loads(body)


@pytest.mark.parametrize("declared", [True, False])
def test_an_oversized_body_passes_the_limit_by_one(*, declared: bool) -> None:
    with LoopbackServer() as server:
        server.on("/", replies.oversized(200_000, declared=declared))
        response, body = fetch(server, "/")
    assert len(body) == 200_001
    assert (response.getheader("Content-Length") == "200001") is declared


def test_a_body_larger_than_any_buffer_waits_for_its_reader() -> None:
    with LoopbackServer() as server:
        server.on("/", replies.oversized(32 * faults.MEGABYTE, declared=False))
        fetch(server, "/")
        with dial(server, "/"):
            server.requests.reach(2).wait()
        assert server.requests[0].closed.wait() is False
        assert server.requests[1].closed.wait() is True


def test_a_refused_port_refuses() -> None:
    with refused_port() as port, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def test_a_black_hole_neither_accepts_nor_refuses() -> None:
    with black_hole() as port, pytest.raises(TimeoutError):
        socket.create_connection(("127.0.0.1", port), timeout=0.2)


def expect_no_answer(server: LoopbackServer, **headers: str) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        fetch(server, "/", **headers)


def read_all(line: socket.socket) -> bytes:
    with line:
        return b"".join(iter(lambda: line.recv(65536), b""))
