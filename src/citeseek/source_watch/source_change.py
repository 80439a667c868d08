"""Whether a page still says what it was cited for: a pure function of statement and text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from citeseek.locators import Locator, locate
from citeseek.source_watch.kept_answer import CitedStatement
from citeseek.verification import SourceText, Support, Verdict, support
from citeseek.verification.passages import single

Code: TypeAlias = Literal["same", "changed", "gone", "unclear", "unread", "unknown", "own_file"]
# A source of which one statement has such a code no longer says what it was cited for.
AMBER: frozenset[Code] = frozenset(("changed", "gone", "unclear"))

# A page whose best sentences have less of a statement in them does not speak of it.
_NEAR = 0.6
_JUDGED_AT_ONCE = 2
_RANK: dict[Verdict, int] = {
    "contradicted": 0, "unfetched": 1, "absent": 2, "unclear": 3, "supported": 4,
}  # fmt: skip
# What is compared: words, numbers, single characters of scripts that part no words, and the signs
# that change a value. All else is how a page looks.
_PIECE = re.compile(
    r"\d+(?:[.,:/]\d+)*|[\u2e80-\ud7ff]|[^\W\d_\u2e80-\ud7ff]+|[%‰$€£¥°<>±]|[-−](?=\d)"
)


class SourceChange(msgspec.Struct, frozen=True):
    """What a page says today to a claim.

    ``code`` is ``same``; ``changed`` when it says the same with another value, name or polarity;
    ``gone`` when it says nothing of it; ``unclear`` when what it said is not there and it is not
    plain whether it says so in other words; ``unread`` when only its beginning was read, or
    nothing; ``unknown`` when it does not say it and nobody kept what it said; ``own_file`` when it
    is no page. ``was`` is the quote that was kept, ``now`` the nearest that stands there, in a
    document on its ``page``.
    """

    claim: str
    code: Code
    was: str = ""
    now: str = ""
    page: Locator | None = None


def change(statement: CitedStatement, page: SourceText) -> SourceChange:
    """Return what ``page``, the text of today, says to ``statement``.

    How it is written counts for nothing: white space, punctuation, capitals, forms of characters,
    another place on the page. Neither do other words in which the rules of the citation check still
    find the claim. What stands in a sentence that says more ("It is not true that …") is judged by
    these rules. What the page did not support then is compared as well: with what it said.
    """
    was = statement.quote
    if was and _stands(was, page.text):
        return SourceChange(statement.claim, "same", was, was)
    if statement.verdict in ("unclear", "absent"):
        return _change_of_doubted(statement, page)
    # What was said against the claim is watched in its place.
    claim = was if statement.verdict == "contradicted" and was else statement.claim
    found = [_support_quote(was, page)] if was else []
    if claim != was:
        found.append(support(claim, page))
    said = next((one for one in found if one.verdict == "supported"), None)
    if said:
        return SourceChange(claim, "same", was, said.evidence)
    code = _code(found, was)
    near = None if code == "gone" else _nearest(found)
    if near is None:
        return SourceChange(claim, code, was)
    return SourceChange(claim, code, was, near.evidence, locate(page.pages, near.start))


def _change_of_doubted(statement: CitedStatement, page: SourceText) -> SourceChange:
    """Return what became of a claim that the page did not plainly say, nor say otherwise."""
    now = support(statement.claim, page)
    codes: dict[str, Code] = {"contradicted": "changed", "unfetched": "unread"}
    code = codes.get(now.verdict, "same")
    where = locate(page.pages, now.start) if now.evidence else None
    return SourceChange(statement.claim, code, statement.quote, now.evidence, where)


def _support_quote(quote: str, page: SourceText) -> Support:
    """Return what ``page`` says to ``quote``: of many sentences, to those that do not stand there.

    The rules compare a sentence or two; of more the worst counts.
    """
    every = single(quote)
    if len(every) <= _JUDGED_AT_ONCE:
        return support(quote, page)
    told = [quote[one.start : one.end] for one in every]
    lost = [one for one in told if not _stands(one, page.text)]
    found = [support(one, page) for one in lost]
    if not found:
        # In another order, or with something between.
        return Support("supported", "verbatim", quote)
    worst = min(found, key=lambda one: (_RANK[one.verdict], one.score))
    if worst.verdict in ("absent", "unclear") and len(lost) < len(told):
        # The rest of it is there.
        return msgspec.structs.replace(worst, verdict="unclear", score=max(worst.score, _NEAR))
    return worst


def _code(found: list[Support], was: str) -> Code:
    verdicts = {one.verdict for one in found}
    if "contradicted" in verdicts:
        return "changed"
    if not was:
        return "unknown"
    if "unfetched" in verdicts:
        return "unread"
    is_near = any(one.verdict == "unclear" and one.score >= _NEAR for one in found)
    return "unclear" if is_near else "gone"


def _nearest(found: list[Support]) -> Support | None:
    against = (one for one in found if one.verdict == "contradicted")
    return next((one for one in (*against, *found) if one.evidence), None)


def _stands(quote: str, text: str) -> bool:
    """Whether sentences of ``text`` that follow each other, taken whole, are ``quote``."""
    wanted = _pieces(quote)
    if not wanted:
        return False
    read = _read(text)
    return any(
        start + len(wanted) in read.bounds and read.pieces[start : start + len(wanted)] == wanted
        for start in read.begins.get(wanted[0], ())
    )


class _ReadText(msgspec.Struct, frozen=True):
    """The pieces of a text, the places at which a sentence ends or begins, and these by piece."""

    pieces: tuple[str, ...]
    bounds: frozenset[int]
    begins: dict[str, list[int]]


@lru_cache(maxsize=8)
def _read(text: str) -> _ReadText:
    """Return ``text`` as quotes are looked up in it: a page is asked about every statement."""
    pieces: list[str] = []
    bounds = [0]
    begins: dict[str, list[int]] = {}
    for one in single(text):
        if found := _pieces(text[one.start : one.end]):
            begins.setdefault(found[0], []).append(len(pieces))
            pieces += found
            bounds.append(len(pieces))
    return _ReadText(tuple(pieces), frozenset(bounds), begins)


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(unicodedata.normalize("NFKC", text).casefold()))
