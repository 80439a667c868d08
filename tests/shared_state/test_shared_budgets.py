"""Processes that share a Valkey hold a person to one budget."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import settings
from tests.shared_state.server import ValkeyServer

from citeseek import observing
from citeseek.conversations.person_accounts import PersonAccounts
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import BudgetSpent
from citeseek.person import Person, acting_as
from citeseek.shared_state.valkey import Valkey

ALICE = Person("alice", "member")


def ask(accounts: PersonAccounts, times: int) -> int:
    """Make requests of Alice; return how many went out."""
    went = 0
    with acting_as(ALICE), observing.watching(accounts):
        for _ in range(times):
            try:
                with observing.leaf("request", "x") as operation:
                    assert operation
                    observing.admit(operation)
                    operation.received_bytes = 10
                    went += 1
            except BudgetSpent:
                pass
    return went


async def test_what_one_process_spends_the_others_have_less(
    valkey: ValkeyServer, tmp_path: Path
) -> None:
    limits = settings(env={"CITESEEK_PERSON_REQUESTS": "10", "CITESEEK_PERSON_MONEY": "5"})
    store = SqliteStore(tmp_path / "sessions.sqlite3")
    servers = [Valkey(valkey.url) for _ in range(3)]
    one, other, later = (PersonAccounts(limits, store, server) for server in servers)
    assert ask(one, 6) == 6
    assert ask(other, 2) == 2
    for accounts in (one, other, one):
        await accounts.share()
    assert ask(one, 1) == 1
    await one.share()
    await other.share()
    assert ask(other, 5) == 1
    await other.share()
    # Nothing is counted twice, however often it is told.
    for _ in range(3):
        await one.share()
        await other.share()
    # One that begins later learns of it as soon as it asks.
    assert ask(later, 1) == 1
    await later.share()
    assert ask(later, 5) == 0
    for accounts in (one, other, later):
        with acting_as(ALICE):
            account = accounts.account
        assert account is not None
        assert account.spent.money == 0.0
    with acting_as(ALICE):
        spent = later.account
    assert spent is not None
    assert (spent.spent.requests, spent.spent.bytes) == (11, 110)
    for server in servers:
        await server.aclose()
    await store.close()
