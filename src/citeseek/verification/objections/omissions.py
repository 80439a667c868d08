"""What the sentences of a passage say beside the claim: before it, within it, behind it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from citeseek.verification import words
from citeseek.verification.reading import Reading
from citeseek.verification.tokens import TextToken, segment

_FILE = Path(__file__).with_name("omissions.toml")


class Omission(NamedTuple):
    """What a claim leaves out of one sentence of a passage.

    ``begin``, ``first``, ``last`` and ``end`` are places of tokens: where the sentence begins, the
    first and the last of its words that the claim has, and where it ends. ``governor`` is
    ``before`` when something of its own clause stands there, and ``teller`` is it without the small
    words at its end: "he thinks" of "he thinks that the". ``within``
    are the texts between two words of the claim that are no neighbours.
    """

    begin: int
    first: int
    last: int
    end: int
    before: str
    governor: str
    teller: str
    within: tuple[str, ...]
    gaps: tuple[str, ...]
    after: str

    @property
    def circumstances(self) -> tuple[str, ...]:
        """What stands beside the claim's words: before the first, and within its clauses."""
        opening = re.split("[,，:：]", self.teller)[-1]
        return (opening, *(part for part in self.within if not re.search("[,，]", part)))


def omissions(reading: Reading) -> Iterator[Omission]:
    """Yield what is left out of each sentence in which a word of the claim was found."""
    text, source = reading.passage.text, reading.source
    found = {**reading.moved, **reading.found}
    told = sorted(to for at, to in found.items() if reading.claim[at].weight)
    while told:
        begin, end = segment(source, told[0])
        own = [to for to in told if to < end]
        told = [to for to in told if to >= end]
        until = source[end].start if end < len(source) else len(text)
        # A sentence has no break at its end that belongs to it when the passage goes on.
        start = source[begin - 1].end if begin else 0
        # "The" within a sentence is written like a name.
        says = [
            at for at in range(begin, own[0]) if source[at].weight and not _is_empty(source[at])
        ]
        teller = says[-1] if says else -1
        before = text[start : source[own[0]].start]
        is_own = teller >= 0 and source[teller].clause == source[own[0]].clause
        gaps = [
            (source[one + 1 : other], text[source[one].end : source[other].start])
            for one, other in pairwise(own)
            if other > one + 1
        ]
        yield Omission(
            begin,
            own[0],
            own[-1],
            end,
            before,
            before if is_own else "",
            text[start : source[teller].end] if teller >= 0 else "",
            tuple(written for read, written in gaps if any(token.weight for token in read)),
            tuple(written for _, written in gaps),
            text[source[own[-1]].end : until],
        )


def _is_empty(token: TextToken) -> bool:
    return token.key in words.table("empty")


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return the expression for any phrase of the table ``name`` of omissions.toml.

    The phrases of a table are expressions themselves, parted by bars, spaces or line breaks as the
    table's English and Chinese halves are; English ones are whole words.
    """
    table = tables()[name]
    english = [one for one in re.split(r"\s*[|\n]\s*", table.get("en", "")) if one]
    chinese = table.get("zh", "").split()
    either = [rf"\b(?:{'|'.join(english)})\b"] * bool(english) + chinese
    return re.compile("|".join(either), re.IGNORECASE)


@cache
def tables() -> dict[str, dict[str, str]]:
    """Return the tables of omissions.toml."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def is_left_out(name: str, part: str, claim: str) -> bool:
    """Whether ``part`` has a phrase of the table ``name`` that does not stand in ``claim``."""
    told = claim.casefold()
    return any(found[0].casefold() not in told for found in pattern(name).finditer(part))
