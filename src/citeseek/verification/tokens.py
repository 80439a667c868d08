"""A text as what can be compared: quantities, dates, names, words, Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Literal, TypeAlias

import msgspec

from citeseek.verification import words
from citeseek.verification.letters import fold_letters
from citeseek.verification.values import clock_times, quantity_reading
from citeseek.verification.values import partial_dates as moment
from citeseek.verification.values.partial_dates import Moment
from citeseek.verification.values.quantity import Quantity

Kind: TypeAlias = Literal["number", "date", "name", "word", "han", "break"]

# Han, kana and hangul are written without spaces between words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# "Not only" negates nothing.
_ONLY = (" only", " just", " merely")
# What follows 将 where it is "will": before a thing, 将 only says that something is done to it.
_FUTURE = frozenset("在于会由从被成是有不继举开建推发投实与和对向进增减扩达为以再")
_UP_TO = frozenset("增至 升至 降至 减至".split())
_ROMAN = re.compile("[IVX]{1,5}")
_FACTS = ("+", "-", "1of", "place")
_HAN = re.compile(f"[{_UNSPACED}]")
_SPOKEN = re.compile(
    r"(?P<break>[，；：。！？;:!?]|,(?!\d)|(?<!\d),|\.(?=\s|$)|\n"
    r"|\b(?:while|whereas|but|and(?! [\d$€£]))\b)"
    rf"|(?P<letters>(?<![\w.])(?:[A-Z]\.)+[A-Z](?:\.(?=\s+\S|[,;)]))?(?!\w))"
    rf"|[^\W\d_{_UNSPACED}](?:[^\W_{_UNSPACED}]|(?<=\w)['’](?=[a-z])|-(?=[A-Z]*\d)"
    r"|\.(?=\d)|(?<=[A-Z])\.(?=[A-Z]))*[+#]*"
)


class TextToken(msgspec.Struct, frozen=True, gc=False):
    """A piece of a text from ``start`` to ``end``; two of one ``key`` say the same.

    ``fact`` is one that must not be missing from a source. ``weight`` is 0 for words that say
    nothing by themselves. ``clause`` counts from 0. ``owns`` is true of "castle's".
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
    owns: bool = False
    quantity: Quantity | None = None
    moment: Moment | None = None

    @property
    def is_value(self) -> bool:
        """Whether it is a number or a date."""
        return self.kind in {"number", "date"}


def weight(tokens: Iterable[TextToken]) -> int:
    """Return how much is said in ``tokens``: a word counts as two Chinese characters."""
    return sum(token.weight if token.kind == "han" else 2 for token in tokens if token.weight)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[TextToken, ...]:
    """Return the tokens of ``text`` in order; a ``break`` ends a clause."""
    plain, places = fold_letters(text)
    found: list[TextToken] = []
    at = clause = 0
    while at < len(plain):
        token = _value(plain, at, clause) or _read_spoken(plain, at, clause, found)
        if token is None:
            at += 1
            continue
        found.append(token)
        clause += token.kind == "break"
        at = token.end
    if places is None:
        return tuple(found)
    replace = msgspec.structs.replace
    return tuple(replace(one, start=places[one.start], end=places[one.end]) for one in found)


@cache
def _first_of_values() -> frozenset[str]:
    return quantity_reading.first_characters() | moment.FIRST | clock_times.FIRST


def _value(text: str, at: int, clause: int) -> TextToken | None:
    if text[at].lower() not in _first_of_values():
        return None
    clock = clock_times.pattern().match(text, at) if text[at] in clock_times.FIRST else None
    if clock and (time := clock_times.read(clock)):
        return TextToken("number", repr(time), at, clock.end(), clause, fact=True, quantity=time)
    number = quantity_reading.pattern().match(text, at)
    date = moment.pattern().match(text, at)
    if date and not (number and number.end() > date.end()):
        told = moment.read(date)
        return TextToken("date", repr(told), at, date.end(), clause, fact=True, moment=told)
    if number and (read := quantity_reading.read(number)):
        # "second" and "third" are numbers only as a part of a date.
        return TextToken("number", repr(read), at, number.end(), clause, fact=True, quantity=read)
    return None


def _read_spoken(text: str, at: int, clause: int, before: list[TextToken]) -> TextToken | None:
    if _HAN.match(text, at):
        return _read_han(text, at, clause)
    match = _SPOKEN.match(text, at)
    if match is None:
        return None
    written, end = match[0], match.end()
    if match["break"]:
        key = written if written in {"and", "but"} else "||" if written in "；;。！？!?.\n" else "|"
        return TextToken("break", key, at, end, clause, weight=0, hedges=written in "?？")
    if _is_numeral(text, at, written, before):
        return TextToken("name", f"roman {written}", at, end, clause, fact=True)
    if match["letters"]:
        token = _latin(written.replace(".", ""), at, clause, is_first=False, is_letter=False)
        return msgspec.structs.replace(token, end=end)  # U.S. is US
    # A市, B组: letters that stand for names.
    is_letter = written.isupper() and len(written) == 1 and text[end : end + 1] > "\u3000"
    token = _latin(written, at, clause, is_first=not before, is_letter=is_letter)
    is_kept = token.negates and text.startswith(_ONLY, end)
    return msgspec.structs.replace(token, negates=False) if is_kept else token


def _read_han(text: str, at: int, clause: int) -> TextToken:
    token = _han(_longest_phrase(text, at), at, clause)
    if text[token.start : token.end] in _UP_TO:
        # 增至: the second character says that a number is where it ends.
        return msgspec.structs.replace(token, end=token.end - 1)
    is_future = token.key == "将" and text[at + 1 : at + 2] in _FUTURE
    return msgspec.structs.replace(token, hedges=True) if is_future else token


def _is_numeral(text: str, at: int, written: str, before: Sequence[TextToken]) -> bool:
    """Whether letters are a Roman numeral: behind a name, or behind what is numbered by them."""
    if not before or not _ROMAN.fullmatch(written) or before[-1].end != at - 1:
        return False
    last = before[-1]
    if last.key in words.table("numbered") or last.kind == "name":
        return True
    # "Yesterday I …" speaks of the writer.
    is_adverb = last.key in words.table("adverbs") or text[last.start : last.end].endswith("ly")
    return bool(last.weight) and text[last.start].isupper() and not is_adverb


def _latin(written: str, at: int, clause: int, *, is_first: bool, is_letter: bool) -> TextToken:
    key = words.stem(written)
    end = at + len(written)
    if written.casefold().endswith(("n't", "n’t")):
        return TextToken("word", "not", at, end, clause, weight=0, negates=True)
    group = words.classes().get(key, key)
    name = is_letter or (_is_name(written, is_first=is_first) and group == key)
    negates = written.casefold() in words.negators()
    is_empty = key in words.table("empty") and not is_letter and not (name and len(written) > 1)
    return TextToken(
        "name" if name and not is_empty else "word",
        group,
        at,
        end,
        clause,
        weight=0 if is_empty or negates else 1,
        fact=not is_empty and (name or group.startswith(_FACTS)),
        negates=negates,
        hedges=key in words.weakening() and written != "May",
        owns=written.endswith(("'s", "’s", "s'", "s’")),
    )


def _is_name(written: str, *, is_first: bool) -> bool:
    if any(character.isdigit() or character.isupper() for character in written[1:]):
        return True
    return written[0].isupper() and not is_first


def _han(written: str, at: int, clause: int) -> TextToken:
    group, weight, fact, negates, hedges = _meaning(written)
    end = at + len(written)
    return TextToken("han", group, at, end, clause, weight, fact, negates, hedges)


@cache
def _meaning(written: str) -> tuple[str, int, bool, bool, bool]:
    """Return the key of a Chinese word, its weight, and whether it is a fact, negates, hedges."""
    group = words.classes().get(written, written)
    negates = written in words.negators()
    weight = 0 if negates or written in words.table("empty") else len(written)
    is_fact = group.startswith(_FACTS) and group != written
    return group, weight, is_fact, negates, written in words.weakening()


def _longest_phrase(text: str, at: int) -> str:
    """Return the longest known Chinese word at ``at``, or the character there."""
    for phrase in _phrases().get(text[at], ()):
        if text.startswith(phrase, at):
            return phrase
    return text[at]


@cache
def _phrases() -> dict[str, list[str]]:
    """Return the Chinese words of all tables by their first character, the longest first."""
    found: dict[str, list[str]] = {}
    for phrase in words.phrases():
        found.setdefault(phrase[0], []).append(phrase)
    return found


VERBS = frozenset(
    map(words.stem, "is are was were be been has have had will do does did can".split())
) | frozenset("是为")


def is_bare_name(read: Sequence[TextToken]) -> bool:
    """Whether a text only names something and says nothing of it: ``Toronto Raptors, 2001``."""
    told = [token for token in read if token.weight]
    return (
        any(token.kind == "name" for token in told)
        and all(token.kind == "name" or token.is_value or token is read[0] for token in told)
        and not any(token.key in VERBS for token in read)
    )


JOINTS = frozenset({"和", "与", "及", "and", "but", "|"})
EACH = frozenset({"分别", "依次", words.stem("respectively")})


def segment(source: Sequence[TextToken], place: int) -> tuple[int, int]:
    """Return where the part of ``source`` around ``place`` begins and ends."""
    ends = [at for at, one in enumerate(source) if one.key == "||"]
    begin = max((at + 1 for at in ends if at < place), default=0)
    return begin, min((at for at in ends if at >= place), default=len(source))


def clause_start(source: Sequence[TextToken], clause: int) -> int:
    """Return the place of the first token of ``clause``."""
    return next(at for at, one in enumerate(source) if one.clause == clause)


def items(source: Sequence[TextToken], places: range) -> list[list[int]]:
    """Return the places of the words of each thing that is listed at ``places``."""
    listed: list[list[int]] = [[]]
    for at in places:
        one = source[at]
        before = source[at - 1] if at > places.start else one
        # Between Chinese words stands 、, which is no token.
        is_parted = one.kind == before.kind == "han" and one.start == before.end + 1
        if (one.key in JOINTS or is_parted) and listed[-1]:
            listed.append([])
        if one.weight and one.kind != "break":
            listed[-1].append(at)
    return listed


def is_each(source: Sequence[TextToken], place: int) -> bool:
    """Whether something is said of several things in their order around ``place``."""
    begin, end = segment(source, place)
    return any(one.key in EACH for one in source[begin:end])
