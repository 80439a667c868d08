"""Who has the token comes in, who has not learns nothing, and nobody is led elsewhere."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.serving.guarding import Guarded, guarding
from tests.serving.running import Answered

from citeseek.surfaces.server.login import local
from citeseek.surfaces.server.login_cookie import SECONDS, Seal, same
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.server.token_check import Tries

TOKEN = "marked-token-8c1d4e"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
FORM = "application/x-www-form-urlencoded"


class Clock:
    """A time that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def closed(clock: Clock) -> Iterator[Guarded]:
    with guarding(Rules(token=TOKEN), now=clock) as served:
        yield served


def log_in(served: Guarded, token: str = TOKEN, *, to: str = "/", **headers: str) -> Answered:
    body = urlencode({"token": token, "next": to}).encode()
    origin = {"Origin": served.base_url, "Content-Type": FORM}
    return served.call("POST", "/login", body, {**origin, **headers})


def cookie_of(answer: Answered) -> str:
    return answer.headers["Set-Cookie"].partition(";")[0]


@pytest.mark.parametrize(
    ("given_", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN} ", 200),
        ("Bearer", 401),
        ("Bearer ", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN.upper()}", 401),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        ("Bearer \xe9\xff", 401),
        ("", 401),
    ],
)
def test_programs_bring_the_token_in_a_header(closed: Guarded, given_: str, status: int) -> None:
    answer = closed.raw(
        "GET /api/v1/sessions HTTP/1.1", "Host: localhost", f"Authorization: {given_}"
    )
    assert answer.status == status
    if status == 401:
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="citeseek"'
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "UNAUTHORIZED"
        assert TOKEN not in answer.text


@pytest.mark.sample(9)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *[("GET", path, 303) for path in ("/", "/c/abc", "/nothing", "/static", "/login/x")],
        *[("HEAD", path, 303) for path in ("/", "/c/abc")],
        *[
            ("GET", path, 401)
            for path in ("/api/v1/sessions", "/api/openapi.json", "/c/abc/events")
        ],
        *[("GET", path, 401) for path in ("/api/v1/health/", "/api/v1/healthy", "/api/v1/Health")],
        *[(method, "/", 401) for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")],
        *[("GET", path, 200) for path in ("/static/main.js", "/login", "/api/v1/health")],
    ],
)
def test_everything_else_is_closed(closed: Guarded, method: str, path: str, status: int) -> None:
    assert closed.call(method, path).status == status


def test_a_stranger_hears_only_that_the_server_is_well(closed: Guarded) -> None:
    assert closed.call("GET", "/api/v1/health").json() == {"status": "ok"}
    assert closed.call("GET", "/api/v1/health", headers=BEARER).json()["path"] == "/api/v1/health"


def test_the_token_is_no_part_of_an_address(closed: Guarded) -> None:
    assert closed.call("GET", f"/api/v1/sessions?token={TOKEN}").status == 401
    assert closed.call("GET", f"/?token={TOKEN}").status == 303


def test_people_log_in_and_come_back_to_what_they_wanted(closed: Guarded, clock: Clock) -> None:
    sent = closed.call("GET", "/c/abc?lang=en")
    assert sent.headers["Location"] == "/login?next=/c/abc%3Flang%3Den"
    page = closed.call("GET", sent.headers["Location"])
    assert page.status == 200
    assert 'name="next" value="/c/abc?lang=en"' in page.text
    assert "访问令牌" in page.text
    english = closed.call("GET", "/login", headers={"Accept-Language": "en-GB"}).text
    assert '<html lang="en"' in english
    assert "Enter the token" in english
    assert "<script" not in page.text
    assert "style=" not in page.text

    answer = log_in(closed, to="/c/abc?lang=en")
    assert (answer.status, answer.headers["Location"]) == (303, "/c/abc?lang=en")
    attributes = answer.headers["Set-Cookie"].split("; ")[1:]
    assert sorted(each.lower() for each in attributes) == [
        "httponly",
        "max-age=2592000",
        "path=/",
        "samesite=strict",
    ]
    assert TOKEN not in answer.headers["Set-Cookie"]
    kept = {"Cookie": f"other=1; {cookie_of(answer)}"}
    assert closed.call("GET", "/c/abc", headers=kept).json()["path"] == "/c/abc"
    assert closed.call("GET", "/login?next=/c/abc", headers=kept).headers["Location"] == "/c/abc"

    clock.now += SECONDS - 1
    assert closed.call("GET", "/c/abc", headers=kept).status == 200
    clock.now += 1
    assert closed.call("GET", "/c/abc", headers=kept).status == 303


@pytest.mark.parametrize("origin", ["https://{host}", "https://{host}:443"])
def test_the_cookie_is_secure_when_the_browser_came_over_https(
    closed: Guarded, origin: str
) -> None:
    body = urlencode({"token": TOKEN}).encode()
    head = ("POST /login HTTP/1.1", "Host: localhost", f"Content-Type: {FORM}")
    length = f"Content-Length: {len(body)}"
    secure = closed.raw(*head, length, f"Origin: {origin.format(host='localhost')}", body=body)
    assert "; Secure" in secure.headers["Set-Cookie"]
    plain = closed.raw(*head, length, "X-Forwarded-Proto: https", body=body)
    assert "; Secure" not in plain.headers["Set-Cookie"]


def test_log_out_takes_the_cookie_away(closed: Guarded) -> None:
    kept = {"Cookie": cookie_of(log_in(closed))}
    answer = closed.call("POST", "/logout", headers={**kept, "Origin": closed.base_url})
    assert (answer.status, answer.headers["Location"]) == (303, "/login")
    assert re.match(r'citeseek_login=(""|); ', answer.headers["Set-Cookie"])
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    assert closed.call("GET", "/logout", headers=kept).status == 405
    foreign = {**kept, "Origin": "http://evil.example"}
    assert closed.call("POST", "/logout", headers=foreign).status == 403


def test_after_log_out_the_cookie_holds_no_longer_and_others_do(closed: Guarded) -> None:
    left, other = ({"Cookie": cookie_of(log_in(closed))} for _ in range(2))
    # Nobody logs another out who cannot show the cookie.
    assert closed.call("POST", "/logout", headers={"Cookie": "citeseek_login=1.2.3"}).status == 303
    assert closed.call("GET", "/c/abc", headers=left).status == 200
    assert closed.call("POST", "/logout", headers=left).status == 303
    assert closed.call("GET", "/c/abc", headers=left).status == 303
    assert closed.call("GET", "/api/v1/sessions", headers=left).status == 401
    assert closed.call("GET", "/c/abc", headers=other).status == 200


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"token=wrong", {}, 401),
        (b"", {}, 401),
        (b"token=", {}, 401),
        (b"token=\xff\xfe", {}, 401),
        (b"&".join(b"a=1" for _ in range(99)) + b"&token=" + TOKEN.encode(), {}, 401),
        (b"token=" + TOKEN.encode(), {"Origin": "http://evil.example"}, 403),
        (b"token=" + TOKEN.encode(), {"Origin": "null"}, 403),
        (b'{"token": "x"}', {"Content-Type": "application/json"}, 415),
    ],
)
def test_a_login_that_is_wrong(
    closed: Guarded, body: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {"Origin": closed.base_url, "Content-Type": FORM, **headers}
    answer = closed.call("POST", "/login", body, sent)
    assert answer.status == status
    assert "Set-Cookie" not in answer.headers
    if status == 401:
        assert "令牌不正确" in answer.text
    assert closed.call("PUT", "/login").status == 405


def test_the_token_is_in_no_log_and_no_answer(
    closed: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    near = TOKEN[:-1]
    shown = [
        log_in(closed, near).text,
        log_in(closed, to=f"/{near}").text,
        closed.call("GET", "/broken", headers=BEARER).text,
        closed.call("GET", "/api/v1/broken", headers=BEARER).text,
    ]
    assert "A login from 127.0.0.1 failed." in caplog.text
    assert not [text for text in (*shown, caplog.text) if near in text]


def test_guessing_is_slowed_down(closed: Guarded) -> None:
    assert [log_in(closed, "wrong").status for _ in range(10)] == [401] * 10
    answer = log_in(closed, "wrong")
    assert answer.status == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert "错误次数过多" in answer.text
    assert "Set-Cookie" not in answer.headers
    # What somebody guesses keeps nobody out who knows it.
    assert log_in(closed).status == 303
    assert closed.call("GET", "/api/v1/sessions", headers=BEARER).status == 200


def test_wrong_tokens_of_programs_are_counted_with_the_logins(closed: Guarded) -> None:
    wrong = {"Authorization": "Bearer wrong"}
    paths = ["/api/v1/sessions", "/api/v1/health", "/static/page.css", "/"]
    for path in [*paths, *paths]:
        assert closed.call("GET", path, headers=wrong).status != 429
    assert [log_in(closed, "wrong").status for _ in range(2)] == [401, 401]
    for path in paths[:2]:
        refused = closed.call("GET", path, headers=wrong)
        assert (refused.status, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert closed.call("GET", paths[0], headers=BEARER).status == 200
    # Without a token nobody guesses.
    assert closed.call("GET", paths[0]).status == 401


def test_ten_wrong_tries_a_minute_of_each_address(clock: Clock) -> None:
    tries = Tries(clock)
    for _ in range(10):
        assert tries.count("198.51.100.7") == 0
        clock.now += 1
    assert tries.count("198.51.100.7") == 50
    assert tries.count("::ffff:198.51.100.7") == 50
    assert tries.count("198.51.100.8") == 0
    clock.now += 49.5
    assert tries.count("198.51.100.7") == 1
    clock.now += 0.5
    assert [tries.count("198.51.100.7") for _ in range(2)] == [0, 1]


def test_addresses_that_were_quiet_are_forgotten(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeseek.surfaces.server.token_check.MAX_SOURCES", 2)
    tries = Tries(clock)
    for _ in range(10):
        tries.count("198.51.100.7")
    tries.count("198.51.100.8")
    assert tries.count("198.51.100.7") > 0
    tries.count("198.51.100.9")
    assert tries.count("198.51.100.7") > 0
    tries.count("198.51.100.10")
    tries.count("198.51.100.11")
    assert tries.count("198.51.100.7") == 0


def test_without_a_token_there_is_no_login() -> None:
    with guarding() as served:
        assert served.call("GET", "/").status == 200
        for method in ("GET", "POST"):
            answer = served.call(method, "/login?next=/c/abc")
            assert (answer.status, answer.headers["Location"]) == (303, "/")


def test_a_cookie_holds_only_as_it_was_made(clock: Clock) -> None:
    seal = Seal(TOKEN, clock)
    value = seal.fresh()
    until, id_, signature = value.split(".")
    assert seal.is_valid(value)
    later = f"{int(until) + 1}.{id_}.{signature}"
    arabic = value.translate({ord("1"): "\N{ARABIC-INDIC DIGIT ONE}"})
    for other in (
        later,
        arabic,
        signature,
        until,
        f"{until}.{signature}",
        f"{until}.{id_[::-1]}.{signature}",
        f"{until}.",
        "",
        f"{value}0",
        f" {value}",
        "\xff",
    ):
        assert not seal.is_valid(other)
    assert not Seal(f"{TOKEN}x", clock).is_valid(value)
    assert not seal.is_valid(f"{until}.{id_}.{signature.upper()}")


@given(st.text(max_size=80), st.text(max_size=80))
@example("token", "token")
@example("token", "token ")
@example("é", "e\u0301")
def test_tokens_are_the_same_or_not(one: str, other: str) -> None:
    assert same(one, other) == (one == other)
    assert same(one, one)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/c/abc",
        "/c/abc?lang=en",
        "/?q=a%20b&x=%2F%2F",
        "/a:b",
        "/@evil",
        "/.//x",
        "/x//y",
        "/%5Cx",
    ],
)
def test_a_local_path_is_kept(path: str) -> None:
    assert local(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("", "evil", "//evil", "///evil", "/\\evil", "\\/evil", "\\\\evil", "/x\\y"),
        *("https:evil", "https://evil", "HTTPS://evil", "javascript:alert(1)", "data:,x"),
        *(
            "/\t/evil",
            "/\n/evil",
            "\t//evil",
            " //evil",
            "/ /evil",
            "/\x00",
            "/x\r\nSet-Cookie: a=b",
        ),
        *("/é", "/\u2028", "@evil", "?x", "#x", "." * 5, "/" + "x" * 9000),
    ],
)
def test_everything_else_leads_home(path: str) -> None:
    assert local(path) == "/"


BASE = "http://server.example:8000/login"
PIECES = st.sampled_from(
    ["/", "\\", "\t", "\n", " ", ":", "@", "evil", ".", "?", "#", "%2f", "https:"]
)
PATHS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map("".join))


@given(PATHS)
def test_wherever_next_says_it_is_here(path: str) -> None:
    there = local(path)
    assert there in (path, "/")
    # As a browser reads an address: without tabs and line ends, and with \ for /.
    read = re.sub(r"[\t\r\n]", "", there.strip()).replace("\\", "/")
    assert urlsplit(urljoin(BASE, read)).netloc == "server.example:8000"
    assert there.isascii()
    assert there.isprintable()


@given(path=st.text(min_size=1, max_size=30).map(lambda text: "/" + quote(text, safe="/\\:@")))
def test_the_login_leads_back_or_home(path: str) -> None:
    from citeseek.surfaces.server.login import login_for

    scope = {"path": path, "query_string": b"a=1&b=%20"}
    there = login_for(scope)
    assert urlsplit(there).path == "/login"
    wanted = parse_qs(urlsplit(there).query).get("next", ["/"])[0]
    assert local(wanted) == wanted
