"""How far it goes what a passage says: of whom and how many, when, and on what condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from citeseek.verification import words
from citeseek.verification.frames import strip_frames
from citeseek.verification.objections.narrowing import is_general
from citeseek.verification.objections.omissions import Omission, is_left_out, pattern
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import weight

# A claim with more in it tells so much that a limit of it would be told as well.
_SHORT = 14
_EXTREME = re.compile(r"\b(?:only|first|last|most|least|best|worst|\w{2,}est)\b|最|唯一|首")
_IS, _WAS = (frozenset(map(words.stem, each.split())) for each in ("is are", "was were"))
_LINKS = frozenset(map(words.stem, "unlike like despite besides per versus plus minus".split()))
# Of these each is what it is for as long as nothing exceeds it.
_PEAK = re.compile(r"\b(?:only|most|least|best|worst|(?!first|last)\w{2,}est)\b|最|唯一")
# Small words that stand between a limit and the word that it limits.
_SMALL = (
    r"(?:\W|\b(?:of|the|an?|its|his|her|their|these|those|in|did|does|do|was|were|is|are|not|has"
    r"|have|had|will|would|can|may)\b|[的在于是被不没未能会可])*"
)
# What is told of one thing "but not" of another.
_CONTRAST = re.compile(r"\b(?:but|not)\b", re.IGNORECASE)
# What "but" takes something out of: "nothing but tea".
_NONE = re.compile(
    r"\b(?:nothing|none|nobody|no one|nowhere|never|no \w+|all|every\w*)\W*$", re.IGNORECASE
)
_BUT = re.compile(
    r"\W*(?:but|other than|apart from|aside from|save|besides|beyond)\b", re.IGNORECASE
)
# An opening up to a comma that sets a condition: "weather permitting, …", 在医生指导下，….
_OPENING = re.compile(
    r"^\W*(?!depending)(?:given|granted|assuming|barring|pending|failing"
    r"|\w+ (?:permitting|willing|allowing)"
    r"|\w+(?:ing|ed|en|ept|eft|eld)(?= (?:by|with|in|at|on|for|from|under)\b))\b"
    r"[^,，;；]*,\W*(?:\w+ )?$"
    r"|(?:之?[后前时下内外间中里]|的话|期间|情况|条件|以[后前])[，,]$",
    re.IGNORECASE,
)
_ALLOWED = re.compile("可以|可|应|须|必须|禁止|不得|不可|不能|免费|有效|允许|享受|优惠|开放|营业")
# Behind these stands what a thing is: of more kinds than the claim says.
_SAID_OF_IT = re.compile(r"\W*(?:is|are|was|were|has|have|had)\b|\W*[是为有]", re.IGNORECASE)
# A gap with a word more, and no clause of its own.
_MORE = re.compile(
    r"^(?!\W*(?:also|still|already|even|now|both|all|actually|还|仍)\b)"
    r"(?!.*(?:\b(?:and|or|but|not)\b|[和与及或]))[^,，、(（]{3,}$",
    re.IGNORECASE,
)


def scope(reading: Reading, left_out: Sequence[Omission], claim: str) -> Iterator[Objection]:
    """Find a limit of what the passage says that the claim leaves out."""
    if any(_is_planned(one, claim) or _is_past(reading, one, claim) for one in left_out):
        yield Objection("hedge", refutes=False)
        return
    is_wide = _is_wide(reading, claim)
    if any(
        _is_of_some(reading, one, claim)
        or _is_of_lower_rank(reading, one, claim)
        or _is_conditional(one, claim)
        or (is_wide and _is_limited(reading, one, claim))
        for one in left_out
    ):
        yield Objection("words", refutes=False, decides=True)


def _is_wide(reading: Reading, claim: str) -> bool:
    """Whether a claim says how something is, that it is not, or is more than all others."""
    is_negated = any(token.negates for token in reading.claim)
    return is_negated or is_general(reading, claim) or bool(_EXTREME.search(claim))


def _is_of_some(reading: Reading, one: Omission, claim: str) -> bool:
    """Whether it is said of most or many of them, or of a share: "60 % of the residents"."""
    clause = reading.source[one.first].clause
    before = [token for token in reading.source[one.begin : one.first] if token.weight]
    share = before[-1].quantity if before and before[-1].clause == clause else None
    if share and share.kind == "share" and _is_bare(reading):
        return True
    return _ends("some", one.governor, claim) or any(
        _ends("some", part, claim) for part in one.within
    )


def _is_of_lower_rank(reading: Reading, one: Omission, claim: str) -> bool:
    """Whether a rank is left out: "the deputy mayor", "minister-elect"."""
    parts = (*one.within, one.after)
    if _names_a_person(reading) and _has_word_before(reading, one):
        return True
    return any(_ends("rank", part, claim) for part in (one.governor, *one.within)) or any(
        _begins("rank_behind", part, claim) for part in parts
    )


def _is_conditional(one: Omission, claim: str) -> bool:
    if _NONE.search(claim) and _BUT.match(one.after):
        return True
    return any(is_left_out("condition", part, claim) for part in (one.before, *one.within)) or (
        _begins("condition", one.after, claim)
    )


def _is_limited(reading: Reading, one: Omission, claim: str) -> bool:
    """Whether it is so only at times, for some, or where the passage says."""
    parts = (*one.within, one.after)
    if any(_begins("limit", part, claim) for part in parts) or _opens("limit", one, claim):
        return True
    if any(is_left_out("circumstance", part, claim) for part in one.circumstances):
        return True
    if _EXTREME.search(claim) and any(is_left_out("then", gap, claim) for gap in one.gaps):
        return True
    # Where and when something happened first is more than that it did.
    is_state = is_general(reading, claim) or _PEAK.search(claim) is not None
    is_negated = any(token.negates for token in reading.claim)
    return (
        (is_state or is_negated)
        and weight(reading.claim) <= _SHORT
        and (
            any(_begins("narrower", part, claim) for part in parts if not _CONTRAST.search(part))
            or _opens("narrower", one, claim)
            or (_is_of_all(reading, claim) and _has_modifier(reading, one))
            or (_OPENING.search(one.before) is not None and _may_be_of_all(reading, claim))
        )
    )


def _may_be_of_all(reading: Reading, claim: str) -> bool:
    return reading.claim[0].kind != "han" or _is_of_all(reading, claim)


def _is_of_all(reading: Reading, claim: str) -> bool:
    """Whether a claim is of all of a kind: "Dogs are allowed", 游客可以入内."""
    first = reading.claim[0]
    if any(token.is_value for token in reading.claim):
        return False
    if first.kind == "han":
        return bool(_ALLOWED.search(claim))
    is_name = len(reading.claim) > 1 and reading.claim[1].kind == "name"
    return first.weight > 0 and first.kind == "word" and not is_name


def _has_word_before(reading: Reading, one: Omission) -> bool:
    """Whether a word stands right before the first of the claim: "pregnant women"."""
    before = reading.source[one.begin : one.first]
    return (
        bool(before)
        and before[-1].weight > 0
        and before[-1].kind == "word"
        and reading.source[one.first].kind == "word"
        and before[-1].key not in _LINKS | words.table("empty") | words.table("reporting")
    )


def _names_a_person(reading: Reading) -> bool:
    """Whether a claim begins with a word and has a name of two parts: "Coach Pete Yo"."""
    kinds = [token.kind for token in reading.claim if token.weight and token.kind != "break"]
    return kinds[:1] == ["word"] and any(one == other == "name" for one, other in pairwise(kinds))


def _has_modifier(reading: Reading, one: Omission) -> bool:
    """Whether a word more says of which of them it is so: "pregnant women", "dogs on a lead"."""
    if _has_word_before(reading, one):
        return True
    is_negated = any(token.negates for token in reading.claim)
    return any(
        _MORE.search(part) and (is_negated or not _SAID_OF_IT.match(part)) for part in one.within
    )


def _is_bare(reading: Reading) -> bool:
    """Whether the first word of the claim is no number and no name."""
    first = next((token for token in reading.claim if token.weight), None)
    return first is not None and not first.is_value and first.kind != "name"


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
    if found is None:
        return False
    behind = re.match(r"\s*(?:(?:the|an?)\s)?(\w*)", part[found.end() :])
    told = claim.casefold().split()
    return not (found[1].casefold() in told and (not behind or behind[1].casefold() in ["", *told]))


def _opens(name: str, one: Omission, claim: str) -> bool:
    """Whether a sentence opens with a phrase of the table: "For members, …"."""
    return _begins(name, one.before, claim) and strip_frames(f"{one.before.strip()} X") != "X"


@cache
def _at_end(name: str) -> re.Pattern[str]:
    return re.compile(rf"({pattern(name).pattern}){_SMALL}$", re.IGNORECASE)


@cache
def _at_start(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[\s,，：:(（-]*(?:but |and |地|的|在)?({pattern(name).pattern})", re.IGNORECASE
    )
