"""The sources of an answer in the order and the groups in which they are listed."""

from __future__ import annotations

import msgspec

from citeseek.citations import Source, link_target
from citeseek.surfaces.page.views import TurnView


class Row(msgspec.Struct, frozen=True):
    """A source in a list, and whether the answer cites it."""

    source: Source
    is_cited: bool


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The sources that one search brought first.

    ``place`` is the search's 1-based place among those of the answer; 0 stands for what earlier
    answers had found, and for Chat mode, where all sources are one group. ``found`` says whether
    the search found anything, be it listed before.
    """

    place: int = 0
    query: str = ""
    rows: tuple[Row, ...] = ()
    found: bool = True
    is_read: bool = False


def references(view: TurnView) -> tuple[Group, ...]:
    """Return the list 参考文献, empty while the answer is made and when it cites nothing.

    In Chat mode it lists what is cited. In Agent mode it lists everything that the searches of the
    answer found, and what it cites of earlier ones.
    """
    if not view.is_over or not view.cited:
        return ()
    if view.mode == "agent":
        return _by_round(view, set(view.cited))
    rows = _rows(view, set(view.cited))
    return (Group(rows=rows),) if rows else ()


def sources(view: TurnView) -> tuple[Group, ...]:
    """Return all sources of an answer that is over, by round in Agent mode."""
    if not view.is_over or not view.sources:
        return ()
    numbers = {source.number for source in view.sources}
    if view.mode == "agent":
        return tuple(group for group in _by_round(view, numbers) if group.rows)
    return (Group(rows=_rows(view, numbers)),)


def linkable(url: str) -> str:
    """Return an address that may be a link, empty for one that is none of the web."""
    return url if link_target(url) else ""


def _by_round(view: TurnView, others: set[int]) -> tuple[Group, ...]:
    """Return a group for each round, and further ones for those of ``others`` that none found.

    Pages that were read for this answer stand before the sources of earlier ones.
    """
    groups = []
    listed: set[int] = set()
    for place, search in enumerate(view.rounds, 1):
        rows = _rows(view, set(search.numbers) - listed)
        listed |= set(search.numbers)
        groups.append(Group(place=place, query=search.query, rows=rows, found=bool(search.numbers)))
    read = {each.source.number for each in view.reads if each.source}
    opened, earlier = others & read - listed, others - read - listed
    if opened:
        groups.append(Group(rows=_rows(view, opened), is_read=True))
    if earlier:
        groups.append(Group(rows=_rows(view, earlier)))
    return tuple(groups)


def _rows(view: TurnView, numbers: set[int]) -> tuple[Row, ...]:
    return tuple(
        Row(source, source.number in view.cited)
        for source in view.sources
        if source.number in numbers
    )
