"""``web_fetch`` for one session: reads a page, numbers it, and says what went wrong.

Nothing here knows a framework; :mod:`citeseek.tools.langchain` makes it a LangChain tool.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, Protocol, Unpack

import msgspec

from citeseek.citations import CitationRegistry, Source
from citeseek.concurrency import portal
from citeseek.errors import CiteseekError, InvalidInput, WebProviderError
from citeseek.fetching import FetchFields, FetchResponse
from citeseek.fetching.response import describe_page, write_page_head
from citeseek.i18n import Catalogue, catalogue
from citeseek.i18n.locale_language import locale_language
from citeseek.models import SearchItem
from citeseek.text import shorten
from citeseek.tools import fence
from citeseek.tools.budget import chars_within
from citeseek.tools.search_formats import SUMMARY_CHARS, failure_text
from citeseek.tools.tool_definitions import WEB_FETCH, Definition
from citeseek.urls import without_password

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


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A call of the tool that has begun: its 1-based number, and the address as it was meant."""

    number: int
    url: str


class FetchCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the tool and what came of it.

    ``number`` and ``url`` are those of :class:`Opening`, ``text`` is what the model is given,
    ``source`` the number of the page where pages are numbered. One of ``response`` and ``error``
    is set.
    """

    number: int
    url: str
    text: str
    source: Source | None = None
    response: FetchResponse | None = None
    error: CiteseekError | None = None

    @property
    def artifact(self) -> dict[str, Any] | None:
        """The page as a structure for programs; None when it could not be read."""
        return describe_page(self.response) if self.response else None


class WebFetch:
    """The tool of one session.

    ``service`` does the reading. ``registry`` numbers the pages, so that they can be cited as the
    results of a search are; a page that a search has shown keeps its number. Without one, pages
    have no numbers. A page is given as Markdown of at most 20,000 characters where ``asked``, the
    choices of the session, say nothing else, and within ``page_tokens`` tokens if they are set.

    With ``named_in`` a page is opened only if its address is that of a numbered one, or stands in
    one of these texts or of the pages that were read: an address that a page told the model to make
    up would carry out what is in it. A model is told of failures in ``lang``, by default in that of
    the locale. ``listener`` is told of each call as it begins and as it ends.
    """

    def __init__(
        self,
        service: FetchService,
        definition: Definition = WEB_FETCH,
        *,
        registry: CitationRegistry | None = None,
        page_tokens: int | None = None,
        named_in: Iterable[str] | None = None,
        lang: str | None = None,
        listener: Callable[[Opening | FetchCall], None] = lambda _: None,
        **asked: Unpack[FetchFields],
    ) -> None:
        self.definition = definition
        self.registry = registry
        self._service = service
        self._page_tokens = page_tokens
        self._named_in = None if named_in is None else list(named_in)
        self._say = catalogue(lang or locale_language())
        self._listener = listener
        self._calls = count(1)
        self._asked: FetchFields = {"form": "markdown", "max_chars": MAX_CHARS, **asked}
        self._fence = fence.new_id()

    async def run(self, arguments: Mapping[str, Any]) -> FetchCall:
        """Read as a model asked for; every failure but cancellation becomes text."""
        opening = self._begin(arguments)
        try:
            asked = self._read(arguments)
            reading = self._show(opening, await self._service.fetch(opening.url, **asked))
        except Exception as error:  # noqa: BLE001 - a failure is told, the conversation goes on
            reading = _as_failed(opening, error, self._say)
        self._listener(reading)
        return reading

    def run_sync(self, arguments: Mapping[str, Any]) -> FetchCall:
        """Do the same for a caller that is not asynchronous."""
        return portal.call(self.run(arguments))

    def _begin(self, arguments: Mapping[str, Any]) -> Opening:
        try:
            url = self._url(arguments)
        except InvalidInput:
            url = str(arguments.get("url") or "")
        # One with a password is refused, and is shown meanwhile.
        opening = Opening(number=next(self._calls), url=without_password(url))
        self._listener(opening)
        return opening

    def _read(self, arguments: Mapping[str, Any]) -> FetchFields:
        url = self._url(arguments)
        if not self._is_named(url):
            raise InvalidInput(
                "This address stands in no result, no page and no message of the user.",
                hint="Search for it, or ask the user for the address.",
            )
        asked: FetchFields = {**self._asked}
        if (chars := arguments.get("max_chars")) is not None:
            asked["max_chars"] = self._chars(chars)
        return asked

    def _url(self, arguments: Mapping[str, Any]) -> str:
        """Return the address that a model meant; raise InvalidInput for none."""
        raw = arguments.get("url")
        url = str(raw).strip(_AROUND) if isinstance(raw, str | int) else ""
        if not url or isinstance(raw, bool):
            how = "empty" if isinstance(raw, str) else "missing"
            raise InvalidInput(f"url is {how}: the address of the page.")
        if number := _NUMBER.fullmatch(url):
            return self._address_of(int(number[1]))
        return f"https://{url}" if _BARE_HOST.fullmatch(url) else url

    def _is_named(self, url: str) -> bool:
        if self._named_in is None:
            return True
        if self.registry is not None and self.registry.number_of(url) is not None:
            return True
        bare = re.escape(re.sub(r"^https?://(www\.)?", "", url, flags=re.IGNORECASE).rstrip("/"))
        whole = re.compile(rf"(?<![a-z0-9_-]){bare}(?![a-z0-9_-]|\.[a-z0-9])", re.IGNORECASE)
        return bool(bare) and any(whole.search(text) for text in self._named_in)

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

    def _show(self, opening: Opening, page: FetchResponse) -> FetchCall:
        if self._page_tokens is not None:
            page = page.cut(chars_within(page.text, self._page_tokens))
        if self._named_in is not None:
            self._named_in.append(page.text)
        source = self._number(opening.url, page)
        head = write_page_head(page, source.number if source else None)
        cut = f"\n{self._say('tool.cut')}" if page.truncated else ""
        text = fence.put_in_fence(f"{head}\n\n{page.text}{cut}", self._fence)
        return FetchCall(
            number=opening.number, url=opening.url, text=text, source=source, response=page
        )

    def _number(self, url: str, page: FetchResponse) -> Source | None:
        if self.registry is None:
            return None
        # The page of a result has its number, also where the result was a redirect to it.
        if (number := self.registry.number_of(url)) is not None:
            return self.registry.mark_read(number, published_at=page.published_at)
        item = SearchItem(
            title=page.title,
            url=page.final_url,
            snippet=shorten(" ".join(page.text.split()), SUMMARY_CHARS),
            provider="fetch",
            rank=1,
            published_at=page.published_at,
            site_name=page.site_name,
        )
        (source,) = self.registry.add([item])
        return self.registry.mark_read(source.number)


def _as_failed(opening: Opening, error: Exception, say: Catalogue) -> FetchCall:
    if not isinstance(error, CiteseekError):
        log.error("web_fetch failed: %r", error, exc_info=error)
        error = WebProviderError(
            "Reading broke off unexpectedly.",
            detail_code="internal",
            values={"case": "reading"},
        )
    text = failure_text(error, say, "tool.read_failed")
    return FetchCall(number=opening.number, url=opening.url, text=text, error=error)
