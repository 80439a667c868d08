"""What a page is: results, an honest "nothing found", a refusal, or something unknown."""

from __future__ import annotations

from typing import Any

import pytest

from citeseek.engine import Engine, Key, Markers
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.i18n import catalogue
from citeseek.models import Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.searching import judge

URL = "https://s.example/search?q=tea"
LAYOUT = Layout(result="li", link="a")
RESULT = "<li><a href=https://e.example/>How captcha works</a></li>"
CHALLENGE = "<form id=challenge>Prove it</form>"
NOTHING = "<p class=none>Nothing found</p>"


def engine_of(kind: Any, **fields: Any) -> Engine:
    shape: dict[str, Any] = {
        "id": kind,
        "label": "Test",
        "kind": kind,
        "request": lambda query, _: Request(url=URL, params={"q": query.text}),
        "parse": lambda page: hits(page, (LAYOUT,)),
        "key": Key(signup_url="", price="free"),
        "markers": Markers(
            blocked={"#challenge": "captcha_required"},
            blocked_redirects={"sorry.example": "captcha_required"},
            empty=(".none",),
        ),
    }
    return Engine(**(shape | fields))


HTML, API = engine_of("html"), engine_of("api")


def page(body: str = "", status: int = 200, **headers: str) -> Page:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Page(url=URL, status=status, headers=named, body=body.encode())


def refusal(engine: Engine, refused: Page) -> SearchFailed:
    with pytest.raises(SearchFailed) as caught:
        judge.read(engine, refused)
    return caught.value


@pytest.mark.parametrize(
    ("status", "of_html", "of_api", "detail_code"),
    [
        (400, WebProviderError, WebProviderError, "http_400"),
        (401, AuthError, AuthError, "http_401"),
        (403, WebBlocked, AuthError, "http_403"),
        (404, WebProviderError, WebProviderError, "http_404"),
        (429, WebBlocked, WebBlocked, "http_429"),
        (500, BadGateway, BadGateway, "http_500"),
        (502, BadGateway, BadGateway, "http_502"),
        (503, BadGateway, BadGateway, "http_503"),
        (504, BadGateway, BadGateway, "http_504"),
    ],
)
@pytest.mark.requirement("P13", "S3-43", "S3-45", "S3-46")
def test_a_status_is_an_error(status: int, of_html: type, of_api: type, detail_code: str) -> None:
    for engine, kind in ((HTML, of_html), (API, of_api)):
        refused = page(RESULT, status)
        error = refusal(engine, refused)
        assert type(error) is kind
        assert (error.detail_code, error.engine) == (detail_code, engine.id)
        assert error.page is refused
        assert str(status) in error.message


@pytest.mark.requirement("S3-45")
def test_a_refused_key_is_named_by_its_variable() -> None:
    assert "API_API_KEY" in refusal(API, page(status=401)).hint


@pytest.mark.parametrize("body", [RESULT, RESULT + CHALLENGE, RESULT + NOTHING])
@pytest.mark.parametrize("engine", [HTML, API], ids=["html", "api"])
@pytest.mark.requirement("S4-24")
def test_results_win_over_every_marker(engine: Engine, body: str) -> None:
    assert [hit.title for hit in judge.read(engine, page(body))] == ["How captcha works"]


@pytest.mark.parametrize("body", [CHALLENGE, CHALLENGE + NOTHING])
@pytest.mark.requirement("S3-21", "S4-24", "S4-25")
def test_a_challenge_needs_a_person(body: str) -> None:
    error = refusal(HTML, page(body))
    assert isinstance(error, WebBlocked)
    assert (error.detail_code, error.retryable) == ("captcha_required", False)
    assert "需要人工处理" in catalogue("zh").sentence(error)
    assert "proxy" in error.hint


def test_nothing_found_is_an_empty_list() -> None:
    assert judge.read(HTML, page(NOTHING)) == []
    assert judge.read(API, page()) == []


@pytest.mark.parametrize("body", ["", "<p>A new design</p>", "<form>Sign in</form>", "{}", "null"])
@pytest.mark.requirement("S3-22")
def test_an_unknown_page_is_drift_and_never_nothing_found(body: str) -> None:
    unknown = page(body)
    error = refusal(HTML, unknown)
    assert isinstance(error, WebParseError)
    assert (error.detail_code, error.engine) == ("drift", "html")
    assert error.page is unknown


def test_a_challenge_in_place_of_json_is_a_block() -> None:
    def parse(_: Page) -> list:
        raise WebParseError("The answer is not a JSON object.", detail_code="not_json")

    engine = engine_of("api", parse=parse)
    assert isinstance(refusal(engine, page(CHALLENGE)), WebBlocked)
    assert refusal(engine, page("<p>junk</p>")).detail_code == "not_json"


def test_an_engine_may_read_its_refusals_better() -> None:
    engine = engine_of(
        "api",
        refusal=lambda refused: BadGateway("No credits.") if refused.status == 400 else None,
    )
    error = refusal(engine, page(status=400, retry_after="7"))
    assert isinstance(error, BadGateway)
    assert (error.message, error.engine, error.retry_after) == ("No credits.", "api", 7)
    assert isinstance(refusal(engine, page(status=404)), WebProviderError)


def test_a_refusal_that_the_engine_cannot_read_is_an_ordinary_one() -> None:
    def refused(_: Page) -> SearchFailed:
        raise WebParseError("The answer is not a JSON object.")

    assert isinstance(refusal(engine_of("api", refusal=refused), page(status=502)), BadGateway)


@pytest.mark.parametrize(
    ("note", "asked_page", "titles"),
    [
        ("<b class=now>3</b>", 3, ["How captcha works"]),
        ("<b class=now>2</b>", 3, []),
        ("<b class=now>2</b>", 1, ["How captcha works"]),
        ("<b class=now>last</b>", 3, ["How captcha works"]),
        ("", 3, ["How captcha works"]),
    ],
)
def test_a_page_before_the_one_that_was_asked_for_is_past_the_end(
    note: str, asked_page: int, titles: list[str]
) -> None:
    engine = engine_of("html", markers=Markers(current_page=".now"))
    found = judge.read(engine, page(RESULT + note), asked_page=asked_page)
    assert [hit.title for hit in found] == titles


@pytest.mark.requirement("S3-16")
def test_the_body_of_a_refusal_is_not_in_the_sentence() -> None:
    for status in (200, 403, 429, 500):
        assert "marker-7" not in str(refusal(HTML, page("<p>marker-7</p>", status)))


NOW = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("retry_after", "date", "seconds"),
    [
        ("30", NOW, 30),
        (" 0 ", "", 0),
        ("Wed, 21 Oct 2026 07:28:45 GMT", NOW, 45),
        ("Wed, 21 Oct 2026 09:28:00 +0200", NOW, 0),
        ("Wed, 21 Oct 2026 07:00:00 GMT", NOW, 0),
        ("Wed, 21 Oct 2026 07:28:45 GMT", "", None),
        ("Wed, 21 Oct 2026 07:28:45 GMT", "yesterday", None),
        ("soon", NOW, None),
        ("-5", NOW, None),
        ("1.5", NOW, None),
        ("", NOW, None),
    ],
)
def test_the_wait_that_the_site_asks_for(
    retry_after: str, date: str, seconds: float | None
) -> None:
    refused = page(status=429, retry_after=retry_after, date=date)
    assert judge.retry_after(refused) == seconds
    assert refusal(HTML, refused).retry_after == seconds


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/html/?q=tea", "https://s.example/html/?q=tea"),
        ("?page=2", "https://s.example/search?page=2"),
        ("https://s.example/other", "https://s.example/other"),
        ("//S.example/other", "https://S.example/other"),
    ],
)
def test_a_redirect_within_the_host_is_followed(status: int, location: str, target: str) -> None:
    assert judge.redirect_target(HTML, page(status=status, location=location)) == target


@pytest.mark.parametrize(
    ("status", "location"), [(200, "/a"), (201, "/a"), (304, "/a"), (404, "/a"), (302, "")]
)
def test_everything_else_is_no_redirect(status: int, location: str) -> None:
    assert judge.redirect_target(HTML, page(status=status, location=location)) is None


@pytest.mark.parametrize(
    "location",
    [
        "https://other.example/",
        "//other.example/",
        "https://s.example.evil.example/",
        "javascript:alert(1)",
        "file:///etc/hosts",
        "http://[bad/",
    ],
)
@pytest.mark.requirement("S2-61")
def test_a_redirect_to_another_host_is_not_followed(location: str) -> None:
    redirect = page(status=302, location=location)
    with pytest.raises(WebParseError) as caught:
        judge.redirect_target(HTML, redirect)
    assert (caught.value.detail_code, caught.value.engine) == ("redirect", "html")
    assert caught.value.page is redirect


@pytest.mark.parametrize(
    "location",
    [
        "http://s.example/search",
        "http://s.example:8080/",
        "HTTP://s.example/",
        "http://www.s.example",
    ],
)
def test_a_redirect_from_tls_to_none_is_not_followed(location: str) -> None:
    with pytest.raises(WebParseError, match="from https to http") as caught:
        judge.redirect_target(HTML, page(status=301, location=location))
    assert caught.value.detail_code == "redirect"
    assert "CITESEEK_HTML_URL" in caught.value.hint


@pytest.mark.parametrize(
    ("asked", "location", "follows"),
    [
        ("https://s.example/a", "https://s.example/b", True),
        ("https://s.example/a", "https://s.example:443/b", True),
        ("http://s.example/a", "https://s.example/a", True),
        ("http://s.example:80/a", "https://s.example:443/a", True),
        ("http://s.example:8080/a", "https://s.example:8080/a", True),
        ("http://s.example:8080/a", "http://s.example:8081/a", False),
        ("http://s.example:8080/a", "https://s.example/a", False),
        ("https://s.example/a", "https://s.example:8443/a", False),
        ("https://s.example/a", "https://eu.s.example/a", False),
        ("https://www.s.example/a", "https://s.example/a", False),
        ("https://s.example/a", "https://s.example:bad/a", False),
    ],
)
def test_a_key_goes_to_no_other_server(asked: str, location: str, *, follows: bool) -> None:
    redirect = Page(url=asked, status=307, headers={"location": location})
    if follows:
        assert judge.redirect_target(API, redirect, has_secret=True) == location
        return
    with pytest.raises(WebParseError) as caught:
        judge.redirect_target(API, redirect, has_secret=True)
    assert caught.value.detail_code == "redirect"


def test_without_a_key_the_sites_own_other_host_may_answer() -> None:
    redirect = page(status=302, location="https://cn.s.example/search?q=tea")
    assert judge.redirect_target(HTML, redirect) == "https://cn.s.example/search?q=tea"


@pytest.mark.requirement("S3-21")
def test_a_redirect_to_a_challenge_is_a_block() -> None:
    redirect = page(status=302, location="https://sorry.example/captcha?to=x")
    with pytest.raises(WebBlocked) as caught:
        judge.redirect_target(HTML, redirect)
    assert (caught.value.detail_code, caught.value.engine) == ("captcha_required", "html")
    assert caught.value.page is redirect
