"""Signing in at GitHub, which speaks OAuth 2.0, at addresses of a server of one's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.sign_in.issuing import ALICE, Issuer, issuing
from tests.sign_in.signing_in import BACK, Browser, button_of, note_of, query_of, served

from citeseek.surfaces.sign_in.github_provider import api_of

GITHUB = {"CITESEEK_OIDC_PROVIDER": "github", "CITESEEK_OIDC_LABEL": ""}


@pytest.fixture(scope="module")
def github() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture(autouse=True)
def _as_alice(github: Issuer) -> None:
    github.account = dict(ALICE)
    github.asked.clear()


@pytest.fixture(scope="module")
def site(github: Issuer) -> Iterator[str]:
    with served(github, **GITHUB) as url:
        yield url


@pytest.fixture
def browser(site: str, github: Issuer) -> Browser:
    github.client.redirect_uris = [site + BACK]
    return Browser(site)


def test_a_person_signs_in_by_their_primary_address(browser: Browser, github: Issuer) -> None:
    page = browser.visit("/c/abc")
    assert f"Sign in with {github.url.partition('//')[2]}" in page.text
    assert browser.visit(button_of(page)).url.path == "/c/abc"
    assert browser.me() == {"name": "alice@example.org", "role": "owner"}
    asked = query_of(next(each for each in browser.seen if "/login/oauth/authorize?" in each))
    assert asked["scope"] == "read:user user:email"
    assert asked["code_challenge_method"] == "S256"
    assert "nonce" not in asked
    # Nobody is asked for what nothing depends on.
    assert github.asked == [
        "/login/oauth/authorize",
        "/login/oauth/access_token",
        "/api/v3/user",
        "/api/v3/user/emails",
    ]
    assert browser.post("/logout").headers["location"] == "/login"
    assert browser.me() is None


def test_an_address_that_github_has_not_verified_is_nobodys(
    browser: Browser, github: Issuer
) -> None:
    github.account["email_verified"] = False
    answer = browser.get(browser.go_to_issuer())
    assert answer.status_code == 403
    assert "has not verified your e-mail address" in note_of(answer)
    assert browser.me() is None


def test_a_code_that_github_does_not_take_is_told_with_200(
    browser: Browser, github: Issuer
) -> None:
    back = browser.go_to_issuer()
    github.codes.clear()
    answer = browser.get(back)
    assert answer.status_code == 400
    assert "Begin again" in note_of(answer)


@pytest.mark.release
def test_organizations_are_groups(github: Issuer) -> None:
    roles = {"CITESEEK_OIDC_ROLES": "Octo-Org:member", "CITESEEK_OIDC_NAME_CLAIM": "sub"}
    with served(github, **GITHUB, **roles) as url:
        browser = Browser(url)
        assert browser.get(browser.go_to_issuer()).status_code == 403
        github.organizations = ["somebody", "Octo-Org"]
        there = browser.get("/login/oidc?next=/").headers["location"]
        assert query_of(there)["scope"] == "read:user user:email read:org"
        browser.visit(there)
        me = browser.me()
    assert me is not None
    assert me["role"] == "member"
    assert me["name"].startswith("~~")


@pytest.mark.parametrize(
    ("site_", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://octo.ghe.com", "https://api.octo.ghe.com"),
        ("https://git.example.org", "https://git.example.org/api/v3"),
        ("https://github.com.example.org", "https://github.com.example.org/api/v3"),
        ("http://localhost:3000", "http://localhost:3000/api/v3"),
    ],
)
def test_the_api_is_beside_the_site(site_: str, api: str) -> None:
    assert api_of(site_) == api
