"""Small words that decide: "fell by 5" is not "fell to 5", nor "the first" "one of the first"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, tokens

# Words of one line mean the same before a value or a name, those of two do not.
_DIRECTIONS = (
    "to into 到 至",
    "by 了",
    "from since 从 自",
    "until till through",
    "before 之前 以前",
    "after 之后 以后",
)
# Beside a time these say that it is the time itself.
_TIMES = "in on at during"
_TOP = (
    "largest biggest highest tallest greatest most smallest lowest least longest shortest oldest "
    "earliest newest latest youngest fastest deepest best worst first last only"
)
_EVERY = "every each"
_SECOND = "second"
_PRONOUNS = ("she her hers 她", "he him his 他")
# What stands beside a date that is no date of what is told, before it or behind it.
_SIDES = ("before 前 之前 以前", "after 后 之后 以后", "about around circa 约 大约 左右")
_TO, _BY, _FROM = _DIRECTIONS[:3]
_AT = "at"
_CHANGES = frozenset({words.class_of("rose"), words.class_of("fell")})
_OF, _DONE = "的", "了"
_BE = frozenset({words.class_of("为"), "是"})
# How far before a word its preposition may stand, and "one of the" before a superlative.
_BEFORE, _ONE_OF = 2, 3


def _is_other(reading: Reading, at: int, to: int) -> bool:
    token = reading.claim[at]
    return bool(token.weight) and (
        _is_of_fewer(reading, at, to)
        or (token.kind == "name" and _is_doer(reading, at, to))
        or (token.moment is not None and _other_side(reading, at, to))
        or _is_other_way(reading, at, to)
    )


def _is_of_fewer(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says it of one of those, or of a part of the place, that are told of."""
    token = reading.claim[at]
    if token.key in _top() and (_is_one_of_more(reading, at, to) or _is_second(reading, at, to)):
        return True
    if token.key in _top() | _every():
        return _is_narrower(reading, at)
    if not _is_side(reading.source, to) or _is_side(reading.claim, at):
        return False
    # What is in the north of a country is in the country, but all of it is more.
    is_place = token.kind == "name" or token.key.startswith("place ")
    is_subject = not any(one.weight for one in reading.claim[:at])
    return is_subject or (is_place and any(one.key in _top() for one in reading.claim))


def _is_other_way(reading: Reading, at: int, to: int) -> bool:
    """Whether small words before the two tell other directions, or a place and a way from it."""
    mine, theirs = _direction(reading.claim, at), _direction(reading.source, to)
    is_place = _AT in {_before(reading.claim, at), _before(reading.source, to)}
    return (is_place and _FROM in {mine, theirs}) or _differ(mine, theirs)


def _before(read: Sequence[TextToken], at: int) -> str:
    """Return whether a place is told by the word before the one at ``at``."""
    near = (one.key for one in read[max(at - _BEFORE, 0) : at])
    return _AT if any(_directions().get(key) == _TIMES for key in near) else ""


def _is_side(read: Sequence[TextToken], at: int) -> bool:
    """Whether a direction narrows the place at ``at``: "Northern Norway"."""
    return at > 0 and read[at - 1].key.startswith(words.class_of("east").partition(".")[0] + ".")


def _is_doer(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage has it done by whom the claim says that it is done to."""
    by = tokens("by")[0].key
    return (
        at > 0
        and to > 0
        and bool(reading.claim[at - 1].weight)
        and reading.source[to - 1].key == by
    )


def _other_side(reading: Reading, at: int, to: int) -> bool:
    """Whether only the passage says that it was before the date, after it, or about then."""
    sides = (_side(reading.claim, at), _side(reading.source, to))
    return sides[0] != sides[1] and bool(sides[1])


def _side(read: Sequence[TextToken], at: int) -> str:
    behind = [one for one in read[at + 1 : at + 2] if one.kind == "han"]
    near = (*read[max(at - _BEFORE, 0) : at], *behind)
    return next((_sides()[one.key] for one in near if one.key in _sides()), "")


def _is_second(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says "the second longest" where the claim says "the longest"."""
    mine, theirs = (
        read[place - 1] if place else None
        for read, place in ((reading.claim, at), (reading.source, to))
    )
    return bool(theirs and _is_place(theirs)) and not (mine and _is_place(mine))


def _is_place(token: TextToken) -> bool:
    is_ordinal = token.quantity is not None and token.quantity.kind == "ordinal"
    return is_ordinal or token.key == _SECOND


def small_words(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find what a small word makes another statement, perhaps in words for the same."""
    if _is_of_other_sex(reading):
        yield Objection("subject", refutes=False)
    for at, to in reading.found.items():
        if _is_other(reading, at, to):
            token = reading.claim[at]
            written = claim[token.start : token.end]
            yield Objection("word", refutes=False, words=(written,), decides=True)


def _is_of_other_sex(reading: Reading) -> bool:
    """Whether the claim says of "her" what the passage says of "him"."""
    own = {token.key for token in reading.claim}
    told = {token.key for token in reading.source if token.clause in reading.used}
    she, he = _sexes()
    return any(
        own & one and not own & other and told & other and not told & one
        for one, other in ((she, he), (he, she))
    )


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _direction(read: Sequence[TextToken], at: int) -> str:
    """Return what stands before the word at ``at``: which direction, empty for none.

    "Fell 5" is by 5; 增长到原来的三倍 is to three times.
    """
    is_of = at > 0 and read[at - 1].key == _OF
    for place in range(at - 1, max(at - _BEFORE - is_of, 0) - 1, -1):
        before = read[place]
        if is_of and before.moment:
            continue  # 增至2020年的5亿元
        if before.key == _DONE and place and _directions().get(read[place - 1].key) == _TO:
            continue  # 下降到了
        if found := _directions().get(before.key, ""):
            return found if found != _TIMES or read[at].moment else ""
        number = read[at].quantity
        if number and before.key in _CHANGES:
            return _BY
        if number and number.kind == "fold" and before.key in _BE:
            return _TO  # 是原来的三倍
        if before.weight or before.kind == "break":
            break
    return ""


def _is_one_of_more(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says "one of the first" where the claim says "the first"."""
    return _is_one_of(reading.source, to) and not _is_one_of(reading.claim, at)


def _is_one_of(read: Sequence[TextToken], at: int) -> bool:
    keys = [token.key for token in read[max(at - _ONE_OF, 0) : at]]
    among, one_of = _among()
    return among in keys or one_of in pairwise(keys)


def _is_narrower(reading: Reading, at: int) -> bool:
    """Whether the passage says it of fewer: "the first stone bridge" for "the first bridge"."""
    after = at + 1
    if after not in reading.found or not reading.claim[after].weight:
        return False
    own = {token.key for token in reading.claim}
    between = reading.source[reading.found[at] + 1 : reading.found[after]]
    return any(one.weight and not one.is_value and one.key not in own for one in between)


@cache
def _directions() -> Mapping[str, str]:
    return {tokens(word)[0].key: line for line in (*_DIRECTIONS, _TIMES) for word in line.split()}


@cache
def _sexes() -> tuple[frozenset[str], frozenset[str]]:
    she, he = (frozenset(tokens(word)[0].key for word in one.split()) for one in _PRONOUNS)
    return she, he


@cache
def _sides() -> Mapping[str, str]:
    return {tokens(word)[0].key: line for line in _SIDES for word in line.split()}


@cache
def _every() -> frozenset[str]:
    return frozenset(tokens(word)[0].key for word in _EVERY.split())


@cache
def _top() -> frozenset[str]:
    return frozenset(tokens(word)[0].key for word in _TOP.split())


@cache
def _among() -> tuple[str, tuple[str, str]]:
    among, one, of = (tokens(word)[0].key for word in ("among", "one", "of"))
    return among, (one, of)
