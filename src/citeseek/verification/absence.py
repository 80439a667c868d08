"""Whether a page says nothing of a claim."""

from __future__ import annotations

from citeseek.verification.coverage import coverage
from citeseek.verification.derived_values import is_counted, is_derived
from citeseek.verification.passages import all_tokens
from citeseek.verification.tokens import TextToken, weight

# A claim of which less stands on a page is not told there at all.
_HARDLY = 0.25
# A text with less in it is no page whose silence says something, in weights of its tokens.
_PAGE_WEIGHT = 50


def is_absent(claim: str, read: tuple[TextToken, ...], text: str) -> bool:
    """Whether a page is long enough to tell of ``claim`` and has hardly a word of it, no name.

    Something specific has to be missed: a name, a date, or a number that does not follow from what
    the page has. Other words may say the same in words of their own.
    """
    page = all_tokens(text)
    if weight(page) < _PAGE_WEIGHT or coverage(claim, text) >= _HARDLY:
        return False
    keys, names = {one.key for one in page}, {one.key for one in page if one.kind == "name"}
    # The first word of a claim is read as a word.
    own = [
        one
        for one in read
        if one.is_value or one.kind == "name" or (one is read[0] and one.key in names)
    ]
    return not any(token.key in keys for token in own) and any(
        not is_counted(token) and not is_derived(token, page) for token in own
    )
