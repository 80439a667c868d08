"""Pages that were fetched, kept for a while under every address that led to them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, MutableMapping

from msgspec import structs

from citeseek.fetching.options import Form
from citeseek.fetching.response import FetchResponse

# Characters of all texts together; a character takes up to four bytes.
MAX_CHARS = 32_000_000
MAX_ADDRESSES = 10_000
# What a page takes beside its text, in characters.
_AROUND = 1_000


class PageCache:
    """Pages by their own address, and addresses that redirect to them as a second index.

    ``ttl`` is in seconds, 0 keeps nothing. A page in two forms is two pages. Event loops in
    different threads may share one.
    """

    def __init__(self, ttl: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        from cachetools import TTLCache  # noqa: PLC0415 - not for every command

        self._pages: MutableMapping[tuple[str, Form], FetchResponse] = TTLCache(
            MAX_CHARS, ttl, timer=clock, getsizeof=lambda page: len(page.text) + _AROUND
        )
        self._leads_to: MutableMapping[str, tuple[str, tuple[str, ...]]] = TTLCache(
            MAX_ADDRESSES, ttl, timer=clock
        )
        self._keeps = ttl > 0
        # Even reading changes the order of use. Nobody awaits while holding it.
        self._lock = threading.Lock()

    def get(self, key: str, form: Form) -> FetchResponse | None:
        """Return the page to which the address ``key`` leads, with the redirects from there."""
        with self._lock:
            own, redirects = self._leads_to.get(key, (key, ()))
            page = self._pages.get((own, form))
        return structs.replace(page, redirects=redirects) if page else None

    def put(self, keys: Iterable[str], form: Form, page: FetchResponse) -> None:
        """Keep ``page`` under ``keys``: where it was asked for, then one for each redirect.

        The last one is its own.
        """
        if not self._keeps or len(page.text) + _AROUND > MAX_CHARS:
            return
        *others, own = keys
        with self._lock:
            self._pages[own, form] = page
            self._leads_to.pop(own, None)
            for place, key in enumerate(others):
                if key != own:
                    self._leads_to[key] = own, page.redirects[place:]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._pages.clear()
            self._leads_to.clear()
