"""A page in another language than the claim: what can be compared all the same."""

from __future__ import annotations

import re

from citeseek.verification.alignment import agree
from citeseek.verification.passages import Passage, passages
from citeseek.verification.tokens import TextToken

# From which share of Han characters on a claim, or a passage with foreign names, is Chinese.
_MUCH_HAN, _SOME_HAN = 0.2, 0.1
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_foreign(claim: str, text: str) -> bool:
    """Whether a passage is in another language than the claim."""
    mine, theirs = (len(_HAN.findall(one)) / (len(one) or 1) for one in (claim, text))
    return (mine > _MUCH_HAN) != (theirs > _SOME_HAN)


def compare_foreign(
    claim: str, read: tuple[TextToken, ...], text: str
) -> tuple[Passage | None, tuple[TextToken, ...]] | None:
    """Compare what is written alike in all languages: numbers, dates, Latin names.

    Return the passage that has most of it, if any has some, and what it has not. That never makes
    a claim supported: what they are said of cannot be read. None when no passage is in another
    language, or only some are and they do not have all of it.
    """
    foreign = [one for one in passages(text) if is_foreign(claim, text[one.start : one.end])]
    if not foreign:
        return None
    wanted = [token for token in read if token.is_value or token.kind == "name"]

    def lost(passage: Passage) -> tuple[TextToken, ...]:
        return tuple(
            token
            for token in wanted
            if not any(agree(token, other) or _alike(token, other) for other in passage.tokens)
        )

    best = min(foreign, key=lambda passage: len(lost(passage)))
    missing = lost(best)
    # A foreign sentence among others counts for what it says, and makes the page no foreign one.
    if (missing or not wanted) and not is_foreign(claim, text):
        return None
    return None if len(missing) == len(wanted) else best, missing


def _alike(one: TextToken, other: TextToken) -> bool:
    # A name at the beginning of a sentence is read as a word.
    return not one.is_value and one.key == other.key
