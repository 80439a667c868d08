"""What speaks against a claim that has (nearly) all its words in a passage."""

from __future__ import annotations

from collections.abc import Iterator

from citeseek.verification.objection import Objection
from citeseek.verification.order import orders
from citeseek.verification.reading import Reading
from citeseek.verification.replaced import replaced
from citeseek.verification.subjects import subjects
from citeseek.verification.turned import hedges, negations, opposites
from citeseek.verification.values import dates, numbers


def objections(reading: Reading, claim: str) -> Iterator[Objection]:
    """Yield what speaks against the claim of ``reading``, whose text is ``claim``."""
    yield from replaced(reading, claim)
    yield from opposites(reading, claim)
    yield from negations(reading)
    yield from numbers(reading, claim)
    yield from dates(reading, claim)
    yield from subjects(reading, claim)
    yield from orders(reading)
    yield from hedges(reading)
