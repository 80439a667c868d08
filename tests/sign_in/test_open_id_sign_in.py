"""Signing in by OpenID Connect, over HTTP, at an issuer that Authlib's own server side is."""

from __future__ import annotations

import base64
import hmac
import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey
from tests.mcp_server.authorization_server import unused_port
from tests.sign_in.issuing import ALICE, CLIENT, SECRET, Issuer, issuing
from tests.sign_in.signing_in import (
    BACK,
    START,
    TOKEN,
    Browser,
    button_of,
    note_of,
    query_of,
    served,
)

BOB = {"sub": "77", "email": "bob@example.org", "email_verified": True}
CAROL = {"sub": "99", "email": "carol@example.com", "email_verified": True}


@pytest.fixture(scope="module")
def one_issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def issuer(one_issuer: Issuer) -> Issuer:
    one_issuer.account = dict(ALICE)
    one_issuer.forge, one_issuer.is_gone, one_issuer.only_told = None, False, set()
    one_issuer.client.secret = SECRET
    one_issuer.client.auth_methods = ["client_secret_basic", "client_secret_post"]
    one_issuer.ended.clear()
    one_issuer.asked.clear()
    return one_issuer


@pytest.fixture(scope="module")
def one_site(one_issuer: Issuer) -> Iterator[str]:
    with served(one_issuer) as url:
        yield url


@pytest.fixture
def site(one_site: str, issuer: Issuer) -> str:
    # Other tests serve sites of their own, which the issuer knows then.
    issuer.client.redirect_uris = [one_site + BACK]
    issuer.client.client_metadata = {"post_logout_redirect_uris": [f"{one_site}/login"]}
    return one_site


@pytest.fixture
def browser(site: str) -> Browser:
    return Browser(site)


def test_a_person_signs_in_and_comes_back_to_what_they_wanted(
    browser: Browser, issuer: Issuer
) -> None:
    page = browser.visit("/c/abc?lang=en")
    assert "Sign in with Example ID" in page.text
    assert "<script" not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    end = browser.visit(button_of(page))
    assert end.url.path == "/c/abc"
    assert end.json() == {"name": "alice@example.org", "role": "owner"}
    asked = query_of(next(each for each in browser.seen if "/authorize?" in each))
    assert asked["redirect_uri"] == browser.url + BACK
    assert asked["scope"] == "openid email profile"
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) == len(asked["nonce"]) == len(asked["code_challenge"]) == 43
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    # Whoever is in needs no login, and nothing of the way is left.
    assert browser.get("/login?next=/c/abc").headers["location"] == "/c/abc"
    assert [each.name for each in browser.http.cookies.jar] == ["citeseek_login"]


@pytest.mark.parametrize(
    ("lang", "button"),
    [
        ("en-GB", "Sign in with Example ID"),
        ("zh-CN", "使用 Example ID 登录"),
        ("ja", "Example ID でログイン"),
    ],
)
def test_the_button_is_in_the_readers_language(site: str, lang: str, button: str) -> None:
    page = Browser(site, lang).get("/login")
    assert button in page.text
    assert f'<html lang="{lang[:2]}' in page.text


def test_the_cookies_are_for_nobody_else(browser: Browser) -> None:
    begun = browser.get(f"{START}?next=/")
    way = begun.headers["set-cookie"]
    assert re.match(r"citeseek_sign_in_[0-9a-f]{16}=", way)
    assert "HttpOnly" in way
    assert "SameSite=lax" in way
    assert "Max-Age=600" in way
    back = browser.http.get(browser.http.get(begun.headers["location"]).headers["location"])
    login, gone = back.headers.get_list("set-cookie")
    assert login.startswith("citeseek_login=")
    assert "SameSite=strict" in login
    assert "Max-Age=43200" in login
    assert "HttpOnly" in login
    assert "Max-Age=0" in gone


def test_over_https_the_cookie_is_of_this_host_alone(issuer: Issuer) -> None:
    with served(issuer, CITESEEK_URL="https://search.example.org") as url:
        page = Browser(url).get("/login?next=/c/abc", Host="search.example.org")
        assert button_of(page) == f"https://search.example.org{START}?next=/c/abc"
        begun = Browser(url).get(f"{START}?next=/", Host="search.example.org")
    assert begun.headers["set-cookie"].startswith("__Host-citeseek_sign_in_")
    assert "Secure" in begun.headers["set-cookie"]
    assert "Path=/;" in begun.headers["set-cookie"]
    asked = query_of(begun.headers["location"])
    assert asked["redirect_uri"] == f"https://search.example.org{BACK}"


def test_two_people_are_two(site: str, issuer: Issuer) -> None:
    alice, bob = Browser(site), Browser(site)
    alice.sign_in()
    issuer.account = BOB
    bob.sign_in()
    assert alice.me() == {"name": "alice@example.org", "role": "owner"}
    assert bob.me() == {"name": "bob@example.org", "role": "member"}


def test_several_tabs_are_signed_in_whichever_is_first(browser: Browser) -> None:
    first = browser.go_to_issuer("/c/one")
    second = browser.go_to_issuer("/c/two")
    assert browser.visit(first).url.path == "/c/one"
    assert browser.visit(second).url.path == "/c/two"
    for _ in range(12):
        browser.get(f"{START}?next=/")
    assert len(browser.http.cookies) <= 6


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_led_to_another_site(browser: Browser, wanted: str) -> None:
    end = browser.visit(f"{START}?{urlencode({'next': wanted})}")
    assert str(end.url) == f"{browser.url}/"
    assert end.json()["role"] == "owner"


@pytest.mark.parametrize("state", ["", "x" * 43, "é"])
def test_an_answer_with_another_state_is_not_taken(
    browser: Browser, issuer: Issuer, state: str
) -> None:
    back = browser.go_to_issuer()
    code = query_of(back)["code"]
    issuer.asked.clear()
    answer = browser.get(f"{BACK}?{urlencode({'code': code, 'state': state})}")
    assert answer.status_code == 400
    assert "was not begun in this browser" in note_of(answer)
    assert browser.me() is None
    assert issuer.asked == []


def test_an_answer_for_another_browser_is_not_taken(browser: Browser, site: str) -> None:
    """Nobody signs somebody else in to an account of their own."""
    back = Browser(site).go_to_issuer()
    assert browser.get(back).status_code == 400
    assert browser.me() is None


def test_a_code_is_taken_once(browser: Browser) -> None:
    back = browser.go_to_issuer()
    kept = [(each.name, each.value) for each in browser.http.cookies.jar]
    assert browser.visit(back).status_code == 200
    assert browser.get(back).status_code == 400
    other = Browser(browser.url)
    for name, value in kept:
        other.http.cookies.set(name, value)
    answer = other.get(back)
    assert answer.status_code == 400
    assert "used already" in note_of(answer)
    assert other.me() is None


@pytest.mark.release
def test_a_sign_in_takes_at_most_ten_minutes(issuer: Issuer) -> None:
    now = [time.time()]
    with served(issuer, how={"now": lambda: now[0]}) as url:
        browser = Browser(url)
        back = browser.go_to_issuer()
        now[0] += 601
        assert browser.get(back).status_code == 400


def forged(**claims: Any) -> Callable[[Issuer], Callable[[dict[str, Any]], str]]:
    return lambda issuer: lambda right: issuer.sign({**right, **claims})


def without(name: str) -> Callable[[Issuer], Callable[[dict[str, Any]], str]]:
    return lambda issuer: (
        lambda right: issuer.sign({key: value for key, value in right.items() if key != name})
    )


def sealed(claims: dict[str, Any], secret: bytes) -> str:
    """Return an ID token that is sealed by what is no secret; libraries refuse to make one."""
    parts = ({"alg": "HS256", "kid": "first"}, claims)
    said = ".".join(encode(json.dumps(each).encode()) for each in parts)
    return f"{said}.{encode(hmac.digest(secret, said.encode(), 'sha256'))}"


def encode(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


SHARED = OctKey.import_key(SECRET)
FORGED: dict[str, Callable[[Issuer], Callable[[dict[str, Any]], str]]] = {
    "another nonce": forged(nonce="x" * 43),
    "no nonce": without("nonce"),
    "another audience": forged(aud="somebody-else"),
    "no audience": without("aud"),
    "several audiences without azp": forged(aud=[CLIENT, "somebody-else"]),
    "azp of another": forged(aud=[CLIENT, "somebody-else"], azp="somebody-else"),
    "another issuer": forged(iss="https://evil.example"),
    "the issuer with a slash": lambda issuer: (
        lambda right: issuer.sign({**right, "iss": f"{issuer.url}/"})
    ),
    "no subject": without("sub"),
    "a subject that is no text": forged(sub=5),
    "no end": without("exp"),
    "from tomorrow": forged(iat=int(time.time()) + 86_400),
    "not yet": forged(nbf=int(time.time()) + 86_400),
    "of another access token": forged(at_hash="x" * 22),
    "no signature": lambda issuer: lambda right: issuer.sign(right, alg="none"),
    "by the client secret": lambda issuer: (
        lambda right: issuer.sign(right, alg="HS256", key=SHARED)
    ),
    "by the public key as a secret": lambda issuer: (
        lambda right: sealed(right, issuer.keys["first"].as_pem(private=False))
    ),
    "by another key": lambda issuer: (
        lambda right: issuer.sign(right, key=ECKey.generate_key("P-256"))
    ),
    "by an unknown key": lambda issuer: (
        lambda right: issuer.sign(right, key=ECKey.generate_key("P-256"), kid="unknown")
    ),
    "no token": lambda _: lambda _: "",
    "three dots": lambda _: lambda _: "..",
}


@pytest.mark.sample(8)
@pytest.mark.parametrize("how", FORGED)
def test_an_id_token_that_is_not_right_lets_nobody_in(
    browser: Browser, issuer: Issuer, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    made = []

    def forge(right: dict[str, Any]) -> str:
        made.append(FORGED[how](issuer)(right))
        return made[0]

    issuer.forge = forge
    back = browser.go_to_issuer()
    answer = browser.get(back)
    assert answer.status_code == 502
    assert "could not be verified" in note_of(answer)
    assert browser.me() is None
    assert "A sign-in from 127.0.0.1 failed" in caplog.text
    assert query_of(back)["code"] not in caplog.text
    assert not made[0].strip(".") or made[0] not in caplog.text


def test_an_id_token_that_is_over_is_a_matter_of_clocks(browser: Browser, issuer: Issuer) -> None:
    now = int(time.time())
    issuer.forge = lambda right: issuer.sign({**right, "iat": now - 900, "exp": now - 120})
    answer = browser.get(browser.go_to_issuer())
    assert answer.status_code == 502
    assert "clocks" in note_of(answer)
    assert browser.me() is None
    # Clocks may be a minute apart.
    issuer.forge = lambda right: issuer.sign({**right, "iat": now + 30, "exp": now - 30})
    assert browser.visit(browser.go_to_issuer()).status_code == 200


@pytest.mark.release
def test_new_keys_are_found(browser: Browser, issuer: Issuer) -> None:
    browser.sign_in()
    issuer.keys["second"] = RSAKey.generate_key(2_048)
    issuer.signs_with = "second"
    try:
        other = Browser(browser.url)
        other.sign_in()
        assert other.me() == browser.me()
        # The same name, and another key behind it.
        issuer.keys["second"] = ECKey.generate_key("P-256")
        third = Browser(browser.url)
        third.sign_in()
        assert third.me() == browser.me()
    finally:
        issuer.signs_with = "first"
        del issuer.keys["second"]


@pytest.mark.parametrize("verified", [False, None, "false", 1, "yes"])
def test_an_address_that_is_not_verified_is_nobody_elses(
    browser: Browser, issuer: Issuer, verified: object
) -> None:
    issuer.account = {"sub": "666", "email": "alice@example.org", "email_verified": verified}
    answer = browser.get(browser.go_to_issuer())
    assert answer.status_code == 403
    assert "has not verified your e-mail address" in note_of(answer)
    assert browser.me() is None


def test_whom_the_settings_do_not_name_is_told_under_which_name(
    browser: Browser, issuer: Issuer
) -> None:
    issuer.account = CAROL
    answer = browser.get(browser.go_to_issuer())
    assert answer.status_code == 403
    assert "carol@example.com may not use this server" in note_of(answer)
    # Somebody else may sign in, and comes to where this one wanted to go.
    assert query_of(button_of(answer))["next"] == "/c/abc"
    assert browser.me() is None


@pytest.mark.release
def test_others_have_a_role_when_there_is_one(issuer: Issuer) -> None:
    who = []
    with served(issuer, CITESEEK_OIDC_ROLE="guest") as url:
        for account in (CAROL, {**CAROL, "email_verified": False}, {"sub": "5"}, ALICE):
            issuer.account = dict(account)
            browser = Browser(url)
            browser.sign_in()
            who.append(browser.me())
    assert who[0] == {"name": "carol@example.com", "role": "guest"}
    assert who[1] is not None
    assert re.fullmatch(r"~~[0-9a-f]{32}", who[1]["name"])
    assert who[2] is not None
    assert who[2]["name"] != who[1]["name"]
    assert who[3] == {"name": "alice@example.org", "role": "owner"}


@pytest.mark.release
def test_domains_and_groups_decide_who_comes_in_and_as_what(issuer: Issuer) -> None:
    roles = {
        "CITESEEK_OIDC_DOMAINS": "example.com, @example.net",
        "CITESEEK_OIDC_ROLES": "/staff:member, admins:owner, visitors:guest",
    }
    with served(issuer, **roles) as url:

        def come(**account: Any) -> tuple[int, str]:
            issuer.account = {**CAROL, **account}
            browser = Browser(url)
            status = browser.visit(f"{START}?next=/").status_code
            me = browser.me()
            return status, me["role"] if me else ""

        assert come(groups=["/staff"]) == (200, "member")
        assert come(groups=["visitors", "admins", "/staff"]) == (200, "owner")
        assert come(groups=["visitors", 5, None]) == (200, "guest")
        assert come(groups="other visitors") == (200, "guest")
        assert come(groups=["others"]) == (403, "")
        assert come() == (403, "")
        assert come(groups=["admins"], email="carol@example.org") == (403, "")
        assert come(groups=["admins"], email="carol@sub.example.com") == (403, "")
        assert come(groups=["admins"], email_verified=False) == (403, "")
        assert come(groups=["visitors"], email="alice@example.org") == (200, "owner")
        # Some issuers say these only when they are asked with the access token.
        issuer.only_told = {"groups", "email", "email_verified"}
        assert come(groups=["/staff"]) == (200, "member")


@pytest.mark.release
def test_a_person_may_be_known_by_another_claim(issuer: Issuer) -> None:
    named = {"CITESEEK_PEOPLE": "carol:owner", "CITESEEK_OIDC_NAME_CLAIM": "preferred_username"}
    with served(issuer, CITESEEK_OIDC_ROLE="member", **named) as url:

        def come(**account: Any) -> str:
            issuer.account = {"sub": "12", **account}
            browser = Browser(url)
            browser.sign_in()
            me = browser.me()
            assert me is not None
            return me["name"]

        assert come(preferred_username="Carol") == "carol"
        assert come(preferred_username="a b").startswith("~~")
        unverified = {"email": "carol", "email_verified": False}
        assert come(preferred_username="carol", **unverified).startswith("~~")


@pytest.mark.release
def test_the_subject_is_who_it_is_over_mcp(issuer: Issuer) -> None:
    same = {"CITESEEK_MCP_ISSUER": issuer.url, "CITESEEK_MCP_URL": "http://127.0.0.1:1/mcp"}
    with served(issuer, CITESEEK_OIDC_ROLE="member", CITESEEK_OIDC_NAME_CLAIM="sub", **same) as url:
        browser = Browser(url)
        browser.sign_in()
        assert browser.me() == {"name": "~248289761001", "role": "member"}


@pytest.mark.release
def test_who_is_taken_out_or_has_another_role_is_so_at_once(issuer: Issuer) -> None:
    """With the settings of then the cookie of before says who it is, and no more what they may."""
    port, roles = unused_port(), []
    with served(issuer, port=port) as url:
        browser = Browser(url)
        browser.sign_in()
        assert browser.me() == {"name": "alice@example.org", "role": "owner"}
    for changed in (
        {"CITESEEK_PEOPLE": "alice@example.org:guest"},
        {"CITESEEK_PEOPLE": "bob@example.org:member"},
        {},
        {"CITESEEK_OIDC_CLIENT_SECRET": "another-secret-of-the-client"},
    ):
        with served(issuer, port=port, **changed):
            me = browser.me()
            roles.append(me["role"] if me else None)
    assert roles == ["guest", None, "owner", None]


@pytest.mark.release
def test_a_sign_in_holds_for_its_hours(issuer: Issuer) -> None:
    now = [time.time()]
    with served(issuer, how={"now": lambda: now[0]}, CITESEEK_OIDC_HOURS="0.5") as url:
        browser = Browser(url)
        browser.sign_in()
        cookie = {"Cookie": f"citeseek_login={browser.http.cookies['citeseek_login']}"}
        now[0] += 1_790
        assert browser.get("/api/v1/me", **cookie).status_code == 200
        now[0] += 20
        assert browser.get("/api/v1/me", **cookie).status_code == 401


def test_the_audit_log_says_who_signed_in(issuer: Issuer, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    with served(issuer, CITESEEK_AUDIT_LOG=str(log)) as url:
        browser = Browser(url)
        browser.sign_in()
        issuer.account = CAROL
        Browser(url).visit(f"{START}?next=/")
    told = [json.loads(line) for line in log.read_text().splitlines()]
    signed = [each for each in told if each["event"] == "sign_in"]
    assert [(each["outcome"], each.get("person")) for each in signed] == [
        ("done", "alice@example.org"),
        ("refused", None),
    ]


def test_log_out_ends_it_here_and_there(browser: Browser, issuer: Issuer) -> None:
    browser.sign_in()
    cookie = {"Cookie": f"citeseek_login={browser.http.cookies['citeseek_login']}"}
    page = browser.post("/logout")
    # A form may lead to no other site, which browsers hold redirects to as well.
    assert page.status_code == 200
    end = browser.follow(page)
    assert str(end.url) == f"{browser.url}/login"
    assert issuer.ended == ["248289761001"]
    asked = query_of(next(each for each in browser.seen if "/end?" in each))
    assert asked == {
        "client_id": CLIENT,
        "post_logout_redirect_uri": f"{browser.url}/login",
    }
    assert browser.me() is None
    assert Browser(browser.url).get("/api/v1/me", **cookie).status_code == 401


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        ("", 502, "could not be verified"),
        ("access_denied", 403, "did not let you in"),
        ("temporarily_unavailable", 503, "cannot be reached"),
        ("invalid_scope", 502, "(invalid_scope)"),
        ("<b>x</b>", 502, "(an error without a code)"),
    ],
)
def test_what_the_issuer_says_instead_of_a_code_is_told(
    browser: Browser, error: str, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    state = query_of(browser.go_to_issuer())["state"]
    told = {"error": error, "error_description": "marked-description", "state": state}
    answer = browser.get(f"{BACK}?{urlencode(told)}")
    assert answer.status_code == status
    assert said in note_of(answer)
    assert "marked-description" not in answer.text + caplog.text
    assert state not in caplog.text


def test_an_answer_of_another_issuer_is_not_taken(browser: Browser, issuer: Issuer) -> None:
    back = browser.go_to_issuer()
    answer = browser.get(f"{back}&iss=https://evil.example")
    assert answer.status_code == 502
    assert browser.me() is None
    right = f"{browser.go_to_issuer()}&{urlencode({'iss': issuer.url})}"
    assert browser.visit(right).status_code == 200


def test_a_secret_that_the_issuer_does_not_know_is_told_to_whoever_runs_the_server(
    browser: Browser, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    issuer.client.secret = "another-secret-of-the-client"
    answer = browser.get(browser.go_to_issuer())
    assert answer.status_code == 502
    assert "does not accept this server (invalid_client)" in note_of(answer)
    assert SECRET not in caplog.text + answer.text


@pytest.mark.release
def test_who_takes_the_secret_in_the_body_gets_it_there(issuer: Issuer) -> None:
    issuer.client.auth_methods = ["client_secret_post"]
    with served(issuer) as url:
        browser = Browser(url)
        assert browser.sign_in().status_code == 200


def test_while_the_issuer_is_away_others_come_in(issuer: Issuer) -> None:
    with served(issuer) as url:
        browser = Browser(url)
        issuer.is_gone = True
        for _ in range(2):
            answer = browser.get(f"{START}?next=/")
            assert answer.status_code == 503
            assert "Example ID cannot be reached" in note_of(answer)
            assert 'name="token"' in answer.text
        # It is not asked again at once for everybody who comes.
        assert issuer.asked == ["/.well-known/openid-configuration"]
        with_token = {"Authorization": f"Bearer {TOKEN}"}
        assert browser.get("/api/v1/me", **with_token).json() == {"name": "", "role": "owner"}
        form = {"token": TOKEN, "next": "/"}
        logged_in = browser.http.post(f"{url}/login", data=form, headers={"Origin": url})
        assert logged_in.status_code == 303
        assert browser.me() == {"name": "", "role": "owner"}
        # Who is signed out while it is away stays here.
        assert browser.post("/logout").headers["location"] == "/login"


def test_who_is_in_stays_in_while_the_issuer_is_away(browser: Browser, issuer: Issuer) -> None:
    browser.sign_in()
    back = Browser(browser.url)
    there = back.go_to_issuer()
    issuer.is_gone = True
    assert browser.me() == {"name": "alice@example.org", "role": "owner"}
    answer = back.get(there)
    assert answer.status_code == 503
    assert "Example ID cannot be reached" in note_of(answer)


def test_the_way_in_takes_nothing_but_get(browser: Browser) -> None:
    for path in (START, BACK):
        assert browser.post(path).status_code == 405


def test_without_tokens_there_is_a_button_alone(issuer: Issuer) -> None:
    with served(issuer, CITESEEK_TOKEN="") as url:
        page = Browser(url).get("/login")
        assert 'name="token"' not in page.text
        assert urlsplit(button_of(page)).path == START
        # Everybody on this machine is asked who they are.
        assert Browser(url).get("/api/v1/me").status_code == 401
