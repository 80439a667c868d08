"""Turns that were asked or answered again: which are shown, which are kept beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assistant.conversations import turn
from tests.conversations.test_migrations import FILE, change

from citeseek.conversations.conversation_record import Record
from citeseek.conversations.sqlite_store import MemoryStore, SqliteStore
from citeseek.conversations.store import Store
from citeseek.conversations.turn_versions import line_to, newest_behind, resolve, show, versions_of

#    a ── b ── c
#    │    └─── d ── e
#    └─── f
TREE = resolve([("a", None), ("b", None), ("c", None), ("d", "b"), ("e", None), ("f", "a")])


def shown(record: Record | None) -> list[str]:
    assert record is not None
    return [each.id.removeprefix("turn-") for each in record.turns]


def others(record: Record | None) -> set[str]:
    assert record is not None
    return {each.id.removeprefix("turn-") for each in record.others}


@pytest.mark.parametrize(
    ("last", "line"),
    [("c", "abc"), ("e", "abde"), ("f", "af"), ("a", "a"), ("x", ""), ("", "")],
)
def test_a_line_leads_from_the_first_turn_to_the_last(last: str, line: str) -> None:
    assert line_to(TREE, last) == list(line)


@pytest.mark.parametrize(
    ("turn_id", "newest"), [("a", "f"), ("b", "e"), ("c", "c"), ("d", "e"), ("f", "f"), ("x", "x")]
)
def test_what_followed_a_version_last_is_found(turn_id: str, newest: str) -> None:
    assert newest_behind(TREE, turn_id) == newest


def test_a_circle_has_an_end() -> None:
    assert line_to({"a": "b", "b": "a"}, "a") == ["b", "a"]


@given(st.lists(st.integers(-1, 12), max_size=12))
def test_every_line_begins_at_a_first_turn_and_has_each_turn_once(said: list[int]) -> None:
    turns = [
        (str(at), None if to < 0 else ("" if to >= at else str(to))) for at, to in enumerate(said)
    ]
    follows = resolve(turns)
    for turn_id in follows:
        line = line_to(follows, turn_id)
        assert line[-1] == turn_id
        assert follows[line[0]] == ""
        assert len(line) == len(set(line))
        assert newest_behind(follows, turn_id) >= turn_id or len(follows) > 10


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return (
        MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "sessions.sqlite3")
    )


async def test_the_version_that_was_made_last_is_shown_until_another_is(store: Store) -> None:
    await store.put(Record(id="tea", created_at=1.0))
    for number in (1, 2, 3):
        await store.add_turn("tea", turn(number))
    await store.add_turn("tea", turn(4, follows="turn-1"))
    await store.add_turn("tea", turn(5))
    record = await store.get("tea")
    assert shown(record) == ["1", "4", "5"]
    assert others(record) == {"2", "3"}
    assert record
    assert versions_of(record.turns[1], record) == ("turn-2", "turn-4")
    assert versions_of(record.turns[2], record) == ("turn-5",)
    assert show("turn-2", record)
    assert shown(record) == ["1", "2", "3"]
    await store.show("tea", record.turns[-1].id)
    glance = await store.glance("tea")
    assert glance
    assert glance.head == "turn-3"
    record = await store.get("tea")
    assert shown(record) == ["1", "2", "3"]
    assert others(record) == {"4", "5"}
    # What is said next goes on from there.
    await store.add_turn("tea", turn(6))
    assert shown(await store.get("tea")) == ["1", "2", "3", "6"]
    await store.clear("tea")
    await store.add_turn("tea", turn(7))
    assert shown(await store.get("tea")) == ["7"]
    assert others(await store.get("tea")) == set()
    await store.close()


async def test_the_first_question_has_versions_as_well(store: Store) -> None:
    await store.put(Record(id="tea", created_at=1.0))
    for number in (1, 2):
        await store.add_turn("tea", turn(number))
    await store.add_turn("tea", turn(3, follows=""))
    record = await store.get("tea")
    assert shown(record) == ["3"]
    assert record
    assert versions_of(record.turns[0], record) == ("turn-1", "turn-3")
    assert show("turn-2", record)
    assert shown(record) == ["1", "2"]
    assert not show("nobody", record)
    assert shown(record) == ["1", "2"]
    await store.close()


async def test_a_turn_that_is_replaced_keeps_its_place(store: Store) -> None:
    await store.put(Record(id="tea", created_at=1.0))
    for number in (1, 2, 3):
        await store.add_turn("tea", turn(number))
    await store.add_turn("tea", turn(2, written="to its end"))
    record = await store.get("tea")
    assert shown(record) == ["1", "2"]
    assert record
    assert record.turns[1].written == "to its end"
    assert show("turn-3", record)
    assert shown(record) == ["1", "2", "3"]
    await store.close()


async def test_turns_of_before_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    change(path, FILE.read_text())
    store = SqliteStore(path)
    record = await store.get("tea")
    assert shown(record) == ["1", "2"]
    assert record
    assert [each.follows for each in record.turns] == ["", "turn-1"]
    await store.add_turn("tea", turn(3, follows=""))
    record = await store.get("tea")
    assert shown(record) == ["3"]
    assert others(record) == {"1", "2"}
    await store.close()
