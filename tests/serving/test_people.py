"""Who is named in the settings, and as whom they come in."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.conftest import settings
from tests.serving.guarding import Guarded, guarding

from citeseek.errors import InvalidInput
from citeseek.person import OPERATOR, Person, current_person
from citeseek.searching.engine_registry import Registry
from citeseek.settings import for_traces
from citeseek.settings.known_people import KnownPerson, read_people
from citeseek.settings.values import UnreadableValue
from citeseek.surfaces import overview
from citeseek.surfaces.server.rules import Rules

OWN, ALICE, BOB = "marked-token-8c1d4e", "alices-token-5d1c0e:x", "bobs-token-77ab41"
NAME = "alice@example.org"
PEOPLE = f"Alice@Example.org:owner:{ALICE} , bob : guest:{BOB},carol:member"


async def _told(request: Request) -> Response:
    person = current_person()
    caller = request.scope.get("state", {}).get("caller", "")
    return JSONResponse({"name": person.name, "role": person.role, "caller": caller})


@pytest.fixture
def served() -> Iterator[Guarded]:
    rules = Rules.of(settings(env={"CITESEEK_TOKEN": OWN, "CITESEEK_PEOPLE": PEOPLE}))
    with guarding(rules, app=Starlette(routes=[Route("/{path:path}", _told)])) as running:
        yield running


def test_people_are_read() -> None:
    assert read_people(PEOPLE) == (
        KnownPerson(Person("alice@example.org", "owner"), ALICE),
        KnownPerson(Person("bob", "guest"), BOB),
        KnownPerson(Person("carol", "member")),
    )
    assert ALICE not in repr(read_people(PEOPLE))


@pytest.mark.parametrize("between", ["; ", ";", " ", "|", "\n"])
def test_another_separator_than_a_comma_makes_no_token_of_two_people(between: str) -> None:
    with pytest.raises(UnreadableValue) as told:
        read_people(f"alice:owner:{ALICE}{between}bob:member:{BOB}")
    assert told.value.code == "people_separator"


@pytest.mark.parametrize("people", ["alice:owner", "alice:owner,bob:guest"])
def test_people_of_whom_nobody_could_come_in_are_refused(people: str) -> None:
    with pytest.raises(InvalidInput, match="Nobody could come in"):
        Rules.of(settings(env={"CITESEEK_PEOPLE": people}))
    Rules.of(settings(env={"CITESEEK_PEOPLE": people, "CITESEEK_TOKEN": OWN}))


def test_a_token_that_is_empty_is_refused() -> None:
    with pytest.raises(UnreadableValue) as told:
        read_people("alice:owner:")
    assert told.value.code == "people_token_short"


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (OWN, {"name": "", "role": "owner", "caller": "token 1"}),
        (ALICE, {"name": NAME, "role": "owner", "caller": f"person {NAME}"}),
        (BOB, {"name": "bob", "role": "guest", "caller": "person bob"}),
    ],
)
def test_a_token_is_a_person_in_a_header_and_by_a_login(
    served: Guarded, token: str, told: dict[str, str]
) -> None:
    bearer = {"Authorization": f"Bearer {token}"}
    assert served.call("GET", "/api/v1/x", headers=bearer).json() == told
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = served.call("POST", "/login", f"token={token}".encode(), form)
    cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
    assert served.call("GET", "/api/v1/x", headers=cookie).json() == told


@pytest.mark.parametrize("given", ["", "member", "carol", "carol:member"])
def test_who_has_no_token_does_not_come_in_with_none(served: Guarded, given: str) -> None:
    headers = {"Authorization": f"Bearer {given}"}
    assert served.call("GET", "/api/v1/x", headers=headers).status == 401


def test_without_any_token_there_is_one_person() -> None:
    with guarding(Rules(), app=Starlette(routes=[Route("/{path:path}", _told)])) as running:
        told = running.call("GET", "/api/v1/x").json()
    assert told == {"name": OPERATOR.name, "role": OPERATOR.role, "caller": ""}


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ("alice", "role of alice"),
        (f"alice:{ALICE}", "role of alice"),
        (f":member:{BOB}", "name of entry 1"),
        (f"a b:member:{BOB}", "name of entry 1"),
        (f"../x:member:{BOB}", "name of entry 1"),
        (f"\u00e9ve:member:{BOB}", "cannot be read"),
        (f"bob:boss:{BOB}", "role of bob"),
        ("bob:member:short", "token of bob has less than 16"),
        (f"bob:member:{BOB},BOB:guest", "bob stands there twice"),
        (f"bob:member:{BOB},eve:guest:{BOB}", "eve has the token of somebody else"),
        (f"bob:member:{OWN}", "bob has a token of CITESEEK_TOKEN"),
        (f"bob:member:{BOB},", "name of entry 2"),
    ],
)
def test_what_cannot_be_read_keeps_the_server_from_starting(people: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why) as refused:
        Rules.of(settings(env={"CITESEEK_TOKEN": OWN, "CITESEEK_PEOPLE": people}))
    for token in (ALICE, BOB, OWN):
        assert token not in str(refused.value)


def test_people_alone_open_a_server_to_the_network() -> None:
    given = settings(env={"CITESEEK_PEOPLE": f"bob:member:{BOB}"})
    assert [each.visitor.person.name for each in Rules.of(given, host="0.0.0.0").holders] == ["bob"]  # noqa: S104
    with pytest.raises(InvalidInput, match="CITESEEK_TOKEN"):
        Rules.of(settings(), host="0.0.0.0")  # noqa: S104


def test_tokens_of_people_are_told_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    loaded = settings(env={"CITESEEK_PEOPLE": PEOPLE})
    loaded.log_values()
    rules = Rules.of(loaded)
    shown = [
        caplog.text,
        repr(rules),
        repr(rules.holders),
        str(overview.settings(Registry(), loaded)),
    ]
    for token in (ALICE, BOB):
        assert [text for text in shown if token in text] == []
        assert token in for_traces.secrets(loaded, [])


def test_strangers_guesses_lock_nobody_out(served: Guarded) -> None:
    guessed = {"Authorization": "Bearer a-wrong-token-of-a-stranger"}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    told = [served.call("GET", "/api/v1/x", headers=guessed).status for _ in range(11)]
    # Guesses at the login and in a header count together.
    assert told[0] == 401
    assert told[-1] == 429
    assert served.call("POST", "/login", b"token=another-wrong-token", form).status == 429
    for token in (OWN, ALICE, BOB):
        right = {"Authorization": f"Bearer {token}"}
        assert served.call("GET", "/api/v1/x", headers=right).status == 200
        assert served.call("POST", "/login", f"token={token}".encode(), form).status == 303
