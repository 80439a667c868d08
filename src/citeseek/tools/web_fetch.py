"""``web_fetch`` for one session: reads a page, numbers it, and says what went wrong.

Nothing here knows a framework; :mod:`citeseek.tools.langchain_fetch` makes it a LangChain tool.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Protocol, Unpack

import msgspec

from citeseek import fence
from citeseek.citations import CitationRegistry, Source
from citeseek.errors import CiteseekError, InvalidInput, WebProviderError
from citeseek.fetching import FetchFields, FetchResponse, formats
from citeseek.formats import SUMMARY_CHARS
from citeseek.models import SearchItem
from citeseek.text import shorten
from citeseek.tools.definitions import WEB_FETCH

MAX_CHARS = 20_000
LEAST_CHARS = 200

_NUMBER = re.compile(r"\[?([1-9][0-9]{0,5})\]?")
# What models put around an address.
_AROUND = " \t\r\n<>\"'`"
_BARE_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:[0-9]+)?([/?#].*)?", re.IGNORECASE)

log = logging.getLogger(__name__)


class FetchService(Protocol):
    """What the tool needs of a :class:`~citeseek.client.Client`."""

    async def fetch(self, url: str, **asked: Unpack[FetchFields]) -> FetchResponse:
        """Read a page; see :meth:`citeseek.client.Client.fetch`."""
        ...

    def fetch_sync(self, url: str, **asked: Unpack[FetchFields]) -> FetchResponse:
        """Do the same for a caller that is not asynchronous."""
        ...


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the tool and what came of it.

    ``url`` is the address as it was asked for, ``text`` what the model is given, ``source`` the
    number of the page where pages are numbered. One of ``response`` and ``error`` is set.
    """

    url: str
    text: str
    source: Source | None = None
    response: FetchResponse | None = None
    error: CiteseekError | None = None

    @property
    def artifact(self) -> dict[str, Any] | None:
        """The page as a structure for programs; None when it could not be read."""
        return formats.full(self.response) if self.response else None


class WebFetch:
    """The tool of one session.

    ``service`` does the reading. ``registry`` numbers the pages, so that they can be cited as the
    results of a search are; a page that a search has shown keeps its number. Without one, pages
    have no numbers. ``asked`` are the choices of the session; a page is given as Markdown of at
    most 20,000 characters where they say nothing else.
    """

    def __init__(
        self,
        service: FetchService,
        *,
        registry: CitationRegistry | None = None,
        **asked: Unpack[FetchFields],
    ) -> None:
        self.definition = WEB_FETCH
        self.registry = registry
        self._service = service
        self._asked: FetchFields = {"form": "markdown", "max_chars": MAX_CHARS, **asked}
        self._fence = fence.new_id()

    async def run(self, arguments: Mapping[str, Any]) -> Reading:
        """Read as a model asked for; every failure but cancellation becomes text."""
        try:
            url, asked = self._read(arguments)
            return self._shown(url, await self._service.fetch(url, **asked))
        except Exception as error:  # noqa: BLE001 - a failure is told, the conversation goes on
            return _failed(arguments, error)

    def run_sync(self, arguments: Mapping[str, Any]) -> Reading:
        """Do the same for a caller that is not asynchronous."""
        try:
            url, asked = self._read(arguments)
            return self._shown(url, self._service.fetch_sync(url, **asked))
        except Exception as error:  # noqa: BLE001 - a failure is told, the conversation goes on
            return _failed(arguments, error)

    def _read(self, arguments: Mapping[str, Any]) -> tuple[str, FetchFields]:
        raw = arguments.get("url")
        url = str(raw).strip(_AROUND) if isinstance(raw, str | int) else ""
        if not url or isinstance(raw, bool):
            raise InvalidInput("url is missing: the address of the page.")
        if number := _NUMBER.fullmatch(url):
            url = self._address_of(int(number[1]))
        elif _BARE_HOST.fullmatch(url):
            url = f"https://{url}"
        asked: FetchFields = {**self._asked}
        if (chars := arguments.get("max_chars")) is not None:
            asked["max_chars"] = self._chars(chars)
        return url, asked

    def _address_of(self, number: int) -> str:
        source = self.registry.get(number) if self.registry is not None else None
        if source is None:
            raise InvalidInput(f"There is no result [{number}]: name the address of the page.")
        return source.url

    def _chars(self, raw: Any) -> int:
        """Return the number that a model meant, within what a page may take."""
        if isinstance(raw, bool) or not re.fullmatch(r"\s*\d{1,9}(\.0)?\s*", str(raw)):
            raise InvalidInput(f"max_chars must be a whole number, not {raw!r:.40}.")
        most = self._asked.get("max_chars") or MAX_CHARS
        return min(max(int(float(str(raw))), min(LEAST_CHARS, most)), most)

    def _shown(self, url: str, page: FetchResponse) -> Reading:
        source = self._numbered(url, page)
        head = formats.head(page, source.number if source else None)
        cut = "\n（正文已截断）(the text is cut)" if page.truncated else ""
        text = fence.fenced(f"{head}\n\n{page.text}{cut}", self._fence)
        return Reading(url=url, text=text, source=source, response=page)

    def _numbered(self, url: str, page: FetchResponse) -> Source | None:
        if self.registry is None:
            return None
        # The page of a result has its number, also where the result was a redirect to it.
        if (number := self.registry.number_of(url)) is not None:
            return self.registry.get(number)
        item = SearchItem(
            title=page.title,
            url=page.final_url,
            snippet=shorten(" ".join(page.text.split()), SUMMARY_CHARS),
            provider="fetch",
            rank=1,
            published_at=page.published_at,
            site_name=page.site_name,
        )
        return self.registry.add([item])[0]


def _failed(arguments: Mapping[str, Any], error: Exception) -> Reading:
    if not isinstance(error, CiteseekError):
        log.error("web_fetch failed: %r", error, exc_info=error)
        error = WebProviderError("Reading broke off unexpectedly.", detail_code="internal")
    url = str(arguments.get("url") or "")
    return Reading(url=url, text=formats.failure_text(error), error=error)
