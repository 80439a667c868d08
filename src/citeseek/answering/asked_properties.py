"""Which properties of a thing a question asks for, and what numbers that answer it measure."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from citeseek.answering.word_tables import (
    DATE,
    PLACE,
    degrees,
    key,
    kinds,
    properties,
    stands_in,
    units,
)
from citeseek.verification.values.units import COUNT
from citeseek.verification.values.units import units as written_units

_DEGREE = re.compile(
    r"\bhow (?:many (?:\w+ ){1,2})?(long|far|tall|high|deep|wide|broad|large|big|old|heavy|fast)"
    r" (?:is|are|was|were)\b"
    r"|多(?:少[\u4e00-\u9fff]{1,4}?)?([长远高深宽大重快久])"
    r"|([长远高深宽重])(?:约|大约)?(?:有)?(?:多少|几)",
    re.IGNORECASE,
)


class Property(msgspec.Struct, frozen=True):
    """What is asked of something: ``own`` are the question's words for it, ``alike`` any other."""

    own: frozenset[str]
    alike: frozenset[str] = frozenset()


def join_pairs(words: list[str]) -> Iterator[str]:
    """Yield ``words``, two that are one property only together, such as "take place", as one."""
    rest = zip(words, (*words[1:], ""), strict=False)
    for word, behind in rest:
        are_two = is_known(word) and bool(behind) and is_known(behind)
        if behind and not are_two and is_known(f"{word}_{behind}"):
            yield f"{word}_{behind}"
            next(rest, None)
        else:
            yield word


def known_property(chunk: str) -> str:
    """Return the longest word of a property that ``chunk`` ends with, empty for none."""
    known = [
        word
        for told in properties().values()
        for word in told
        if len(word) > 1 and not word.isascii() and chunk.endswith(word)
    ]
    return max(known, key=len, default="")


def properties_of(asked: list[str], kind: str) -> Iterator[Property]:
    """Yield the properties that the words ``asked`` name, for an answer of ``kind``."""
    for word in asked:
        # "What year", "in which city" say the kind of the answer, which stands without them.
        if kind in (DATE, PLACE) and kinds().get(word.casefold()) == kind and not is_known(word):
            continue
        own = frozenset({key(word)}) if word.isascii() else frozenset({word})
        alike = {
            one
            for told in properties().values()
            if any(stands_in(mine, told) for mine in own)
            for one in told
        }
        yield Property(own, frozenset(alike) - own)


def degree_of(text: str, asked: list[str]) -> str:
    """Return the adjective of "how long is", 多长, unless another property is asked for."""
    match = _DEGREE.search(text)
    if match is None:
        return ""
    told = (match[1] or match[2] or match[3]).casefold()
    return "" if any(is_known(word) for word in asked if word.casefold() != told) else told


def property_of_degree(adjective: str) -> tuple[Property, ...]:
    """Return the property that ``adjective`` asks for, none without one."""
    return (Property(degrees()[adjective]),) if adjective else ()


def is_known(word: str) -> bool:
    """Whether ``word`` names a property."""
    mine = key(word)
    return any(mine in told for told in properties().values())


# How a question says what a number measures, beside the properties that it names.
_MEASURES = (
    (
        r"\bhow (?:long|far)\b|多长|多远|多少公里|多少米",
        "length mile foot sea time day week month year plain",
    ),
    (r"\bhow (?:tall|high)\b|多高", "length foot"),
    (r"\bhow deep\b|多深", "length foot"),
    (r"\bhow (?:large|big)\b|多大", "area sqmile mu count plain length mile person"),
    (r"\bhow old\b|多少岁|几岁", "age year plain"),
    (r"\bhow (?:wide|broad)\b|多宽", "length foot"),
    (r"\bhow heavy\b|多重", "mass lb pound"),
    (r"多久", "time day week month year"),
    (r"\bhow fast\b|多快", "speed mph time length plain"),
    (r"多少钱|多少元", "yuan dollar euro pound lb yen hkd"),
    (
        r"\bhow many\b|多少[人名位个座条家次件台种辆]",
        "plain count person times day month year time",
    ),
    (r"百分之几", "share points"),
)


# How many of what is a question of a measure, and not of how many things there are.
_UNIT = re.compile(
    r"\bhow many ((?:(?:square|cubic|nautical) )?[a-z]+)|(?:多少|几)([\u4e00-\u9fff]{1,4})"
)
_MEASURED = frozenset("length mile foot sea area sqmile mu mass lb speed mph".split())


def named_unit(text: str) -> str:
    """Return the unit of length, weight, area or speed that ``text`` asks for, empty for none."""
    for match in _UNIT.finditer(text.casefold()):
        told = match[1] or match[2]
        sizes = range(len(told), 0, -1) if match[2] else (len(told),)
        for size in sizes:
            kind, _ = written_units().get(told[:size], ("", 0))
            if kind in _MEASURED:
                return told[:size]
    return ""


def units_beside(kind: str) -> frozenset[str]:
    """Return what may stand in for a number of ``kind``: feet for metres, people for a count."""
    if kind in ("", COUNT):
        return frozenset({"plain", COUNT, "person", "times"})
    return next((told for told in units().values() if kind in told), frozenset({kind}))


def units_of_answer(asked: list[str], text: str) -> frozenset[str]:
    """Return the units of a number that answers ``text``, empty for any."""
    if unit := named_unit(text):
        return units_beside(written_units()[unit][0])
    for pattern, told in _MEASURES:
        if re.search(pattern, text.casefold()):
            return frozenset(told.split())
    wanted = {
        unit
        for name, measured in units().items()
        for word in asked
        if stands_in(key(word), properties()[name])
        for unit in measured
    }
    return frozenset(wanted)
