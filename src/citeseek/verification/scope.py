"""How far it goes what a passage says: of whom and how many, when, and on what condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from citeseek.verification import words
from citeseek.verification.narrowing import is_general
from citeseek.verification.omissions import Omission, is_left_out, pattern
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import weight

# A claim with more in it tells so much that a limit of it would be told as well.
_SHORT = 14
_EXTREME = re.compile(r"\b(?:only|first|last|most|least|best|worst|\w{2,}est)\b|最|唯一|首")
_IS, _WAS = (frozenset(map(words.stem, each.split())) for each in ("is are", "was were"))
_UNLIKE = re.compile(
    r"(?:\b(?:unlike|in contrast (?:to|with)|instead of|rather than|compared (?:to|with))\b"
    r"|不像|不同于|有别于)[^,，]*$",
    re.IGNORECASE,
)
# Small words that stand between a limit and the word that it limits.
_SMALL = r"(?:\W|\b(?:of|the|an?|its|his|her|their|these|those|in)\b|[的在于是被])*"
# What "but" takes something out of: "nothing but tea".
_NONE = re.compile(
    r"\b(?:nothing|none|nobody|no one|nowhere|never|no \w+|all|every\w*)\W*$", re.IGNORECASE
)
_BUT = re.compile(
    r"\W*(?:but|other than|apart from|aside from|save|besides|beyond)\b", re.IGNORECASE
)
# Behind a comma something else is spoken of.
_OTHER = re.compile(r"[,，]\s*\w")


def scope(reading: Reading, left_out: Sequence[Omission], claim: str) -> Iterator[Objection]:
    """Find a limit of what the passage says that the claim leaves out."""
    if any(_is_planned(one, claim) or _is_past(reading, one, claim) for one in left_out):
        yield Objection("hedge", refutes=False)
        return
    is_wide = _is_wide(reading, claim)
    if any(
        _is_of_some(one, claim)
        or _is_of_lower_rank(one, claim)
        or _is_conditional(one, claim)
        or _is_of_another(one, claim)
        or (is_wide and _is_limited(reading, one, claim))
        for one in left_out
    ):
        yield Objection("words", refutes=False, decides=True)


def _is_wide(reading: Reading, claim: str) -> bool:
    """Whether a claim says how something is, that it is not, or is more than all others."""
    is_negated = any(token.negates for token in reading.claim)
    return is_negated or is_general(reading, claim) or bool(_EXTREME.search(claim))


def _is_of_some(one: Omission, claim: str) -> bool:
    return _ends("some", one.governor, claim) or any(
        _ends("some", part, claim) for part in one.within
    )


def _is_of_lower_rank(one: Omission, claim: str) -> bool:
    """Whether a rank is left out: "the deputy mayor", "minister-elect"."""
    parts = (*one.within, one.after)
    return any(_ends("rank", part, claim) for part in (one.governor, *one.within)) or any(
        _begins("rank_behind", part, claim) for part in parts
    )


def _is_conditional(one: Omission, claim: str) -> bool:
    if _NONE.search(claim) and _BUT.match(one.after):
        return True
    return any(is_left_out("condition", part, claim) for part in (one.before, *one.within)) or (
        _begins("condition", one.after, claim)
    )


def _is_of_another(one: Omission, claim: str) -> bool:
    """Whether the passage only sets it apart from what the claim speaks of: "unlike the …"."""
    found = _UNLIKE.search(one.before)
    if found is None or found[0].split()[0].casefold() in claim.casefold():
        return False
    return any(_OTHER.search(gap) for gap in one.gaps)


def _is_limited(reading: Reading, one: Omission, claim: str) -> bool:
    """Whether it is so only at times, for some, or where the passage says."""
    parts = (*one.within, one.after)
    if any(_begins("limit", part, claim) for part in parts) or _opens("limit", one, claim):
        return True
    if any(is_left_out("circumstance", part, claim) for part in one.circumstances):
        return True
    return weight(reading.claim) <= _SHORT and (
        any(_begins("narrower", part, claim) for part in parts) or _opens("narrower", one, claim)
    )


def _is_planned(one: Omission, claim: str) -> bool:
    return any(_ends("planned", part, claim) for part in (one.before, *one.gaps))


def _is_past(reading: Reading, one: Omission, claim: str) -> bool:
    """Whether the claim says that it is so, and the passage that it was."""
    keys = {token.key for token in reading.source[one.first : one.last]}
    missing = {token.key for at, token in enumerate(reading.claim) if at not in reading.found}
    is_short = weight(reading.claim) <= _SHORT
    if is_short and missing & _IS and keys & _WAS and not keys & _IS:
        return True
    if _opens("label", one, claim):
        return True
    is_first = any(_ends("first", part, claim) for part in (one.governor, *one.within))
    return is_first and is_left_out("later", one.after, claim)


def _ends(name: str, part: str, claim: str) -> bool:
    found = _at_end(name).search(part)
    return found is not None and found[1].casefold() not in claim.casefold()


def _begins(name: str, part: str, claim: str) -> bool:
    found = _at_start(name).match(part)
    return found is not None and found[1].casefold() not in claim.casefold().split()


def _opens(name: str, one: Omission, claim: str) -> bool:
    """Whether a sentence opens with a phrase of the table: "For members, …"."""
    return _begins(name, one.before, claim)


@cache
def _at_end(name: str) -> re.Pattern[str]:
    return re.compile(rf"({pattern(name).pattern}){_SMALL}$", re.IGNORECASE)


@cache
def _at_start(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[\s,，：:(（-]*(?:but |and |地|的|在)?({pattern(name).pattern})", re.IGNORECASE
    )
