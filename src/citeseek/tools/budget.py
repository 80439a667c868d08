"""How much of the results a model is given: summaries shrink, then the last results are left out.

A source that was cited is never shortened nor left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from citeseek.models import SearchItem
from citeseek.text import shorten

# Shorter summaries say nothing; a result less is the better cut.
LEAST_SUMMARY = 60
# What stands around a result in the text for a model: number, line ends, labels.
_AROUND = 12


def tokens(text: str) -> int:
    """Return about how many tokens ``text`` takes: one for 4 ASCII characters or one other.

    An estimate on the safe side for Chinese; the right number is each model's own secret.
    """
    ascii_chars = len(text.encode("ascii", "ignore"))
    return -(-ascii_chars // 4) + len(text) - ascii_chars


def fit(
    items: Sequence[SearchItem],
    limit: int,
    *,
    summary_chars: int,
    kept: Callable[[SearchItem], bool] = lambda _: False,
) -> tuple[SearchItem, ...]:
    """Return ``items`` with summaries of at most ``summary_chars``, in about ``limit`` tokens.

    If need be summaries are shortened further, evenly, and then results are left out from the end.
    Neither is done to those that are ``kept``, and the first is never left out.
    """
    shown = [_cut(item, summary_chars) for item in items]
    chars = max((len(item.snippet) for item in shown), default=0)
    while chars > LEAST_SUMMARY and total(shown) > limit:
        chars = max(chars * 3 // 4, LEAST_SUMMARY)
        shown = [item if kept(item) else _cut(item, chars) for item in shown]
    for item in shown[:0:-1]:
        if total(shown) <= limit:
            break
        if not kept(item):
            shown.remove(item)
    return tuple(shown)


def chars_within(text: str, limit: int) -> int:
    """Return how many characters from the beginning of ``text`` take about ``limit`` tokens."""
    chars = len(text)
    while (taken := tokens(text[:chars])) > limit:
        chars = min(chars * limit // taken, chars - 1)
    return chars


def total(items: Sequence[SearchItem]) -> int:
    """Return about how many tokens ``items`` take in the text for a model."""
    return sum(_AROUND + tokens(item.title + item.url + item.snippet) for item in items)


def _cut(item: SearchItem, chars: int) -> SearchItem:
    return structs.replace(item, snippet=shorten(item.snippet, chars))
