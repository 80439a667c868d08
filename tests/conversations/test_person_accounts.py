"""Everybody is held to a budget by the day, by all processes together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.conftest import settings

from citeseek import observing
from citeseek.conversations.person_accounts import PersonAccounts
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.usage import UsageMeter
from citeseek.errors import CiteseekError
from citeseek.observing.operation import Operation
from citeseek.person import Person, acting_as

ALICE, EVE = Person("alice", "member"), Person("eve", "guest")
DAY = 24 * 3600.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(tmp_path / "sessions.sqlite3")
    yield made
    await made.close()


def holding(
    store: SqliteStore, clock: Callable[[], float] = lambda: 0.0, **env: str
) -> PersonAccounts:
    return PersonAccounts(settings(env=env), store, clock=clock)


def does(accounts: PersonAccounts, person: Person, kind: str = "request", **about: int) -> str:
    """Do something for ``person``; return the code of what kept it back."""
    with acting_as(person), observing.watching(accounts):
        try:
            with observing.leaf(kind, "x") as operation:  # type: ignore[arg-type]
                assert operation
                observing.admit(operation)
                for name, value in about.items():
                    setattr(operation, name, value)
        except CiteseekError as error:
            return error.detail_code if error.values["case"] == "person" else "another's"
    return ""


async def test_each_has_a_day_of_their_own_and_guests_less(store: SqliteStore) -> None:
    now = 0.0
    accounts = holding(
        store, lambda: now, CITESEEK_PERSON_REQUESTS="3", CITESEEK_GUEST_REQUESTS="1"
    )
    assert [does(accounts, ALICE) for _ in range(4)] == ["", "", "", "budget_requests"]
    assert [does(accounts, EVE) for _ in range(2)] == ["", "budget_requests"]
    assert does(accounts, Person("bob", "member")) == ""
    now = DAY
    assert does(accounts, ALICE) == ""


async def test_nobody_is_limited_unless_it_is_set(store: SqliteStore) -> None:
    accounts = holding(store)
    with acting_as(EVE):
        assert accounts.account is None
    assert does(accounts, EVE, received_bytes=1_000_000_000) == ""


async def test_tokens_of_today_are_remembered_when_a_server_begins_anew(
    store: SqliteStore,
) -> None:
    usage = UsageMeter(store)
    with acting_as(ALICE):
        usage.ended(Operation(kind="model", name="m", input_tokens=700, output_tokens=300))
    await usage.flush()
    accounts = holding(store, CITESEEK_PERSON_TOKENS="1000")
    await accounts.begin()
    assert does(accounts, ALICE, "model") == "budget_tokens"
    assert does(accounts, EVE, "model", input_tokens=999, output_tokens=1) == ""
    assert does(accounts, EVE, "model") == "budget_tokens"
    await accounts.close()


async def test_money_is_what_the_prices_make_of_it(store: SqliteStore) -> None:
    prices = {"CITESEEK_MODEL_PRICE_IN": "1000", "CITESEEK_MODEL_PRICE_OUT": "2000"}
    accounts = holding(store, CITESEEK_PERSON_MONEY="1.5", **prices)
    assert does(accounts, ALICE, "model", input_tokens=500, output_tokens=500) == ""
    assert does(accounts, ALICE, "model") == "budget_money"
