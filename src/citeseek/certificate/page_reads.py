"""The pages that were read during a call, with the bytes that they were read from."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec
from msgspec import structs

from citeseek.fetching import FetchResponse
from citeseek.fetching.own_file import OwnFile, type_of
from citeseek.models import Page
from citeseek.observing import Operation


class PageRead(msgspec.Struct, frozen=True):
    """A page that was read: what was read, the bytes that it was read from, and when.

    Without the bytes it was read by an earlier call, and nobody knows when.
    """

    response: FetchResponse
    page: Page | None
    at: str


class PageReads:
    """The watcher that keeps every page that is read within :func:`citeseek.observing.watching`."""

    def __init__(self) -> None:
        self._by_url: dict[str, PageRead] = {}
        self._by_final_url: dict[str, PageRead] = {}
        self._received: dict[int, Page] = {}

    def began(self, operation: Operation) -> None:
        """Do nothing: only what has ended is kept."""

    def ended(self, operation: Operation) -> None:
        """Keep the page that was read, or its bytes until it is."""
        outer = operation.outer
        if isinstance(operation.result, Page) and outer and outer.kind == "fetch":
            # The last answer is the page; those before it are redirects and robots.txt.
            self._received[id(outer)] = operation.result
        elif operation.kind == "fetch":
            url = operation.asked["url"].strip()
            page = self._received.pop(id(operation), None)
            if isinstance(operation.result, FetchResponse):
                self._keep(url, operation.result, page)
            else:
                self._by_url.pop(url, None)
                self._by_final_url.pop(url, None)

    def of(self, url: str) -> PageRead | None:
        """Return the page that was read at ``url``, or whose own address it is."""
        return self._by_url.get(url) or self._by_final_url.get(url)

    def keep_file(self, file: OwnFile, body: bytes) -> None:
        """Keep a file of one's own that was read from ``body``."""
        page = Page(url=file.url, headers={"content-type": type_of(file.name)}, body=body)
        self._by_url[file.url] = PageRead(file.page, page, now())

    def keep_earlier(self, files: Iterable[OwnFile]) -> None:
        """Keep what is known of ``files``: the bytes of those that were read before are gone."""
        for file in files:
            self._by_url.setdefault(file.url, PageRead(file.page, None, ""))

    def _keep(self, url: str, response: FetchResponse, page: Page | None) -> None:
        final = response.final_url
        read = PageRead(response, page, now())
        # A page that is given again was received when it was read first.
        if page is None and final in self._by_final_url:
            read = structs.replace(self._by_final_url[final], response=response)
        self._by_url[url] = self._by_final_url[final] = read


def now() -> str:
    """Return the time of day, to the second (2026-01-31T12:00:00+00:00)."""
    return datetime.now(UTC).isoformat(timespec="seconds")
