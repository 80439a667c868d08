"""The citations of an answer against the pages that they cite."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Protocol

from citeseek import observing
from citeseek.citations import Source
from citeseek.client import Client
from citeseek.conversations.checked_citations import CheckedCitations, Unread
from citeseek.errors import CiteseekError
from citeseek.fetching import FetchResponse
from citeseek.fetching.source_text import text_of_page, text_of_summary
from citeseek.models import Failure
from citeseek.verification import (
    Judge,
    SourceText,
    check_answer,
    claims,
    judge_unclear,
)

# Pages that are read at the same time, and for one answer.
_AT_ONCE = 4
MAX_PAGES = 40


class PageReader(Protocol):
    """What gives the page behind an address; it raises CiteseekError for one that it cannot."""

    async def fetch(self, url: str, /) -> FetchResponse:
        """Return the page at ``url``."""


async def check_citations(
    answer: str,
    sources: Iterable[Source],
    client: Client,
    judge: Judge | None = None,
    *,
    priced: bool = True,
    pages: PageReader | None = None,
) -> CheckedCitations:
    """Read the pages that ``answer`` cites and compare what they say with what it says.

    A page that cannot be read, or only its beginning, leaves what it does not support as
    ``unfetched``. At most 40 pages are read. ``judge`` is asked about what stays ``unclear``; when
    it fails that stays as it is. Its tokens are ``priced`` as those of the model in the settings.
    ``pages`` reads the pages, by default ``client`` does.
    """
    known = {source.number: source for source in sources}
    cited = dict.fromkeys(number for claim in claims(answer) for number in claim.numbers)
    wanted = [known[number] for number in cited if number in known]
    # What an answer cites was found for it, or named by whoever has it checked.
    observing.find(source.url for source in wanted)
    free = asyncio.Semaphore(_AT_ONCE)
    service = pages or client

    async def text_of(source: Source) -> SourceText | Unread:
        async with free:
            try:
                page = await service.fetch(source.url)
            except CiteseekError as error:
                return Unread(number=source.number, url=source.url, failure=Failure.of(error))
        return text_of_page(page, source.title)

    ledger = client.ledger(priced=priced)
    with observing.watching(ledger):
        read = await asyncio.gather(*map(text_of, wanted[:MAX_PAGES]))
    summaries = {source.number: text_of_summary(source) for source in known.values()}
    whole = {
        source.number: page
        for source, page in zip(wanted, read, strict=False)
        if isinstance(page, SourceText)
    }
    texts = summaries | whole
    checks = await asyncio.to_thread(check_answer, answer, texts)
    with observing.watching(ledger):
        found = await judge_unclear(answer, checks, texts, judge)
    unread = tuple(page for page in read if isinstance(page, Unread))
    return CheckedCitations(
        checks=found.checks, unread=unread, judge=found.use, egress=ledger.receipt()
    )
