"""Mirrors: one text on several hosts, told by its title together with its path or its snippet."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

import msgspec

from citeseek.models import SearchItem
from citeseek.text import terms

# A title of fewer terms may be anyone's start page, login page or legal notice.
TITLE_TERMS = 3
# Sites give such pages the same path as well, and "Terms of Use" has three terms.
TITLE_TERMS_WITH_PATH = 4
# How much a snippet must say beside the title, in terms, and which part of it must stand in the
# other snippet too: each engine cuts a text where it likes.
SNIPPET_TERMS = 12
SNIPPET_SHARE = 0.9

# Between the title of a page and the name of its site; Chinese sites leave out the spaces.
_SEPARATOR = r"[-–—·|_](?:(?<=[|_])|(?<=\s.)\s|(?<=[^\x00-\x7f]-))"
_WORD = r"[^\W_]+"
_BEHIND_HOST = r"[/?#]"
_LANGUAGE = r"^[a-z]{2}\.(?=.+\.)"


class _Sight(msgspec.Struct, frozen=True):
    """What is compared of a page as one engine shows it; ``titles`` and ``snippet`` in terms."""

    key: str
    host: str
    path: str
    titles: set[tuple[str, ...]]
    snippet: set[str]


def mirrors(found: Iterable[tuple[str, SearchItem]]) -> Mapping[str, set[str]]:
    """Return, for each page that has mirrors, the group of them with itself included.

    ``found`` are items, each with the :func:`~citeseek.urls.same_page_key` of its page. Two pages
    are mirrors when they are on different hosts, their titles are the same in terms, the names of
    sites behind them aside, and path and query are the same or one snippet holds the other. Hosts
    that differ by a language only (``en.``, ``zh.``) hold editions, not mirrors. A mirror of a
    mirror is one as well, so that a further item may join groups and never parts them.
    """
    groups: dict[str, set[str]] = {}
    for pairs in _namesakes(found):
        for one, other in combinations([sight for pair in pairs for sight in _sight(*pair)], 2):
            if one.host != other.host and _same_text(one, other):
                group = groups.get(one.key, {one.key}) | groups.get(other.key, {other.key})
                groups.update(dict.fromkeys(group, group))
    return groups


def _namesakes(found: Iterable[tuple[str, SearchItem]]) -> Iterator[list[tuple[str, SearchItem]]]:
    """Yield the items of different pages whose titles begin alike, which is cheap to find out."""
    for pairs in _alike(found, _first_word):
        yield from _alike(pairs, _name)


def _alike(
    found: Iterable[tuple[str, SearchItem]], of: Callable[[str], str]
) -> Iterator[list[tuple[str, SearchItem]]]:
    """Yield the items of different pages for which ``of`` gives the same of their titles."""
    groups: defaultdict[str, list[tuple[str, SearchItem]]] = defaultdict(list)
    for key, item in found:
        groups[of(item.title)].append((key, item))
    for pairs in groups.values():
        if len(pairs) > 1 and any(key != pairs[0][0] for key, _ in pairs):
            yield pairs


def _first_word(title: str) -> str:
    word = re.search(_WORD, title.casefold())
    return word[0] if word else ""


def _name(title: str) -> str:
    """Return the words of ``title`` without the name of its site."""
    site = re.search(_SEPARATOR, title)
    return " ".join(re.findall(_WORD, (title[: site.start()] if site else title).casefold()))


def _sight(key: str, item: SearchItem) -> Iterator[_Sight]:
    """Yield what is compared of ``item``, or nothing when its title could be anyone's."""
    ends = [name.start() for name in re.finditer(_SEPARATOR, item.title)]
    titles = {tuple(terms(item.title[:end])) for end in (*ends, len(item.title))}
    if max(map(len, titles)) >= TITLE_TERMS:
        host = re.split(_BEHIND_HOST, key, maxsplit=1)[0]
        yield _Sight(
            key,
            re.sub(_LANGUAGE, "", host),
            key[len(host) :],
            titles,
            set(terms(item.snippet)).difference(*titles),
        )


def _same_text(one: _Sight, other: _Sight) -> bool:
    title = max(map(len, one.titles & other.titles), default=0)
    if title < TITLE_TERMS:
        return False
    if title >= TITLE_TERMS_WITH_PATH and one.path and one.path == other.path:
        return True
    shorter = min(len(one.snippet), len(other.snippet))
    shared = len(one.snippet & other.snippet)
    return shorter >= SNIPPET_TERMS and shared >= SNIPPET_SHARE * shorter
