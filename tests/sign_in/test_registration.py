"""What the settings say of signing in elsewhere; what is missing or unreadable stops a start."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import settings

from citeseek.errors import InvalidInput
from citeseek.i18n import catalogue, languages
from citeseek.surfaces.server import login_page
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.sign_in.provider import STATUS
from citeseek.surfaces.sign_in.registration import Registration

WHOLE = {
    "CITESEEK_URL": "https://search.example.org",
    "CITESEEK_OIDC_ISSUER": "https://id.example.org/",
    "CITESEEK_OIDC_CLIENT_ID": "citeseek",
    "CITESEEK_OIDC_CLIENT_SECRET": "marked-secret-of-a-client",
    "CITESEEK_OIDC_ROLE": "member",
}


def registered(**env: str) -> Registration:
    found = Rules.of(settings(env={**WHOLE, **env})).sign_in
    assert found is not None
    return found


def test_what_is_set_is_what_both_sides_know() -> None:
    found = registered()
    assert found.issuer == "https://id.example.org/"
    assert found.redirect_uri == "https://search.example.org/login/oidc/callback"
    assert found.label == "id.example.org"
    assert found.scopes == "openid email profile"
    assert found.hours == 12
    assert WHOLE["CITESEEK_OIDC_CLIENT_SECRET"] not in repr(found)


def test_github_needs_no_address() -> None:
    found = registered(CITESEEK_OIDC_PROVIDER="github", CITESEEK_OIDC_ISSUER="")
    assert (found.issuer, found.label) == ("https://github.com", "GitHub")
    assert found.scopes == "read:user user:email"
    with_roles = registered(CITESEEK_OIDC_PROVIDER="github", CITESEEK_OIDC_ROLES="octo:owner")
    assert with_roles.scopes == "read:user user:email read:org"


def test_the_server_is_reached_by_its_address_and_has_a_door() -> None:
    rules = Rules.of(settings(env=WHOLE), host="0.0.0.0")  # noqa: S104 - nothing listens
    assert rules.allows("search.example.org")
    assert not rules.allows("evil.example.org")
    assert rules.has_door


def test_nothing_is_on_by_itself() -> None:
    assert Rules.of(settings()).sign_in is None
    assert Rules.of(settings(env={"CITESEEK_URL": WHOLE["CITESEEK_URL"]})).sign_in is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"CITESEEK_URL": ""}, "server.url"),
        ({"CITESEEK_OIDC_CLIENT_ID": ""}, "server.oidc_client_id"),
        ({"CITESEEK_OIDC_CLIENT_SECRET": ""}, "server.oidc_client_secret"),
        ({"CITESEEK_OIDC_ISSUER": ""}, "server.oidc_issuer"),
        ({"CITESEEK_OIDC_CLIENT_SECRET": "short"}, "less than 16"),
        ({"CITESEEK_OIDC_ISSUER": "http://id.example.org"}, "https"),
        ({"CITESEEK_URL": "http://search.example.org"}, "https"),
        ({"CITESEEK_URL": "https://example.org/search"}, "without a path"),
        ({"CITESEEK_OIDC_ISSUER": "not an address"}, "cannot be read"),
        ({"CITESEEK_OIDC_DOMAINS": ", ,"}, "cannot be read"),
        ({"CITESEEK_OIDC_ROLE": "owner"}, "cannot be read"),
        ({"CITESEEK_OIDC_HOURS": "never"}, "cannot be read"),
        ({"CITESEEK_OIDC_CLIENT_SECRET": "\N{SNOWMAN}" * 20}, "cannot be read"),
        ({"CITESEEK_OIDC_ROLES": "staff"}, "no group and role"),
        ({"CITESEEK_OIDC_ROLES": "staff:boss"}, "no group and role"),
        ({"CITESEEK_OIDC_ROLES": ":member"}, "no group and role"),
        ({"CITESEEK_OIDC_ROLE": "none"}, "nobody of them"),
    ],
)
def test_what_is_wrong_keeps_the_server_from_starting(changed: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as caught:
        registered(**changed)
    for lang in languages():
        sentence = catalogue(lang).sentence(caught.value)
        assert "marked-secret" not in sentence
        assert (sentence == str(caught.value)) <= (lang == "en")


def test_whoever_is_named_is_enough() -> None:
    named = registered(CITESEEK_OIDC_ROLE="none", CITESEEK_PEOPLE="alice@example.org:owner")
    assert named.admission.people[0].person.name == "alice@example.org"
    assert registered(CITESEEK_OIDC_ROLE="none", CITESEEK_OIDC_ROLES="a:b:member").admission.roles


def test_every_word_of_the_login_is_asked_for() -> None:
    folder = Path(login_page.__file__).parent / "templates"
    templates = "".join(file.read_text(encoding="utf-8") for file in folder.iterdir())
    asked = set(re.findall(r'"(login\.\w+)"', templates))
    asked |= {f"login.{said}" for said in ("wrong", "wait", "signed_in", "signed_out")}
    asked |= {f"login.failed.{case}" for case in STATUS}
    assert asked == {key for key in catalogue("en") if key.startswith("login.")}
