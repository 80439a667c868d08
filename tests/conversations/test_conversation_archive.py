"""All conversations as one file, and such a file taken in by another store."""

from __future__ import annotations

import pytest
from tests.assistant.conversations import turn

from citeseek.conversations.conversation_archive import TakenIn, read_archive, write_archive
from citeseek.conversations.conversation_record import Record
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.conversations.store import Store
from citeseek.errors import InvalidInput


async def filled(count: int) -> MemoryStore:
    """Return a store with so many conversations of two turns each."""
    store = MemoryStore()
    for number in range(1, count + 1):
        record = Record(id=f"c{number}", created_at=float(number), title=f"Talk {number}")
        await store.put(record)
        for place in (1, 2):
            await store.add_turn(record.id, turn(number * 10 + place))
    return store


async def archive_of(store: Store) -> bytes:
    return b"".join([line async for line in write_archive(store)])


async def test_what_is_exported_is_there_after_an_import() -> None:
    here, there = await filled(203), MemoryStore()
    taken = await read_archive(there, await archive_of(here))
    assert taken == TakenIn(added=203)
    for number in (1, 100, 203):
        assert await there.get(f"c{number}") == await here.get(f"c{number}")
    listed = [each.id for each in await there.list(300)]
    assert listed == [each.id for each in await here.list(300)]


async def test_what_is_here_stays_and_what_was_deleted_comes_as_another() -> None:
    store = await filled(3)
    content = await archive_of(store)
    await store.rename("c1", "Renamed")
    await store.delete("c2")
    assert await read_archive(store, content) == TakenIn(added=1, known=2)
    titles = [each.title for each in await store.list(10)]
    assert sorted(titles) == ["Renamed", "Talk 2", "Talk 3"]
    assert await store.get("c2") is None


async def test_versions_of_turns_come_along_and_the_same_are_shown() -> None:
    here, there = MemoryStore(), MemoryStore()
    await here.put(Record(id="c", created_at=1.0, title="Talk"))
    for number, follows in ((1, ""), (2, "turn-1"), (3, "turn-1"), (4, "turn-3")):
        await here.add_turn("c", turn(number, follows=follows))
    await read_archive(there, await archive_of(here))
    record = await there.get("c")
    assert record == await here.get("c")
    assert record is not None
    assert [each.id for each in record.turns] == ["turn-1", "turn-3", "turn-4"]
    assert [each.id for each in record.others] == ["turn-2"]


async def test_lines_that_are_no_conversation_are_counted_and_there_is_an_end_of_room() -> None:
    head, *lines = (await archive_of(await filled(3))).splitlines()
    content = b"\n".join([head, b"{}", *lines, b"", b"\xff", b'{"id":"../x","created_at":1}'])
    taken = await read_archive(MemoryStore(), content, most=2)
    assert taken == TakenIn(added=2, full=1, unreadable=3)


@pytest.mark.parametrize("content", [b"", b"{}\n", b"# Tea\n", b'{"format":"x","version":1}\n'])
async def test_a_file_of_something_else_is_refused(content: bytes) -> None:
    store = MemoryStore()
    with pytest.raises(InvalidInput, match="no file of conversations"):
        await read_archive(store, content)
    assert await store.count() == 0
