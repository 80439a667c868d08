"""Which pieces of a claim stand where in a passage, in the same order.

A local alignment (T. F. Smith, M. S. Waterman, Identification of common molecular subsequences,
1981) with a bonus for neighbours: words that stand together in both count for more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeseek.verification.tokens import TextToken

_TOGETHER = 0.6
_EMPTY = 0.05
# A passage in which a number is skipped between two matches says something else in between.
_SKIPPED_VALUE = 0.5
_SKIPPED_BREAK = 0.15
_SKIPPED = 0.01


def agree(claim: TextToken, source: TextToken) -> str:
    """Return how two tokens agree: ``exact``, ``rounded``, ``vague``, or empty."""
    if claim.quantity and source.quantity:
        return claim.quantity.fit(source.quantity)
    if claim.moment and source.moment:
        return claim.moment.fit(source.moment)
    if claim.kind == "break" or claim.is_value or source.is_value:
        return ""
    return "exact" if claim.key == source.key else ""


def align(claim: Sequence[TextToken], source: Sequence[TextToken]) -> Mapping[int, int]:
    """Return the places of ``source`` for the places of ``claim`` that stand there in order."""
    rows, columns = len(claim), len(source)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    ending = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    came: list[list[int]] = [[0] * (columns + 1) for _ in range(rows + 1)]
    top, place = 0.0, (0, 0)
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            gain = _gain(claim[row - 1], source[column - 1])
            if gain:
                joined = ending[row - 1][column - 1]
                joined = joined + _TOGETHER if joined else 0.0
                apart = best[row - 1][column - 1]
                ending[row][column] = gain + max(joined, apart)
                came[row][column] = 1 if joined >= apart and joined else 2
                if ending[row][column] > top:
                    top, place = ending[row][column], (row, column)
            skipped = best[row][column - 1] - _cost(source[column - 1])
            best[row][column] = max(ending[row][column], best[row - 1][column], skipped, 0.0)
    return _trace_back(place, best, ending, came)


def _gain(claim: TextToken, source: TextToken) -> float:
    how = agree(claim, source)
    if not how:
        return 0.0
    if claim.is_value:
        return 2.0 if how == "exact" else 1.2
    return float(claim.weight) or _EMPTY


def _cost(skipped: TextToken) -> float:
    if skipped.kind == "number":
        return _SKIPPED_VALUE
    return _SKIPPED_BREAK if skipped.kind == "break" else _SKIPPED


def _trace_back(
    place: tuple[int, int],
    best: list[list[float]],
    ending: list[list[float]],
    came: list[list[int]],
) -> Mapping[int, int]:
    row, column = place
    found: dict[int, int] = {}
    inside = True
    while row > 0 and column > 0 and (inside or best[row][column] > 0):
        here = ending[row][column]
        if here and (inside or here >= best[row][column]):
            found[row - 1] = column - 1
            inside = came[row][column] == 1
            row, column = row - 1, column - 1
        elif best[row][column] == best[row - 1][column]:
            row -= 1
        else:
            column -= 1
    return dict(sorted(found.items()))
