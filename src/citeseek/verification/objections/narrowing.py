"""What a passage says of less than the claim does: of a part, of some, sometimes, once.

All of the claim's words stand there, and one word more: "few members", "the tower of the castle",
"was once the longest".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, clause_start, segment, tokens

# How far before the head of "the tower of the castle" its article may stand.
_ARTICLE = 3
# How far from its beginning a sentence says who it has it from.
_OPENING = 6
# Two words that follow each other and take back what comes: "prevented from", "is thought to".
_PAIRS = (("held", "to"), ("meant", "to"), ("seems", "to"), ("prevented", "from"))
# What narrows only before another word: "part of", "used to".
_FOLLOWED = (("parts", "of"), ("used", "to"))
# How much a clause behind the statement has in it that only says who holds it.
_HOLDER = 3


def narrowing(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find a word more that narrows or weakens what the passage says."""
    own = {token.key for token in reading.claim}
    places = sorted(reading.found.values())
    if not places:
        return
    if _is_excepted(reading, own) or _is_supposed(reading, own) or _is_held_by_some(reading, own):
        yield Objection("hedge", refutes=False)
        return
    if _is_yet_to_be(reading, own) or _is_bound_apart(reading, own):
        yield Objection("hedge", refutes=False)
        return
    general = is_general(reading, claim)
    for at, to in reading.found.items():
        if not reading.claim[at].weight:
            continue
        before = _governor(reading.source, to, own)
        if before in _keys("degrees") or (general and before in _keys("once")):
            yield Objection("hedge", refutes=False)
            return
        if before in _keys("some") or _is_one_of(reading, at, to) or _is_part(reading, at, to, own):
            yield Objection("words", refutes=False)
            return
    if general and _was(reading, own):
        yield Objection("hedge", refutes=False)
    if general and own & _keys("present") and _is_limited(reading, own):
        yield Objection("words", refutes=False)


def is_general(reading: Reading, claim: str) -> bool:
    """Whether the claim says how something is, not how it was or what happened."""
    keys = {token.key for token in reading.claim}
    if keys & _keys("past") or any(token.moment for token in reading.claim):
        return False
    return bool(keys & _keys("present")) or not any(
        token.kind == "word" and words.is_past(claim[token.start : token.end])
        for token in reading.claim
    )


def _governor(source: Sequence[TextToken], to: int, own: set[str]) -> str:
    """Return what stands before the word at ``to``, words without weight and numbers aside."""
    for at in range(to - 1, -1, -1):
        one = source[at]
        if one.kind == "break":
            break
        before, after = (source[at + step].key if at + step >= 0 else "" for step in (-1, 1))
        is_other = any(
            one.key in _keys(first) and after not in _keys(second) for first, second in _FOLLOWED
        )
        if (
            one.key in _keys("degrees") | _keys("some") | _keys("once")
            and one.key not in own
            and before != "not"  # "not only"
            and not is_other
        ):
            return one.key
        if one.weight and not one.is_value:
            break
    return ""


def _is_one_of(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says it of one of those that the claim speaks of."""
    source = reading.source
    after = "".join(one.key for one in source[to + 1 : to + 3])
    if after == "之一" and "".join(one.key for one in reading.claim[at + 1 : at + 3]) != after:
        return True
    before = [one.key for one in source[max(to - 3, 0) : to]]
    mine = [one.key for one in reading.claim[:at]]
    is_subject = not any(one.weight for one in reading.claim[:at])
    if is_subject and ("one", "of") in pairwise(before) and "one" not in mine:
        return True
    (either,) = (one.key for one in tokens("either"))
    return before[-1:] == [either] and either not in mine


def _is_part(reading: Reading, at: int, to: int, own: set[str]) -> bool:
    """Whether the passage says it of what belongs to the claim's thing: "the castle's tower"."""
    source, claim = reading.source, reading.claim
    token = source[to]
    after = source[to + 1 : to + 3]
    belongs = token.owns and not claim[at].owns
    if token.kind == "han" and after and after[0].key == "的":
        belongs = at + 1 < len(claim) and claim[at + 1].key != "的"
        after = after[1:]
    told = reading.found.values()
    is_last = not any(one.weight for one in claim[at + 1 :])
    if (
        belongs
        and after
        and to + 1 not in told
        and after[0].weight
        and not after[0].is_value
        and after[0].key not in own
        and (is_last or any(place > to and source[place].clause == token.clause for place in told))
    ):
        return True
    behind = [one.key for one in source[to + 1 : to + 2]]
    if set(behind) & (_keys("beside") | _keys("or")) - own:
        return True
    return _is_of(reading, at, to, own)


def _is_of(reading: Reading, at: int, to: int, own: set[str]) -> bool:
    """Whether "a … of" stands before the word at ``to``, and nothing like it in the claim."""
    source, claim = reading.source, reading.claim
    place = to - 1
    while place >= 0 and not source[place].weight and source[place].key not in _keys("of"):
        if source[place].kind == "break":
            return False
        place -= 1
    if (
        place < 1
        or source[place].key not in _keys("of")
        or any(one.key in _keys("of") for one in claim[:at])
    ):
        return False
    if any(one.key in _keys("within") for one in claim[max(at - 2, 0) : at]):
        return False  # what is in the north of a country is in the country
    head = source[place - 1]
    if not head.weight or head.is_value or head.key in own | _keys("transparent"):
        return False
    before = [one.key for one in source[max(place - 1 - _ARTICLE, 0) : place - 1]]
    return any(key in _keys("articles") for key in before)


def _is_yet_to_be(reading: Reading, own: set[str]) -> bool:
    """Whether the passage only decides or goes on to do what the claim says is done, in Chinese."""
    if not own & _keys("done"):
        return False
    for clause in reading.used:
        keys = {one.key for one in reading.source if one.clause == clause}
        if keys & _keys("to_do") - own and not keys & _keys("done"):
            return True
    return False


def _is_bound_apart(reading: Reading, own: set[str]) -> bool:
    """Whether a word for a bound stands apart from the number that it is said of: 最多可容纳."""
    bounds = _keys("bounds_apart") - own
    numbers = {
        reading.source[to].clause
        for at, to in reading.found.items()
        if reading.claim[at].kind == "number"
    }
    return any(one.clause in numbers and one.key in bounds for one in reading.source)


def _is_excepted(reading: Reading, own: set[str]) -> bool:
    """Whether the sentence of the passage leaves something out: "except on Sundays"."""
    also = _keys("also")
    for clause in reading.used:
        begin, end = segment(reading.source, clause_start(reading.source, clause))
        keys = [one.key for one in reading.source[begin:end]]
        if (_keys("except") - own) & set(keys):
            return True
        is_chinese = "除" in keys and "外" in keys[keys.index("除") :]
        if is_chinese and "除" not in own and not also & set(keys):
            return True
    return False


def _is_supposed(reading: Reading, own: set[str]) -> bool:
    """Whether the sentence only supposes it: "Had it …", "In the novel, …", "is said to …"."""
    source = reading.source
    for clause in reading.used:
        begin, end = segment(source, clause_start(source, clause))
        keys = [one.key for one in source[begin:end]]
        if keys[:1] and keys[0] in _keys("inverted") and keys[0] != reading.claim[0].key:
            return True
        is_told = keys[:1] and (keys[0] in _keys("within") or keys[1:3] == ["中", "|"])
        if any(key in _keys("fiction") - own for key in keys[: _ARTICLE + 1]) and is_told:
            return True
        if keys[:1] and keys[0] in _keys("contrary") - own:
            return True
        opening = source[begin : begin + _OPENING]
        if keys[:1] and keys[0] in _keys("according") and any(one.hedges for one in opening):
            return True
        if any(
            keys[at] in _keys(second)
            and keys[at - 1] in _keys(first) - own
            and (first != "held" or _keys("is") & set(keys[max(at - 3, 0) : at - 1]))
            for at in range(2, len(keys))
            for first, second in _PAIRS
        ):
            return True
    return False


def _is_held_by_some(reading: Reading, own: set[str]) -> bool:
    """Whether a short clause behind it says who only holds it: "…, critics allege"."""
    source = reading.source
    last = max(reading.used, default=-1)
    rest = [one for one in source if one.clause == last + 1 and one.kind != "break"]
    told = [one for one in rest if one.weight]
    is_own = any(place for place in reading.found.values() if source[place].clause == last + 1)
    if not rest or is_own or len(told) > _HOLDER or _ends_before(source, last):
        return False
    return any((one.hedges or one.key in _keys("think")) and one.key not in own for one in rest)


def _ends_before(source: Sequence[TextToken], clause: int) -> bool:
    """Whether a sentence ends with ``clause``."""
    return any(one.key == "||" and one.clause == clause for one in source)


def _was(reading: Reading, own: set[str]) -> bool:
    """Whether the claim says what somebody has, and the passage what he had."""
    has, had = _keys("has"), _keys("had")
    keys = {one.key for one in reading.source if one.clause in reading.used}
    return bool(own & has and keys & had and not keys & has)


def _is_limited(reading: Reading, own: set[str]) -> bool:
    """Whether what a claim says without limits is so only at times, or on a condition."""
    told = (to for at, to in reading.found.items() if reading.claim[at].weight)
    first = min(told, default=0)
    return any(
        one.clause in reading.used
        and one.key not in own
        and ((place > first and one.key in _keys("limits")) or one.key.startswith(_seasons()))
        for place, one in enumerate(reading.source)
    )


@cache
def _keys(name: str) -> frozenset[str]:
    """Return the keys of a table of ``narrowing`` in words.toml."""
    return frozenset(tokens(word)[0].key for word in words.narrowing()[name].split())


@cache
def _seasons() -> tuple[str, ...]:
    return tuple(words.class_of(one).partition(".")[0] + "." for one in ("summer", "monday"))
