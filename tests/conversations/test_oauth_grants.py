"""Grants and their tokens in both databases: what counts once counts once, and little is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from citeseek.conversations import oauth_clients, oauth_grants
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import erase_rows
from citeseek.conversations.oauth_clients import ClientRecord, RegisteredClients
from citeseek.conversations.oauth_grants import (
    ACCESS_SECONDS,
    CODE_SECONDS,
    REFRESH_SECONDS,
    Consent,
    Grants,
    IssuedPair,
)
from citeseek.conversations.postgres_store import PostgresStore
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.tables import OAUTH_TOKENS
from citeseek.errors import NoProgram, NotPermitted
from citeseek.person import Person, acting_as

ALICE, BOB, EVE = Person("alice", "member"), Person("bob", "member"), Person("eve", "guest")
DAY = 24 * 3600


class Clock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[DatabaseStore]:
    store: DatabaseStore
    if request.param == "file":
        store = SqliteStore(tmp_path / "sessions.sqlite3")
    else:
        store = PostgresStore(request.getfixturevalue("database"))
    yield store
    await store.close()


def consent(client: str = "a client") -> Consent:
    return Consent(
        client=client,
        name="A host",
        host="host.example",
        resource="https://search.example.org/mcp",
        scope="mcp",
        redirect_uri="https://host.example/back",
        challenge="x" * 43,
    )


async def connected(grants: Grants, person: Person, client: str = "a client") -> IssuedPair:
    with acting_as(person):
        pair = await grants.redeem("code", await grants.begin(consent(client)))
    assert pair is not None
    return pair


async def count_tokens(database: DatabaseStore) -> int:
    def counted(connection: Connection) -> int:
        return connection.scalar(select(func.count()).select_from(OAUTH_TOKENS)) or 0

    return await database.read(counted)


async def test_of_many_at_one_time_one_gets_tokens_and_then_nobody(database: DatabaseStore) -> None:
    grants = Grants(database)
    with acting_as(ALICE):
        code = await grants.begin(consent())
    pairs = await asyncio.gather(*(grants.redeem("code", code) for _ in range(6)))
    (pair,) = [each for each in pairs if each is not None]
    # The others had it too: one of them is a thief.
    assert await grants.find("access", pair.access) is None
    assert await grants.find("refresh", pair.refresh) is None
    assert await count_tokens(database) == 0


async def test_a_program_goes_on_for_as_long_as_it_is_used(database: DatabaseStore) -> None:
    clock = Clock()
    grants = Grants(database, clock)
    pair: IssuedPair | None = await connected(grants, ALICE)
    for _ in range(3):
        assert pair is not None
        clock.at += REFRESH_SECONDS - 1
        pair = await grants.redeem("refresh", pair.refresh)
    assert pair is not None
    with acting_as(ALICE):
        (grant,) = await grants.list()
        assert grant.used_at == clock.at
        assert (grant.name, grant.host) == ("A host", "host.example")
        clock.at += REFRESH_SECONDS + 1
        assert await grants.list() == []
    # What has ended is forgotten with the next one.
    await connected(grants, BOB)
    assert await grants.find("refresh", pair.refresh) is None
    assert await count_tokens(database) == 3


async def test_what_has_expired_is_known_for_a_day(database: DatabaseStore) -> None:
    clock = Clock()
    grants = Grants(database, clock)
    pair = await connected(grants, ALICE)
    found = await grants.find("access", pair.access)
    assert found is not None
    assert not grants.is_over(found)
    clock.at += ACCESS_SECONDS + 1
    assert grants.is_over(found)
    await connected(grants, BOB)
    assert await grants.find("access", pair.access) is not None
    clock.at += DAY
    await connected(grants, BOB)
    assert await grants.find("access", pair.access) is None
    assert await grants.find("refresh", pair.refresh) is not None


async def test_a_code_that_nobody_redeemed_gives_no_access(database: DatabaseStore) -> None:
    clock = Clock()
    grants = Grants(database, clock)
    with acting_as(ALICE):
        code = await grants.begin(consent())
        assert await grants.list() == []
    found = await grants.find("code", code)
    assert found is not None
    assert found.consent == consent()
    clock.at += CODE_SECONDS + 1
    assert grants.is_over(found)


async def test_kinds_and_programs_are_not_taken_for_each_other(database: DatabaseStore) -> None:
    grants = Grants(database)
    pair = await connected(grants, ALICE)
    assert await grants.find("refresh", pair.access) is None
    assert await grants.find("access", pair.refresh) is None
    assert await grants.redeem("refresh", pair.access) is None
    assert await grants.find("refresh", pair.refresh, "another client") is None
    assert await grants.find("refresh", pair.refresh, "a client") is not None
    assert pair.access not in repr(pair)


async def test_people_take_back_what_is_theirs(database: DatabaseStore) -> None:
    grants = Grants(database)
    pair = await connected(grants, ALICE)
    with acting_as(ALICE):
        (grant,) = await grants.list()
    with acting_as(BOB):
        assert await grants.list() == []
        with pytest.raises(NoProgram):
            await grants.take_back(grant.id)
    assert await grants.find("access", pair.access) is not None
    assert [each.person for each in await grants.list_all()] == ["alice"]
    with acting_as(ALICE):
        await grants.take_back(grant.id)
        with pytest.raises(NoProgram):
            await grants.take_back(grant.id)
    assert await grants.find("access", pair.access) is None
    with pytest.raises(NoProgram):
        await grants.end(grant.id)


async def test_nothing_is_kept_for_a_guest(database: DatabaseStore) -> None:
    grants = Grants(database)
    with acting_as(EVE), pytest.raises(NotPermitted):
        await grants.begin(consent())


async def test_of_too_many_programs_the_one_that_was_not_used_goes(
    database: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth_grants, "MAX_GRANTS", 2)
    clock = Clock()
    grants = Grants(database, clock)
    pairs = []
    for name in ("first", "second"):
        clock.at += 1
        pairs.append(await connected(grants, ALICE, name))
    of_bob = await connected(grants, BOB, "of bob")
    clock.at += 1
    assert await grants.redeem("refresh", pairs[0].refresh) is not None
    await connected(grants, ALICE, "third")
    with acting_as(ALICE):
        assert [each.client for each in await grants.list()] == ["third", "first"]
    assert await grants.find("access", of_bob.access) is not None


async def test_a_flood_of_programs_takes_no_place_of_one_with_access(
    database: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth_clients, "MAX_CLIENTS", 3)
    clients, grants = RegisteredClients(database), Grants(database)
    record = ClientRecord(name="A host", redirect_uris=("https://host.example/back",))
    honest = await clients.register(record)
    assert honest is not None
    await connected(grants, ALICE, honest)
    flood = [await clients.register(record) for _ in range(5)]
    assert await clients.find(honest) == record
    known = [each for each in flood if each and await clients.find(each)]
    assert known == flood[-2:]
    for each in known:
        await connected(grants, ALICE, each)
    assert await clients.register(record) is None


async def test_whoever_is_erased_has_no_programs(database: DatabaseStore) -> None:
    grants = Grants(database)
    of_alice, of_bob = await connected(grants, ALICE), await connected(grants, BOB)
    erased = await database.erase(erase_rows, "alice")
    assert erased.belongings.programs == 1
    assert await grants.find("access", of_alice.access) is None
    assert await grants.redeem("refresh", of_alice.refresh) is None
    assert await grants.find("access", of_bob.access) is not None
    assert await count_tokens(database) == 3
