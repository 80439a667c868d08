"""Whose words a passage tells: an opinion, hearsay or a tale is no fact that the page states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from citeseek.verification.objections.omissions import Omission, is_left_out, pattern
from citeseek.verification.reading import Objection

# A short comment begins with the name that its writer has there: "seadog77: …".
_HANDLE = re.compile(r"\W*(?:(?=\w*[\d_])[\w.-]{3,20}|@[\w.-]{2,20}|[a-z]{3,16}):\s")
_READER = re.compile("\\W*(?:网友|网民|读者|评论|用户|楼主|游客|匿名|热心市民)[^：:。]{0,20}[：:]")
_LABELS = frozenset("note tip example answer question text summary update result fact".split())
_OPENING, _CLOSING = '“„«「『"', '”»」』"'
_OPENED = re.compile(rf"(?:^|[\s，：:])[{_OPENING}](?:\w+ ){{0,3}}\w*$")
_CLOSED = re.compile(rf"\w*[,.!?，。！？]?(?:[{_CLOSING}]|$)")
_IS = re.compile(r"\b(?:is|are|was|were|am|isn|aren)\b|是|不是|太|很|最", re.IGNORECASE)
# What a report warns of or predicts, its makers answer for.
_WARNING = re.compile(
    r"\b(?:report|study|survey|office|ministry|agency|department|police|service|authority|bureau)s?\b"
    r".{0,20}\b(?:warn|predict|suggest|propose)\w*",
    re.IGNORECASE,
)
# What stands behind a comma up to the next, or to the end.
_TAIL = re.compile(r"\w*[\s”\"]*[,，]\s*([^,，]{2,60}?)[”\"]?\s*(?:$|[,，])")
# How much stands between what somebody tells and "that": "told the court that".
_TOLD = 4


def attribution(left_out: Sequence[Omission], claim: str) -> Iterator[Objection]:
    """Find that somebody says, thinks, dreams or jokes what the claim tells as it is."""
    for one in left_out:
        if any(
            is_so(one, claim)
            for is_so in (
                _is_held,
                _is_told_by_party,
                _is_told_behind,
                _is_called,
                _is_in_a_tale,
                _is_quoted,
            )
        ) or _is_comment(one):
            yield Objection("hedge", refutes=False)
            return


def _is_held(one: Omission, claim: str) -> bool:
    """Whether somebody is before it who holds it to be so: "he thinks that …"."""
    if _WARNING.search(one.teller):
        return False
    return _supposed_that().search(one.before) is not None or any(
        found[0].casefold() not in claim.casefold()
        for found in (_at_end("holds").search(one.teller), _before_that().search(one.before))
        if found
    )


def _is_told_by_party(one: Omission, claim: str) -> bool:
    """Whether one tells it who is party to it, or nobody in particular: "critics say"."""
    has_told = (
        _at_end("says").search(one.teller)
        or _told_that().search(one.before)
        or _at_start("according").match(one.before)
    )
    return bool(has_told) and is_left_out("party", one.before, claim)


def _is_told_behind(one: Omission, claim: str) -> bool:
    """Whether it is told so behind it: ", critics say", ", according to locals"."""
    clause = _TAIL.match(one.after)
    if clause is None:
        return False
    said = clause[1]
    if _at_start("according").match(said) or _at_end("says").search(said):
        return is_left_out("party", said, claim)
    return _at_end("holds").search(said) is not None and not _WARNING.search(said)


def _is_called(one: Omission, claim: str) -> bool:
    """Whether it is only called so: "called the plan a disgrace", "seen as a disgrace"."""
    if any(is_left_out("seen", gap, claim) for gap in one.gaps):
        return True
    found = _at_end("calls").search(one.teller)
    if not found or found[0].casefold() in claim.casefold():
        return False
    return not _IS.search(" ".join(one.within))


def _is_in_a_tale(one: Omission, claim: str) -> bool:
    return is_left_out("fiction", one.before, claim) or is_left_out("quoted", one.after, claim)


def _is_quoted(one: Omission, claim: str) -> bool:
    """Whether it is what somebody calls a thing, all in quotation marks."""
    if any(mark in claim for mark in _OPENING + _CLOSING) or not _IS.search(claim):
        return False
    return bool(_OPENED.search(one.before) and _CLOSED.match(one.after))


def is_quoted(sentence: str, claim: str) -> bool:
    """Whether ``sentence`` is what somebody calls a thing, and ``claim`` has no such marks.

    What happened is told by somebody's words as well.
    """
    written = sentence.strip()
    if any(mark in claim for mark in _OPENING + _CLOSING) or not _IS.search(claim):
        return False
    return written[:1] in _OPENING and written[-1:] in _CLOSING and len(written) > 1


def _is_comment(one: Omission) -> bool:
    """Whether a reader writes it below the page."""
    name = _HANDLE.match(one.before) or _READER.match(one.before)
    if name is None or name.end() < len(one.teller):
        return False
    return name[0].strip(" :") not in _LABELS


@cache
def _at_end(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern(name).pattern})\W*$", re.IGNORECASE)


@cache
def _at_start(name: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{pattern(name).pattern})", re.IGNORECASE)


@cache
def _before_that() -> re.Pattern[str]:
    """Return the expression for "told the court that", and what stands behind it."""
    return re.compile(
        rf"(?:{pattern('holds').pattern})(?: [^\s,;:]+){{0,{_TOLD}}} that\b[^;]*$", re.IGNORECASE
    )


@cache
def _supposed_that() -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern('supposition').pattern}),? that\b[^,;]*$", re.IGNORECASE)


@cache
def _told_that() -> re.Pattern[str]:
    return re.compile(
        rf"(?:{pattern('says').pattern})(?: [^\s,;:]+){{0,{_TOLD}}} that\b[^;]*$", re.IGNORECASE
    )
