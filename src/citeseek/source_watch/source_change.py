"""Whether a page still says what it was cited for: a pure function of statement and text."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

import msgspec

from citeseek.source_watch.kept_answer import CitedStatement
from citeseek.verification import SourceText, Support, support

Code: TypeAlias = Literal["same", "changed", "gone", "unclear", "unread", "unknown"]
# A source of which one statement has such a code no longer says what it was cited for.
AMBER: frozenset[Code] = frozenset(("changed", "gone", "unclear"))

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
    nothing; ``unknown`` when it does not say it and nobody kept what it said. ``was`` is the quote
    that was kept, ``now`` the nearest that stands there.
    """

    claim: str
    code: Code
    was: str = ""
    now: str = ""


def change(statement: CitedStatement, page: SourceText) -> SourceChange:
    """Return what ``page``, the text of today, says to ``statement``.

    How it is written counts for nothing: white space, punctuation, capitals, forms of characters,
    another place on the page. Neither do other words in which the rules of the citation check still
    find the claim.
    """
    was = statement.quote
    if was and _stands(was, page.text):
        return SourceChange(statement.claim, "same", was, was)
    found = [support(text, page) for text in dict.fromkeys((was, statement.claim)) if text]
    said = next((one for one in found if one.verdict == "supported"), None)
    if said:
        return SourceChange(statement.claim, "same", was, said.evidence)
    return SourceChange(statement.claim, _code(found, was), was, _nearest(found))


def _code(found: list[Support], was: str) -> Code:
    verdicts = {one.verdict for one in found}
    if "contradicted" in verdicts:
        return "changed"
    if not was:
        return "unknown"
    if "unfetched" in verdicts:
        return "unread"
    return "gone" if verdicts == {"absent"} else "unclear"


def _nearest(found: list[Support]) -> str:
    against = (one.evidence for one in found if one.verdict == "contradicted")
    near = (one.evidence for one in found)
    return next((text for text in (*against, *near) if text), "")


def _stands(quote: str, text: str) -> bool:
    """Whether the pieces of ``quote`` stand in ``text``, one after the other."""
    wanted = _pieces(quote)
    return bool(wanted.strip()) and wanted in _pieces(text)


def _pieces(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return f" {' '.join(_PIECE.findall(plain))} "
