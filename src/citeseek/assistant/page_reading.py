"""The pages of a search's best results, opened side by side, and what of them fits the question."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from functools import partial
from itertools import chain
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from citeseek.client import Client
from citeseek.concurrency.clock import Clock, Deadline
from citeseek.errors import CiteseekError, Timeout, WebProviderError
from citeseek.fetching import FetchResponse
from citeseek.fetching.options import MIN_SECONDS
from citeseek.i18n import Catalogue
from citeseek.locators import PageStart, locate
from citeseek.models import SearchItem
from citeseek.research.pages import PagePassage, passages
from citeseek.text import relevance, shorten, terms
from citeseek.tools.budget import chars_within, tokens

# Engines that come in later may bring better results than those that were begun with.
MAX_PAGES = 10
# A passage with less of the best one's score has only a word in common with the question.
WORTH_SHOWING = 0.35


class Excerpt(NamedTuple):
    """A passage on one line, and where in the text of its page it begins."""

    text: str
    start: int


log = logging.getLogger(__name__)

Opened: TypeAlias = FetchResponse | CiteseekError


class PageReading:
    """The pages that are read for one answer, all of them within ``seconds``.

    The time runs from the first page on. On exit, what is still under way is stopped.
    """

    def __init__(self, client: Client, seconds: float, clock: Clock) -> None:
        self._client = client
        self._seconds = seconds
        self._clock = clock
        self._deadline: Deadline | None = None
        self._tasks: dict[str, asyncio.Task[Opened]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def begin(self, items: Iterable[SearchItem]) -> None:
        """Open the pages of ``items``, but for those that were begun before."""
        for item in items:
            if item.url in self._tasks or len(self._tasks) == MAX_PAGES:
                continue
            seconds = self._left()
            if seconds < MIN_SECONDS:
                return
            self._tasks[item.url] = asyncio.create_task(self._open(item.url, seconds))

    async def outcomes(self, urls: Sequence[str]) -> AsyncGenerator[tuple[str, Opened]]:
        """Yield what became of each of ``urls``, in the order in which they come to an end."""
        places = {self._tasks[url]: url for url in urls if url in self._tasks}
        for url in urls:
            if url not in self._tasks:
                yield (
                    url,
                    Timeout("There was no time left to read the page.", values={"case": "no_time"}),
                )
        waiting = set(places)
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=list(places).index):
                yield places[task], task.result()

    def _left(self) -> float:
        if self._deadline is None:
            spent = partial(self._clock.seconds_since, self._clock.now())
            self._deadline = Deadline.after(self._seconds, spent)
        try:
            return round(self._deadline.left(), 2)
        except TimeoutError:
            return 0.0

    async def _open(self, url: str, seconds: float) -> Opened:
        try:
            return await self._client.fetch(url, seconds=seconds)
        except CiteseekError as error:
            return error
        except Exception:  # a failure costs the page, not the answer
            log.exception("a page could not be read")
            return WebProviderError(
                "Reading broke off unexpectedly.",
                detail_code="internal",
                values={"case": "reading"},
            )


def nearest(question: str, texts: Sequence[str], limit: int) -> list[tuple[Excerpt, ...]]:
    """Return the passages of each of ``texts`` that fit ``question`` best, each on one line.

    Each text gives at least one, and all together take about ``limit`` tokens. One that has nothing
    in common with the question gives its beginning.
    """
    share = limit // max(len(texts), 1)
    found = list(chain(*(passages(place, text) for place, text in enumerate(texts))))
    worth = _worth(question, found)
    ranked = sorted((at for at in range(len(found)) if worth[at]), key=lambda at: (-worth[at], at))
    # The best one of each page comes first, so that no page is left out for another.
    best = {found[at].page: at for at in reversed(ranked)}
    chosen = {at: _within(found[at].text, share) for at in best.values()}
    others = {
        page: _within(" ".join(text.split()), share)
        for page, text in enumerate(texts)
        if page not in best
    }
    left = limit - sum(map(tokens, (*chosen.values(), *others.values())))
    for at in ranked:
        if at in chosen or worth[at] < WORTH_SHOWING * worth[ranked[0]]:
            continue
        text = found[at].text
        if text not in chosen.values() and (size := tokens(text)) <= left:
            chosen[at] = text
            left -= size
    return [
        (Excerpt(others[page], 0),)
        if page in others
        else tuple(
            Excerpt(chosen[at], found[at].start) for at in sorted(chosen) if found[at].page == page
        )
        for page in range(len(texts))
    ]


def with_page(excerpt: Excerpt, pages: Sequence[PageStart], say: Catalogue) -> str:
    """Return ``excerpt`` with the page of the document that it stands on in front."""
    found = locate(pages, excerpt.start)
    return f"({found.write(say)}) {excerpt.text}" if found else excerpt.text


def _worth(question: str, found: Sequence[PagePassage]) -> list[float]:
    """Return how well each passage fits ``question``: how rare its terms are, and how many."""
    asked = set(terms(question))
    bags = [(*terms(passage.text), *terms(passage.heading)) for passage in found]
    return [
        score * len(asked.intersection(bag))
        for score, bag in zip(relevance(question, bags), bags, strict=True)
    ]


def _within(text: str, limit: int) -> str:
    return shorten(text, chars_within(text, limit))
