"""A claim laid over a passage: what of it stands there, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile

import msgspec

from citeseek.verification import words
from citeseek.verification.alignment import agree, align
from citeseek.verification.passages import Passage
from citeseek.verification.tokens import JOINTS, TextToken, weight


class Objection(msgspec.Struct, frozen=True):
    """A reason, whether it refutes the claim or only weakens it, and the words concerned.

    ``decides`` is true of what nearness in all other words does not outweigh.
    """

    reason: str
    refutes: bool
    words: tuple[str, ...] = ()
    decides: bool = False


# A clause of a claim with less in it is read together with its neighbour.
_OWN_WEIGHT = 4
# A claim with no more in it is a thing and what is said of it.
_SHORT = 6


def parts(claim: Sequence[TextToken]) -> list[range]:
    """Return the clauses of ``claim`` as places; short ones are joined with the next."""
    found: list[range] = []
    start = 0
    for at, token in enumerate(claim):
        if token.kind == "break" and token.key != "and" and weight(claim[start:at]) >= _OWN_WEIGHT:
            found.append(range(start, at))
            start = at + 1
    rest = claim[start:]
    if found and weight(rest) < _OWN_WEIGHT:
        found[-1] = range(found[-1].start, len(claim))
    elif rest:
        found.append(range(start, len(claim)))
    return found


class Reading:
    """``claim`` over ``passage``: ``found`` maps places of the claim to places of the passage.

    ``moved`` are pieces that stand in the same clauses, but not in the same order; ``missing`` do
    not stand there. ``known`` are keys that are known from around the passage, ``neighbours`` pairs
    of keys that stand side by side anywhere in the source.
    """

    def __init__(
        self,
        claim: Sequence[TextToken],
        passage: Passage,
        known: frozenset[str] = frozenset(),
        neighbours: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.claim = claim
        self.source = passage.tokens
        self.passage = passage
        self.parts = parts(claim)
        self.found: dict[int, int] = {}
        self.moved: dict[int, int] = {}
        for part in self.parts:
            own = align([claim[at] for at in part], self.source)
            self.found |= self._sound({part.start + at: to for at, to in own.items()})
        self.missing: list[int] = []
        for at in self._wanted:
            if at not in self.found:
                self._look(at, known)
        # From the surname, which is there, to the first of the names before it.
        for at in reversed(self.missing[:]):
            if self._is_surnamed(at, neighbours):
                self.missing.remove(at)

    @cached_property
    def _wanted(self) -> list[int]:
        return [
            at
            for at, token in enumerate(self.claim)
            if token.weight and token.kind != "break" and token.key not in words.table("reporting")
        ]

    def _sound(self, found: Mapping[int, int]) -> dict[int, int]:
        """Leave out single Chinese characters that only happen to stand there."""
        return {
            at: to
            for at, to in found.items()
            if self.claim[at].kind != "han"
            or self.claim[at].end - self.claim[at].start > 1
            or found.get(at - 1) == to - 1
            or found.get(at + 1) == to + 1
            or not (self._is_han(at - 1) or self._is_han(at + 1))
        }

    def _is_han(self, at: int) -> bool:
        return 0 <= at < len(self.claim) and self.claim[at].kind == "han"

    def _is_joined(self, at: int) -> bool:
        """Whether Chinese characters at ``at`` and behind it stand together, without 、."""
        is_han = self._is_han(at) and self._is_han(at + 1)
        return is_han and self.claim[at].end == self.claim[at + 1].start

    def _look(self, at: int, known: frozenset[str]) -> None:
        token = self.claim[at]
        taken = {*self.found.values(), *self.moved.values()}
        behind = {**self.found, **self.moved}.get(at - 1, -1) + 1
        for to in sorted(range(len(self.source)), key=lambda place: place != behind):
            other = self.source[to]
            if agree(token, other) and to not in taken and self._may_move(at, to):
                self.moved[at] = to
                return
        if token.key not in known or not (
            (self._before_all(at) and self._is_continued)
            or ((token.fact or self._before_all(at)) and self._is_referred)
        ):
            self.missing.append(at)

    def _is_surnamed(self, at: int, neighbours: frozenset[tuple[str, str]]) -> bool:
        """Whether the passage has only the surname of whom the source elsewhere names in full."""
        if at + 1 >= len(self.claim) or at + 1 in self.missing:
            return False
        name, surname = self.claim[at : at + 2]
        to = self.found.get(at + 1)
        is_alone = to is None or not self._is_given_name(to - 1)
        # The first word of a claim is read as a word.
        is_name = surname.kind == "name" and (name.kind == "name" or (at == 0 and name.weight))
        return bool(is_name) and is_alone and (name.key, surname.key) in neighbours

    def _is_given_name(self, to: int) -> bool:
        """Whether a name may stand at ``to``: the first word of a sentence is read as a word."""
        if to < 0:
            return False
        is_first = to == 0 or self.source[to - 1].key == "||"
        other = self.source[to]
        is_word = other.kind == "word" and other.weight and other.key not in words.table("titles")
        return other.kind == "name" or bool(is_first and is_word)

    def _may_move(self, at: int, to: int) -> bool:
        token, other = self.claim[at], self.source[to]
        if token.kind == "date":
            return True
        if other.clause not in self.used and not (other.kind != "number" and self._is_listed(to)):
            return False
        if token.kind == "number":
            return not any(
                one.quantity and other.quantity and one.quantity.kind == other.quantity.kind
                for place, one in enumerate(self.source)
                if place != to and one.clause == other.clause
            )
        if token.kind != "han" or token.end - token.start > 1:
            return True
        run = self._run(at)
        return any(
            [one.key for one in self.source[place : place + len(run)]] == run
            for place in range(len(self.source))
        )

    def _is_listed(self, to: int) -> bool:
        """Whether a thing of a list stands at ``to``, beside another that was found."""
        before = to > 0 and self.source[to - 1].key in JOINTS
        after = to + 1 < len(self.source) and self.source[to + 1].key in JOINTS
        clause = self.source[to].clause
        return (before and clause - 1 in self.used) or (after and clause + 1 in self.used)

    def _run(self, at: int) -> list[str]:
        """Return the keys of the unmatched Chinese characters around ``at``."""
        first = last = at
        while self._is_joined(first - 1) and first - 1 not in self.found:
            first -= 1
        while self._is_joined(last) and last + 1 not in self.found:
            last += 1
        return [token.key for token in self.claim[first : last + 1] if token.weight]

    def _before_all(self, at: int) -> bool:
        return all(at < place for place in self.found if self.claim[place].weight)

    @property
    def _is_continued(self) -> bool:
        """Whether the passage begins with a pronoun or the like: it speaks of what was named."""
        first = next((token for token in self.source if token.kind != "break"), None)
        return first is not None and (
            first.key in words.table("pronouns") or first.key == words.classes()["公司"]
        )

    @property
    def _is_referred(self) -> bool:
        """Whether a clause in use speaks of something by a pronoun or as "the company"."""
        own = set(self.found.values())
        return any(
            token.clause in self.used
            and place not in own
            and (token.key in words.table("references") or token.key == words.classes()["公司"])
            for place, token in enumerate(self.source)
        )

    def part_of(self, at: int) -> range:
        """Return the clause of the claim that ``at`` is in."""
        return next((part for part in self.parts if at in part), range(0))

    @property
    def has_whole_part(self) -> bool:
        """Whether a clause of the claim stands in the passage whole."""
        return any(
            weight(self.claim[at] for at in part) >= _OWN_WEIGHT
            and not any(at in part for at in self.missing)
            for part in self.parts
        )

    @cached_property
    def used(self) -> frozenset[int]:
        """The clauses of the passage in which something of the claim was found."""
        return frozenset(
            self.source[to].clause for at, to in self.found.items() if self.claim[at].weight
        )

    @property
    def coverage(self) -> float:
        """Which part of the claim stands in the passage, from 0 to 1."""
        whole = sum(self._worth(at) for at in self._wanted)
        lost = sum(self._worth(at) for at in self.missing)
        return 1 - lost / whole if whole else 0.0

    @property
    def content(self) -> int:
        """How many pieces of content that is no number were found."""
        return sum(
            self.claim[at].weight if self.claim[at].kind == "han" else 2
            for at in (*self.found, *self.moved)
            if self.claim[at].weight and not self.claim[at].is_value
        )

    @property
    def is_scattered(self) -> bool:
        """Whether a short claim says of a thing what the passage may say of another.

        "The mill is green" is not told by "the mill beside the green lake", and is by "the mill
        beside the lake is green".
        """
        copulas = words.table("copulas")
        told = {**self.found, **self.moved}
        places = sorted(to for at, to in told.items() if self.claim[at].weight)
        joint = next((at for at, one in enumerate(self.claim) if one.key in copulas), None)
        is_short = places and weight(self.source[to] for to in places) <= _SHORT
        # Of what a number is said, is looked at elsewhere.
        if joint is None or not is_short or any(token.is_value for token in self.claim):
            return False
        said = min((at for at in told if at > joint and self.claim[at].weight), default=None)
        before = self.source[: told[said]] if said is not None else ()
        empty = list(takewhile(lambda one: not one.weight, reversed(before)))
        if any(one.key in copulas for one in empty):
            return False
        between = range(places[0] + 1, places[-1])
        return weight(self.source[at] for at in between if at not in places) > 1

    def _worth(self, at: int) -> float:
        token = self.claim[at]
        return 2.0 + token.fact if token.kind != "han" else token.weight
