"""Which turns of a conversation are shown, where some were asked or answered again.

Each turn goes on from another one. Those that go on from the same are versions of each other; what
is shown is the line that leads from the first turn to one of the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeseek.conversations.conversation_record import Record, Turn


def resolve(turns: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return what each turn follows, empty for a first one, from ids in the order of their storing.

    One that does not say goes on from the one that was stored before it, as all did before there
    were versions.
    """
    follows: dict[str, str] = {}
    before = ""
    for turn_id, said in turns:
        follows[turn_id] = before if said is None else said
        before = turn_id
    return follows


def line_to(follows: Mapping[str, str], last: str) -> list[str]:
    """Return the turns that lead to ``last``, itself as the last one; none for an unknown one."""
    line: list[str] = []
    seen: set[str] = set()
    while last in follows and last not in seen:
        seen.add(last)
        line.append(last)
        last = follows[last]
    return line[::-1]


def newest_behind(follows: Mapping[str, str], turn_id: str) -> str:
    """Return the newest turn that goes on from ``turn_id``, directly or not, or itself."""
    behind = (last for last in reversed(list(follows)) if turn_id in line_to(follows, last))
    return next(behind, turn_id)


def versions_of(turn: Turn, record: Record) -> tuple[str, ...]:
    """Return the ids of a turn and of what else was asked or answered in its place, by age."""
    if turn.follows is None:
        return (turn.id,)
    same = [each for each in (*record.turns, *record.others) if each.follows == turn.follows]
    return tuple(each.id for each in sorted(same, key=attrgetter("at")))


def go_back_to(turn_id: str, record: Record) -> None:
    """Let the turns of ``record`` that are shown end with ``turn_id``, with none for an empty one.

    An id that is not among them changes nothing.
    """
    at = next((at for at, each in enumerate(record.turns, 1) if each.id == turn_id), 0)
    if at or not turn_id:
        record.others = [*record.others, *record.turns[at:]]
        record.turns = record.turns[:at]


def show(turn_id: str, record: Record) -> bool:
    """Show the version ``turn_id`` of a turn and what followed it last; False for none.

    A version that is shown already stays with what follows it.
    """
    if any(turn.id == turn_id for turn in record.turns):
        return True
    turns = sorted((*record.turns, *record.others), key=attrgetter("at"))
    kept = {turn.id: turn for turn in turns}
    if turn_id not in kept:
        return False
    follows = {each: turn.follows or "" for each, turn in kept.items()}
    record.turns = [kept.pop(each) for each in line_to(follows, newest_behind(follows, turn_id))]
    record.others = list(kept.values())
    return True
