"""Whether a page still says what it was cited for: a pure function of statement and text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from citeseek.locators import Locator, locate
from citeseek.source_watch.kept_answer import CitedStatement
from citeseek.verification import SourceText, Support, support
from citeseek.verification.passages import passages

Code: TypeAlias = Literal["same", "changed", "gone", "unclear", "unread", "unknown", "own_file"]
# A source of which one statement has such a code no longer says what it was cited for.
AMBER: frozenset[Code] = frozenset(("changed", "gone", "unclear"))

# A page whose best sentences have less of a statement in them does not speak of it.
_NEAR = 0.6
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
    these rules.
    """
    was = statement.quote
    if was and _stands(was, page.text):
        return SourceChange(statement.claim, "same", was, was)
    found = [support(text, page) for text in dict.fromkeys((was, statement.claim)) if text]
    said = next((one for one in found if one.verdict == "supported"), None)
    if said:
        return SourceChange(statement.claim, "same", was, said.evidence)
    code = _code(found, was)
    near = None if code == "gone" else _nearest(found)
    if near is None:
        return SourceChange(statement.claim, code, was)
    return SourceChange(statement.claim, code, was, near.evidence, locate(page.pages, near.start))


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
    """Whether sentences of ``text``, taken whole, are ``quote``."""
    return _pieces(quote) in _sentences(text)


@lru_cache(maxsize=8)
def _sentences(text: str) -> frozenset[tuple[str, ...]]:
    """Return the pieces of each passage of ``text``: a page is asked about every statement."""
    return frozenset(_pieces(text[one.start : one.end]) for one in passages(text))


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(unicodedata.normalize("NFKC", text).casefold()))
