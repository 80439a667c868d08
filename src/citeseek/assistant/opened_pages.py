"""The pages that were opened for one answer: under way, read, or not to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from citeseek.assistant.events import ReadBroken, ReadDone, ReadStarted
from citeseek.assistant.page_reading import Excerpt
from citeseek.conversations.conversation_record import Read
from citeseek.fetching.source_text import text_of_page
from citeseek.locators import Locator, join_pieces
from citeseek.models import Failure
from citeseek.tools.web_fetch import FetchCall
from citeseek.verification import SourceText, claims, find_page


class OpenedPages:
    """Keeps what became of each page, by the number of its call."""

    def __init__(self) -> None:
        self._under_way: dict[int, str] = {}
        self._reads: dict[int, Read] = {}
        self._texts: dict[int, SourceText] = {}
        self._quoted: dict[int, SourceText] = {}

    @property
    def reads(self) -> tuple[Read, ...]:
        """Those that were read or could not be, in the order in which they were opened."""
        return tuple(self._reads[call] for call in sorted(self._reads))

    @property
    def stopped(self) -> tuple[Read, ...]:
        """Those that are still under way, should the answer end now."""
        return tuple(Read(url=url, was_stopped=True) for url in self._under_way.values())

    @property
    def texts(self) -> Mapping[int, SourceText]:
        """The texts of those that were read, by the numbers of their sources."""
        return self._texts

    def begin(self, call: int, url: str) -> ReadStarted:
        """Take note of a page that is being opened."""
        self._under_way[call] = url
        return ReadStarted(call=call, url=url)

    def end(self, call: FetchCall) -> ReadDone | ReadBroken:
        """Keep a page that was read, or could not be."""
        self._under_way.pop(call.number, None)
        page, source = call.response, call.source
        if page is None or source is None:
            assert call.error is not None  # noqa: S101 - pages are numbered wherever there are drafts
            failure = Failure.of(call.error)
            self._reads[call.number] = Read(url=call.url, failure=failure)
            return ReadBroken(call=call.number, url=call.url, failure=failure)
        about: dict[str, Any] = {
            "cached": page.cache_hit,
            "truncated": page.truncated,
            "took_ms": page.took_ms,
        }
        self._reads[call.number] = Read(url=call.url, number=source.number, **about)
        self._texts[source.number] = text_of_page(page, source.title)
        return ReadDone(call=call.number, url=call.url, source=source, **about)

    def quote(self, passages: Mapping[int, tuple[Excerpt, ...]]) -> None:
        """Keep what the model is given of the pages with these numbers."""
        for call, read in self._reads.items():
            if read.number in passages:
                quoted = tuple(excerpt.text for excerpt in passages[read.number])
                self._reads[call] = structs.replace(read, passages=quoted)
        for number, excerpts in passages.items():
            if self._texts[number].pages:
                self._quoted[number] = _of_excerpts(excerpts, self._texts[number])

    def cited_pages(self, answer: str) -> Mapping[int, tuple[Locator, ...]]:
        """Return the pages of documents on which stands what ``answer`` cites them for.

        They are by the numbers of the documents, in their order.
        """
        texts = {number: text for number, text in self._texts.items() if text.pages} | self._quoted
        found: dict[int, set[Locator]] = {}
        for claim in claims(answer) if texts else ():
            for number in claim.numbers:
                if number in texts and (page := find_page(claim.text, texts[number])):
                    found.setdefault(number, set()).add(page)
        return {
            number: tuple(sorted(pages, key=lambda page: page.number))
            for number, pages in found.items()
        }


def _of_excerpts(excerpts: Sequence[Excerpt], source: SourceText) -> SourceText:
    """Return a text of ``excerpts`` alone, which knows their pages."""
    pieces = ((excerpt.start, excerpt.text) for excerpt in excerpts)
    text, pages = join_pieces(pieces, source.pages, "\n")
    return structs.replace(source, text=text, is_whole_page=False, pages=pages)
