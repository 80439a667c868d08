"""Which properties of a thing the words of a question ask for."""

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
)

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
