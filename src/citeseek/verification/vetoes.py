"""What a judge may not talk away: rules over a claim and the quote that it is to rest on.

Who tells a sentence anew changes more of it than one word. So a claim is no paraphrase of a quote
from which it differs in one short piece, in the order of its words, or in a word of a closed list:
an opposite, a share, how often, which in a row.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from citeseek.verification import words
from citeseek.verification.contradiction import has_rival
from citeseek.verification.derived_values import is_derived
from citeseek.verification.objections.substitutions import find_runs, lost_names
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, weight

_REASONS = frozenset({"number", "date", "rounded", "name", "negation", "opposite", "hedge"})
# A claim that the passage has all words of, and a piece that one word could stand for.
_ALL, _PIECE = 0.93, 4
# In a list the next word stands behind its "and".
_NEXT = 2
_ORDINALS = frozenset(
    "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
)
# So much of the sentence around what was found belongs to it.
_AROUND = 24
_RANK = re.compile(
    r"\b(second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:nd|rd|th))\b"
    r"|第([二三四五六七八九十\d]+)",
    re.IGNORECASE,
)
_UTMOST = re.compile(r"\b(?:\w{3,}(?<!for)(?<!inter)est|most)\b|最", re.IGNORECASE)
_OFTEN = re.compile(
    r"\b(?:every|each) (?P<count>other |\w+ )?(?P<unit>year|month|week|day|hour|night|season)s?\b"
    r"|\b(?P<once>annual(?:ly)?|yearly|monthly|weekly|daily|hourly|biennial(?:ly)?|biannual(?:ly)?)\b"
    r"|每(?:隔)?(?P<han>[一二两三四五六七八九十\d]*)(?:个)?(?P<han_unit>年|月|周|星期|日|天|小时)",
    re.IGNORECASE,
)
_ONCE = {
    "annual": ("year", 1),
    "yearly": ("year", 1),
    "monthly": ("month", 1),
    "weekly": ("week", 1),
    "daily": ("day", 1),
    "hourly": ("hour", 1),
    "biennial": ("year", 2),
    "biannual": ("year", 0.5),
}
_UNITS = {"年": "year", "月": "month", "周": "week", "星期": "week", "日": "day", "天": "day"}
_COUNTS = {"other": 2, "two": 2, "second": 2, "three": 3, "third": 3, "four": 4, "five": 5}
_HAN_COUNTS = {"": 1, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "十": 10}
_QUESTION = re.compile(r"[?？]\s*[”\"’」』）)]*\s*$|^\s*问[：:]|吗[。？?]?\s*$")
_ONLY_HAN = re.compile(r"(?<![一二三四五六七八九十百千万两几\d这那每])只(?![要好得])")


def forbids_support(
    reading: Reading, against: Sequence[Objection], claim: str, quote: str, text: str
) -> bool:
    """Whether the rules forbid to call ``claim`` supported by ``quote``, sentences of ``text``."""
    is_exact = any(token.is_value or token.kind == "name" for token in reading.claim)
    return (
        any(
            one.reason in _REASONS or (one.reason == "order" and (one.refutes or one.decides))
            for one in against
        )
        or any(_is_exact(reading.claim[at], claim, text) for at in reading.missing)
        or any(lost_names(reading, claim))
        or _has_other_ordinal(reading)
        or has_rival(reading)
        or ((is_exact or reading.coverage >= _ALL) and is_of_another(against))
        or not _has_its_values(reading)
        or _is_one_piece_away(reading, against)
        or _differs_in_closed_words(reading, claim, quote)
    )


def forbids_contradiction(reading: Reading, other: Objection, claim: str, quote: str) -> bool:
    """Whether a ``quote`` is nothing to contradict ``claim`` with, though they differ in ``other``.

    A question says nothing, and a denial may be one of something else, or agree with another. A
    value that follows from those of the quote is no other one.
    """
    is_told = _has("worked_out", quote) and not _has("worked_out", claim)
    if _QUESTION.search(quote) or not _begins_found(reading):
        return True
    if other.reason in ("number", "date"):
        lost = [reading.claim[at] for at in reading.missing if reading.claim[at].is_value]
        return is_told or any(is_derived(one, reading.source) for one in lost)
    denials = sum(any(one.negates for one in read) for read in (reading.claim, reading.source))
    # Not held is cancelled: where one of them denies the opposite, they agree.
    is_turned = any(_is_opposite(pair, claim, quote) for pair in _opposites())
    if denials == 1 and (is_turned or other.reason == "opposite"):
        return True
    return any(_has(table, quote) and not _has(table, claim) for table in ("open", "only", "less"))


def is_of_another(against: Sequence[Objection], *, besides: bool = False) -> bool:
    """Whether the passage says the words of something else, or ``besides`` does not name it."""
    return any(
        one.reason == "order"
        or (one.reason == "subject" and (one.refutes if besides else not one.words))
        for one in against
    )


def _is_one_piece_away(reading: Reading, against: Sequence[Objection]) -> bool:
    """Whether all of the claim is there but for one short piece, its order, or a doubt."""
    if not reading.missing:
        doubts = {"word", "words", "subject"}
        return reading.is_scattered or any(one.reason in doubts for one in against)
    keys = {token.key for token in reading.source}
    if all(reading.claim[at].key in keys for at in reading.missing):
        return True
    runs = list(find_runs(reading))
    return len(runs) == 1 and any(
        (instead or _goes_on(reading, run)) and weight(reading.claim[at] for at in run) <= _PIECE
        for run, instead in runs
    )


def _goes_on(reading: Reading, run: range) -> bool:
    """Whether the claim ends with ``run``, and the passage goes on there with something else."""
    if any(one.weight for one in reading.claim[run.stop :]) or not reading.found:
        return False
    rest = reading.source[max(reading.found.values()) + 1 :][:_NEXT]
    return any(one.weight for one in rest)


def _differs_in_closed_words(reading: Reading, claim: str, quote: str) -> bool:
    near = _near(reading, quote)
    is_denied = any(one.negates for one in (*reading.claim, *reading.source))
    if not is_denied and any(_is_opposite(pair, claim, near) for pair in _opposites()):
        return True
    often = set(_how_often(claim)), set(_how_often(near))
    is_best = _UTMOST.search(claim) is not None or _UTMOST.search(near) is not None
    ranks = [{found[0].lower() for found in _RANK.finditer(one)} for one in (claim, near)]
    return (
        (bool(often[0]) and bool(often[1]) and often[0].isdisjoint(often[1]))
        or (is_best and ranks[0] != ranks[1])
        or (_has("all", claim) and not _has("all", near))
        or _has("only", claim) != _has("only", near)
        or (_has("less", near) and not _has("less", claim))
    )


def _near(reading: Reading, quote: str) -> str:
    """Return the part of ``quote`` in which the words of the claim stand."""
    places = [reading.source[at] for at in reading.used]
    if not places:
        return quote
    first, last = min(one.start for one in places), max(one.end for one in places)
    return quote[max(first - _AROUND, 0) : last + _AROUND]


def _begins_found(reading: Reading) -> bool:
    """Whether the passage has what the claim begins with, its subject, or goes on with one."""
    first = next((at for at, one in enumerate(reading.claim) if one.weight), None)
    return first is None or first in reading.found or first in reading.moved


def _how_often(text: str) -> Iterator[tuple[str, float]]:
    for found in _OFTEN.finditer(text):
        if once := found["once"]:
            yield _ONCE[
                once.lower().removesuffix("ly") if once.lower() not in _ONCE else once.lower()
            ]
        elif unit := found["han_unit"]:
            count = found["han"]
            number = float(count) if count.isdecimal() and count.isascii() else None
            yield _UNITS.get(unit, unit), number or _HAN_COUNTS.get(count, 0)
        else:
            count = (found["count"] or "").strip().lower()
            yield found["unit"].lower(), _COUNTS.get(count, 0) if count else 1


@cache
def _tables() -> dict[str, str]:
    content = files("citeseek.verification").joinpath("vetoes.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)


@cache
def _opposites() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    sides = (line.split(" / ") for line in _tables()["opposites"].splitlines() if line)
    return tuple((_pattern(one), _pattern(other)) for one, other in sides)


@cache
def _pattern(told: str) -> re.Pattern[str]:
    """Return what finds one of the words ``told``."""
    each = shlex.split(told)
    latin = [re.escape(one) for one in each if one.isascii()]
    han = [re.escape(one) for one in each if not one.isascii()]
    return re.compile(
        "|".join(filter(None, [rf"\b(?:{'|'.join(latin)})\b" if latin else "", *han])),
        re.IGNORECASE,
    )


def _has(table: str, text: str) -> bool:
    if table == "only" and _ONLY_HAN.search(text):
        return True
    return _pattern(" ".join(_tables()[table].split("\n"))).search(text) is not None


def _is_opposite(pair: tuple[re.Pattern[str], re.Pattern[str]], claim: str, quote: str) -> bool:
    """Whether ``claim`` has one side of ``pair`` alone, and ``quote`` the other one alone."""
    mine, theirs = ([bool(side.search(text)) for side in pair] for text in (claim, quote))
    return sum(mine) == sum(theirs) == 1 and mine != theirs


def _has_its_values(reading: Reading) -> bool:
    """Whether what the claim counts or dates stands with its values, and other words of it."""
    places = reading.found | reading.moved
    told = [at for at, token in enumerate(reading.claim) if token.weight and not token.is_value]
    values = [at for at, token in enumerate(reading.claim) if token.is_value]
    beside = {reading.source[places[at]].clause for at in told if at in places}
    return not values or (
        any(at in places for at in told[:1])
        and all(at in places and reading.source[places[at]].clause in beside for at in values)
    )


def _is_exact(token: TextToken, claim: str, text: str) -> bool:
    """Whether ``token`` is a name, a place or has an opposite: other words cannot stand for it.

    A first word is a name if ``text`` never writes it in small letters.
    """
    written = claim[token.start : token.end]
    if token.start == 0 and token.kind == "word" and written.istitle():
        return written.lower() not in text
    return token.kind == "name" or token.key.startswith(("place ", "+", "-"))


def _has_other_ordinal(reading: Reading) -> bool:
    """Whether the claim counts something as the third, and the passage does not, or otherwise."""
    first = words.class_of("first")
    mine, theirs = (
        {token.key for token in read} & (_ORDINALS | {first})
        for read in (reading.claim, reading.source)
    )
    # "Opened" says no less than "was opened for the first time".
    return bool(mine - theirs - {first}) or bool(mine and theirs - mine)
