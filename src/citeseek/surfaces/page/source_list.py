"""The one list of an answer's sources: what it cites, what else was found, and what each is for."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal, TypeAlias

import msgspec

from citeseek.citations import Source
from citeseek.surfaces.page.views import TurnView
from citeseek.verification import Verdict, claims

# Nobody reads on: a row names so many of the sentences that it stands behind.
MAX_USES = 20

Kind: TypeAlias = Literal["references", "sources"]


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the answer that cites a source, and what came of comparing both, if anything.

    ``evidence`` is what the source says, letter by letter.
    """

    claim: str
    verdict: Verdict | Literal[""] = ""
    evidence: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A source in the list, whether the answer cites it, and for what."""

    source: Source
    is_cited: bool
    uses: tuple[Use, ...] = ()


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


class SourceList(msgspec.Struct, frozen=True, kw_only=True):
    """The sources of an answer that is over.

    As ``references`` it lists what the answer cites: in Chat mode that alone; in Agent mode with
    everything that the searches of the answer found, by round, and what it cites of earlier ones.
    ``more`` is what else the model was shown. An answer that cites nothing has all of its
    ``sources``.
    """

    kind: Kind
    groups: tuple[Group, ...]
    more: tuple[Row, ...] = ()
    is_by_round: bool = False

    @property
    def count(self) -> int:
        """How many sources it has."""
        return sum(len(group.rows) for group in self.groups) + len(self.more)


def list_sources(view: TurnView) -> SourceList | None:
    """Return the list, None while the answer is made and when there are no sources."""
    if not view.is_over or not view.sources:
        return None
    uses = _uses(view)
    kind: Kind = "references" if view.cited else "sources"
    numbers = {source.number for source in view.sources}
    if view.mode == "agent":
        others = set(view.cited) if view.cited else numbers
        groups = _by_round(view, others, uses)
        if kind == "sources":
            groups = tuple(group for group in groups if group.rows)
        listed = {row.source.number for group in groups for row in group.rows}
        more = _rows(view, numbers - listed, uses)
        return SourceList(kind=kind, groups=groups, more=more, is_by_round=True)
    listed = set(view.cited) if view.cited else numbers
    rows = _rows(view, listed, uses)
    if not rows:
        return None
    return SourceList(
        kind=kind, groups=(Group(rows=rows),), more=_rows(view, numbers - listed, uses)
    )


def _by_round(
    view: TurnView, others: set[int], uses: dict[int, tuple[Use, ...]]
) -> tuple[Group, ...]:
    """Return a group for each round, and further ones for those of ``others`` that none found.

    Pages that were read for this answer stand before the sources of earlier ones.
    """
    groups = []
    listed: set[int] = set()
    for place, search in enumerate(view.rounds, 1):
        rows = _rows(view, set(search.numbers) - listed, uses)
        listed |= set(search.numbers)
        groups.append(Group(place=place, query=search.query, rows=rows, found=bool(search.numbers)))
    read = {each.source.number for each in view.reads if each.source}
    opened, earlier = others & read - listed, others - read - listed
    if opened:
        groups.append(Group(rows=_rows(view, opened, uses), is_read=True))
    if earlier:
        groups.append(Group(rows=_rows(view, earlier, uses)))
    return tuple(groups)


def _rows(view: TurnView, numbers: set[int], uses: dict[int, tuple[Use, ...]]) -> tuple[Row, ...]:
    return tuple(
        Row(
            source=source,
            is_cited=source.number in view.cited,
            uses=uses.get(source.number, ()),
        )
        for source in view.sources
        if source.number in numbers
    )


def _uses(view: TurnView) -> dict[int, tuple[Use, ...]]:
    """Return for what the answer cites each number: as it was checked last, or by the gate."""
    found: defaultdict[int, list[Use]] = defaultdict(list)
    by_gate = [check for sentence in view.judged for check in sentence.checks]
    if checks := view.checked.checks if view.checked else by_gate:
        for check in checks:
            use = Use(claim=check.claim, verdict=check.verdict, evidence=check.evidence)
            found[check.number].append(use)
    elif view.cited:
        for claim in claims(view.answer):
            for number in dict.fromkeys(claim.numbers):
                found[number].append(Use(claim=claim.text))
    return {number: tuple(all_of_it[:MAX_USES]) for number, all_of_it in found.items()}
