"""One ranking out of several: reciprocal rank fusion, one vote an index, one line a page.

G. V. Cormack, C. L. A. Clarke, S. Büttcher: Reciprocal rank fusion outperforms Condorcet and
individual rank learning methods. SIGIR 2009.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, zip_longest
from math import fsum
from operator import attrgetter, itemgetter
from typing import Any

import msgspec
from msgspec import structs

from citeseek.models import SearchItem
from citeseek.query import Query
from citeseek.searching.near_duplicates import mirrors
from citeseek.text import terms
from citeseek.urls import same_page_key

# The paper's constant: how little the first ranks are worth more than those behind them.
K = 60
# What a page has from the first finding that knows it.
_FIRST_KNOWN = ("published_at", "site_name", "thumbnail", "image", "video", "paper", "code")


class Vote(msgspec.Struct, frozen=True):
    """The ranked answer of one engine.

    ``engine`` is the id that was asked, ``index`` names whose crawl it shows, ``items`` stand best
    first. What the items say of their rank is not looked at.
    """

    engine: str
    index: str
    items: Sequence[SearchItem]


class _Finding(msgspec.Struct, frozen=True):
    """A page as one engine shows it."""

    rank: int
    vote: Vote
    item: SearchItem


_Page = list[_Finding]


class Counted(msgspec.Struct, frozen=True):
    """Where an engine showed a page; ``counts`` says that its index has no better rank."""

    engine: str
    index: str
    rank: int
    counts: bool


class RankReason(msgspec.Struct, frozen=True):
    """Why a page stands where it does: see :func:`merge` for ``score`` and ``terms``."""

    place: int
    url: str
    score: float
    terms: int
    votes: tuple[Counted, ...]
    mirrors: tuple[str, ...] = ()


def merge(votes: Sequence[Vote], query: Query, limit: int) -> tuple[SearchItem, ...]:
    """Return the pages that ``votes`` found, best first, at most ``limit``, ranked from 1.

    A page scores the sum of 1 / (60 + rank) over the indexes that found it, each with the best rank
    that its engines gave. Equal scores are ordered by the number of terms of the query in title and
    snippet, then by best rank, then by the order of ``votes``. Hence the order of a single vote
    stays as it is.

    A page is shown as the finding of the best rank shows it, https before http; with the longest
    snippet that says more than the title, and the first date, site name, thumbnail and details of
    its kind that anybody gave.
    ``engines`` are all who found it, each followed by the upstream engines that it names.

    Of near duplicates (:mod:`citeseek.searching.near_duplicates`) the one with the best score is
    shown. It has the votes and the engines of all of them, but none of their texts.
    """
    if len(votes) == 1 and (list_as_it_is := _alone(votes[0], limit)) is not None:
        return list_as_it_is
    pages = _pages(votes)
    ranked = sorted(_score_pages(pages), key=itemgetter(0), reverse=True)
    items: list[SearchItem] = []
    for _, tied in groupby(ranked, key=itemgetter(0)):
        rows = [_as_item(group) for _, group in tied]
        if len(rows) > 1:
            rows.sort(key=_terms_held(query), reverse=True)
        items += rows
        if len(items) >= limit:
            break
    return tuple(structs.replace(item, rank=at) for at, item in enumerate(items[:limit], start=1))


def explain(votes: Sequence[Vote], query: Query) -> tuple[RankReason, ...]:
    """Return how :func:`merge` ranks ``votes``, with what did not fit into its limit as well."""
    held = _terms_held(query)
    rows = [(score, _as_item(group), group) for score, group in _score_pages(_pages(votes))]
    # Sorting is stable: what is equal in both stays in the order of the pages.
    rows.sort(key=lambda row: (row[0], held(row[1])), reverse=True)
    return tuple(
        RankReason(
            place=place,
            url=item.url,
            score=score,
            terms=held(item),
            votes=_count_votes(group),
            mirrors=tuple(page[0].item.url for page in group[1:]),
        )
        for place, (score, item, group) in enumerate(rows, start=1)
    )


def _count_votes(group: list[_Page]) -> tuple[Counted, ...]:
    found = sorted(chain(*group), key=attrgetter("rank"))
    first = {one.vote.index: one for one in reversed(found)}
    return tuple(
        Counted(one.vote.engine, one.vote.index, one.rank, first[one.vote.index] is one)
        for one in found
    )


def _alone(vote: Vote, limit: int) -> tuple[SearchItem, ...] | None:
    """Return the only engine's list as it is, None when it shows a page twice."""
    kept: dict[str, SearchItem] = {}
    for item in vote.items:
        kept.setdefault(same_page_key(item.url), item)
    if len(kept) < len(vote.items) or mirrors(kept.items()):
        return None
    return tuple(
        structs.replace(item, rank=rank, engines=_once((vote.engine, *item.engines)))
        for rank, item in enumerate(islice(kept.values(), limit), start=1)
    )


def _pages(votes: Sequence[Vote]) -> dict[str, _Page]:
    """Return the findings of each page, pages and findings by best rank, then order of votes."""
    pages: defaultdict[str, _Page] = defaultdict(list)
    for rank, row in enumerate(zip_longest(*(vote.items for vote in votes)), start=1):
        for vote, item in zip(votes, row, strict=True):
            if item is not None:
                pages[same_page_key(item.url)].append(_Finding(rank, vote, item))
    return pages


def _score_pages(pages: dict[str, _Page]) -> Iterator[tuple[float, list[_Page]]]:
    """Yield score and pages of each line of the answer: a page and its mirrors, best first."""
    groups = mirrors((key, one.item) for key, page in pages.items() for one in page)
    done: set[str] = set()
    for key, page in pages.items():
        if key not in groups:
            yield _score(page), [page]
        elif key not in done:
            done |= groups[key]
            group = [pages[other] for other in pages if other in groups[key]]
            whole = sorted(chain(*group), key=attrgetter("rank"))
            yield _score(whole), sorted(group, key=_score, reverse=True)


def _score(page: _Page) -> float:
    best = {one.vote.index: one.rank for one in reversed(page)}
    # Unlike sum, the same in any order: equal ranks must make equal scores.
    return fsum([1 / (K + rank) for rank in best.values()])


def _as_item(group: list[_Page]) -> SearchItem:
    names = [(one.vote.engine, *one.item.engines) for page in group for one in page]
    engines = _once(chain(*names))
    page = group[0]
    if len(page) == 1:
        return structs.replace(page[0].item, engines=engines)
    page = sorted(page, key=lambda one: (one.rank, one.item.url.startswith("http:")))
    found = [one.item for one in page]
    title = next((item.title for item in found if item.title), "")
    return structs.replace(
        found[0],
        title=title,
        snippet=_snippet(title, [item.snippet for item in found]),
        **{name: _first(found, name) for name in _FIRST_KNOWN},
        engines=engines,
    )


def _first(found: Sequence[SearchItem], name: str) -> Any:
    return next(filter(None, (getattr(item, name) for item in found)), None)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _snippet(title: str, given: list[str]) -> str:
    """Return the longest of ``given`` that has a term which ``title`` has not, else the first."""
    if len(set(given)) > 1:
        title_terms = set(terms(title))
        for snippet in sorted(given, key=len, reverse=True):
            if not title_terms.issuperset(terms(snippet)):
                return snippet
    return given[0]


def _terms_held(query: Query) -> Callable[[SearchItem], int]:
    wanted = set(terms(query.text))
    return lambda item: len(wanted.intersection(terms(f"{item.title}\n{item.snippet}")))
