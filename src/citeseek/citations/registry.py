"""Which number stands for which page: the memory behind ``[n]``."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from citeseek.locators import Locator
from citeseek.models import SearchItem
from citeseek.text import is_visible
from citeseek.urls import without_user

# How files of one's own are named: by their contents, with no path of any machine.
_FILE = re.compile(r"file:[0-9a-f]{16}/[^/\\]+")
# Redirects of search engines: their host says nothing about the page that they lead to.
_REDIRECT = re.compile(r"https?://(?:\w+\.)*(?:baidu|sogou|so)\.com/link\?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered page.

    ``domain`` is the host to show, or the site's name when the address is only a redirect of a
    search engine. ``published_at`` is ISO 8601, empty when neither the engine nor the page that was
    read says it. One that ``was_read`` was opened, and its text given to the model; of others it
    knows the summary alone. ``thumbnail`` is the address of a small picture, empty for none.
    ``pages`` are those of a document that the answer rests on.
    """

    number: int
    title: str
    url: str
    domain: str
    snippet: str = ""
    published_at: str = ""
    was_read: bool = False
    thumbnail: str = ""
    pages: tuple[Locator, ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether it is a file of one's own, which has a name and no address of the web."""
        return _FILE.fullmatch(self.url) is not None

    @property
    def name(self) -> str:
        """What to call it: its title, host or address, the first in which anything can be seen."""
        return next(filter(is_visible, (self.title, self.domain, self.url)), self.url)


@dataclass(frozen=True, slots=True)
class Round:
    """One search of an agent: its query, and the numbers of the results shown to the model.

    ``place`` is its 1-based place among the searches of the session.
    """

    query: str
    numbers: tuple[int, ...]
    place: int = 0


class CitationRegistry:
    """Numbers from 1 on for pages, in the order in which the model was shown them.

    It only grows: a number never changes its page, and a page never gets a second number. Pages
    are the same when ``same_page_key`` gives the same text for their addresses. Safe to use from
    several threads and tasks at once.
    """

    def __init__(self, *, same_page_key: Callable[[str], str]) -> None:
        self._same_page_key = same_page_key
        self._lock = threading.Lock()
        self._last = 0
        self._sources: dict[int, Source] = {}
        self._numbers: dict[str, int] = {}
        self._rounds: list[Round] = []

    @classmethod
    def of(
        cls,
        sources: Iterable[Source],
        rounds: Iterable[Round] = (),
        *,
        same_page_key: Callable[[str], str] = str,
    ) -> CitationRegistry:
        """Return a registry with numbers that were handed out before.

        The next new page gets the number after the highest. Raise :class:`ValueError` for a number
        below 1 or one that is given twice.
        """
        registry = cls(same_page_key=same_page_key)
        for source in sorted(sources, key=lambda source: source.number):
            if source.number < 1 or source.number in registry._sources:
                raise ValueError(f"{source.number} is not a free citation number")
            registry._sources[source.number] = source
            registry._last = source.number
            registry._numbers.setdefault(same_page_key(source.url), source.number)
        registry._rounds.extend(rounds)
        return registry

    def add(self, items: Iterable[SearchItem]) -> tuple[Source, ...]:
        """Return the sources of ``items``, each page once and in order; new ones get a number."""
        with self._lock:
            return self._add(items)

    def add_round(self, query: str, items: Iterable[SearchItem]) -> Round:
        """Return the results of one search, numbered as by :meth:`add`, as the next round.

        A cached repeat is not a round: number its items again with :meth:`add`.
        """
        with self._lock:
            numbers = tuple(source.number for source in self._add(items))
            shown = Round(query, numbers, len(self._rounds) + 1)
            self._rounds.append(shown)
            return shown

    def mark_read(self, number: int, *, published_at: str | None = None) -> Source:
        """Return the source with this number as one that was read, which it is from now on.

        ``published_at`` is what the page says, which counts where the search said nothing.
        """
        with self._lock:
            source = self._sources[number]
            source = self._sources[number] = replace(
                source, was_read=True, published_at=source.published_at or published_at or ""
            )
        return source

    def get(self, number: int) -> Source | None:
        """Return the source with this number, None when there is none."""
        return self._sources.get(number)

    def number_of(self, url: str) -> int | None:
        """Return the number of the page at ``url``, None when it has none."""
        return self._numbers.get(self._same_page_key(url))

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds so far. Those from ``len(rounds)`` at its beginning on belong to an answer."""
        with self._lock:
            return tuple(self._rounds)

    def __iter__(self) -> Iterator[Source]:
        with self._lock:
            return iter(tuple(self._sources.values()))

    def __len__(self) -> int:
        return len(self._sources)

    def _add(self, items: Iterable[SearchItem]) -> tuple[Source, ...]:
        shown: dict[int, Source] = {}
        for item in items:
            key = self._same_page_key(item.url)
            number = self._numbers.get(key)
            if number is None:
                number = self._last = self._last + 1
                self._numbers[key] = number
                self._sources[number] = Source(
                    number,
                    item.title,
                    without_user(item.url),
                    _shown_domain(item),
                    item.snippet,
                    item.published_at or "",
                    thumbnail=_picture(item),
                )
            shown[number] = self._sources[number]
        return tuple(shown.values())


def _picture(item: SearchItem) -> str:
    return item.thumbnail or (item.image.url if item.image else "")


def _shown_domain(item: SearchItem) -> str:
    if _REDIRECT.match(item.url):
        return item.site_name or item.domain
    # A file of one's own has no host.
    return item.domain or item.site_name or ""
