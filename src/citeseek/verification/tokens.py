"""A text as what can be compared: quantities, dates, names, words, Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal, TypeAlias

import msgspec

from citeseek.verification import dates as moment
from citeseek.verification import quantity, words
from citeseek.verification.dates import Moment
from citeseek.verification.quantity import Quantity

Kind: TypeAlias = Literal["number", "date", "name", "word", "han", "break"]

_FULL_WIDTH = {0xFF00 + at: 0x20 + at for at in range(1, 0x5F)} | {0x3000: 0x20, 0x00D7: 0x78}
for _kept in "，；：！？（）":
    del _FULL_WIDTH[ord(_kept)]
# Han, kana and hangul are written without spaces between words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# "Not only" negates nothing.
_ONLY = (" only", " just", " merely")
_FACTS = ("+", "-", "1of", "place")


class Token(msgspec.Struct, frozen=True):
    """A piece of a text from ``start`` to ``end``; two of one ``key`` say the same.

    ``fact`` is one that must not be missing from a source. ``weight`` is 0 for words that say
    nothing by themselves. ``clause`` counts from 0.
    """

    kind: Kind
    key: str
    start: int
    end: int
    clause: int
    weight: int = 1
    fact: bool = False
    negates: bool = False
    hedges: bool = False
    quantity: Quantity | None = None
    moment: Moment | None = None

    @property
    def is_value(self) -> bool:
        """Whether it is a number or a date."""
        return self.kind in {"number", "date"}


def weight(tokens: Iterable[Token]) -> int:
    """Return how much is said in ``tokens``: a word counts as two Chinese characters."""
    return sum(token.weight if token.kind == "han" else 2 for token in tokens if token.weight)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of ``text`` in order; a ``break`` ends a clause."""
    plain = text.translate(_FULL_WIDTH)
    found: list[Token] = []
    at = clause = 0
    while at < len(plain):
        token = _value(plain, at, clause) or _spoken(plain, at, clause, found)
        if token is None:
            at += 1
            continue
        found.append(token)
        clause += token.kind == "break"
        at = token.end
    return tuple(found)


def _value(text: str, at: int, clause: int) -> Token | None:
    number = quantity.pattern().match(text, at)
    date = moment.pattern().match(text, at)
    if date and not (number and number.end() > date.end()):
        told = moment.read(date)
        return Token("date", repr(told), at, date.end(), clause, fact=True, moment=told)
    if number and (read := quantity.read(number)):
        # "second" and "third" are numbers only as a part of a date.
        return Token("number", repr(read), at, number.end(), clause, fact=True, quantity=read)
    return None


def _spoken(text: str, at: int, clause: int, before: list[Token]) -> Token | None:
    match = _pattern().match(text, at)
    if match is None:
        return None
    written, end = match[0], match.end()
    if match["break"]:
        key = "and" if written == "and" else "||" if written in "；;。！？!?.\n" else "|"
        return Token("break", key, at, end, clause, weight=0)
    if match["latin"]:
        # A市, B组: letters that stand for names.
        is_letter = written.isupper() and len(written) == 1 and text[end : end + 1] > "\u3000"
        token = _latin(written, at, clause, is_first=not before, is_letter=is_letter)
        if token.negates and text.startswith(_ONLY, end):
            return msgspec.structs.replace(token, negates=False)
        return token
    return _han(written, at, clause)


def _latin(written: str, at: int, clause: int, *, is_first: bool, is_letter: bool) -> Token:
    key = words.stem(written)
    end = at + len(written)
    if written.casefold().endswith(("n't", "n’t")):
        return Token("word", "not", at, end, clause, weight=0, negates=True)
    group = words.classes().get(key, key)
    name = is_letter or (_is_name(written, is_first=is_first) and group == key)
    negates = written.casefold() in words.negators()
    is_empty = key in words.table("empty") and not is_letter and not (name and len(written) > 1)
    return Token(
        "name" if name and not is_empty else "word",
        group,
        at,
        end,
        clause,
        weight=0 if is_empty or negates else 1,
        fact=not is_empty and (name or group.startswith(_FACTS)),
        negates=negates,
        hedges=key in words.table("hedges") and written != "May",
    )


def _is_name(written: str, *, is_first: bool) -> bool:
    if any(character.isdigit() or character.isupper() for character in written[1:]):
        return True
    return written[0].isupper() and not is_first


def _han(written: str, at: int, clause: int) -> Token:
    group = words.classes().get(written, written)
    negates = written in words.negators()
    return Token(
        "han",
        group,
        at,
        at + len(written),
        clause,
        weight=0 if negates or written in words.table("empty") else len(written),
        fact=group.startswith(_FACTS) and group != written,
        negates=negates,
        hedges=written in words.table("hedges"),
    )


@cache
def _pattern() -> re.Pattern[str]:
    known = "|".join(map(re.escape, words.phrases()))
    return re.compile(
        r"(?P<break>[，；：。！？;:!?]|,(?!\d)|\.(?=\s|$)|\n"
        r"|\b(?:while|whereas|but|and(?! [\d$€£]))\b)"
        rf"|(?P<latin>[^\W\d_{_UNSPACED}](?:[^\W_{_UNSPACED}]|(?<=\w)['’](?=[a-z])|-(?=[A-Z]*\d)"
        r"|\.(?=\d)|(?<=[A-Z])\.(?=[A-Z]))*[+#]*)"
        rf"|(?P<known>{known})|(?P<han>[{_UNSPACED}])",
    )


JOINTS = frozenset({"和", "与", "及", "and", "|"})
EACH = frozenset({"分别", "依次", words.stem("respectively")})


def segment(source: Sequence[Token], place: int) -> tuple[int, int]:
    """Return where the part of ``source`` around ``place`` begins and ends."""
    ends = [at for at, one in enumerate(source) if one.key == "||"]
    begin = max((at + 1 for at in ends if at < place), default=0)
    return begin, min((at for at in ends if at >= place), default=len(source))


def clause_start(source: Sequence[Token], clause: int) -> int:
    """Return the place of the first token of ``clause``."""
    return next(at for at, one in enumerate(source) if one.clause == clause)


def is_each(source: Sequence[Token], place: int) -> bool:
    """Whether something is said of several things in their order around ``place``."""
    begin, end = segment(source, place)
    return any(one.key in EACH for one in source[begin:end])
