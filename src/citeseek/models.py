"""The values that travel between the floors: request, page, hit, item, response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec
from msgspec import structs

from citeseek.errors import CiteseekError
from citeseek.query import Query
from citeseek.urls import domain, without_password

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue

# The statuses that send a client on to another address (RFC 9110, section 15.4).
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Of one answer. No engine gives as many, and one that is a program may go on for ever.
MAX_HITS = 1_000


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine wants sent. ``params`` are encoded into the address by the runner.

    ``form`` and ``json`` make it a POST. ``settled`` and ``enough`` are for a browser: it stops
    loading when so many elements match the CSS selector. Header values never show in ``repr``.
    """

    url: str
    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    form: Mapping[str, str] | None = None
    json: Any = None
    settled: str = ""
    enough: int = 1

    @property
    def method(self) -> str:
        """POST when there is something to post, else GET."""
        return "GET" if self.form is None and self.json is None else "POST"

    @property
    def address(self) -> str:
        """The address with the parameters encoded into it."""
        if not self.params:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(self.params)}"

    @property
    def body(self) -> bytes | None:
        """What is posted, encoded; None for a GET."""
        if self.form is not None:
            return urlencode(self.form).encode()
        return None if self.json is None else msgspec.json.encode(self.json)

    @property
    def content_type(self) -> str:
        """The content type of :attr:`body`."""
        return "application/json" if self.form is None else "application/x-www-form-urlencoded"

    def __repr__(self) -> str:
        return f"Request({self.method} {without_password(self.url)})"


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What came back: the decompressed body, and header names in lower case.

    A page is ``truncated`` when its body went on after the limit of bytes.
    """

    url: str
    status: int = 200
    headers: Mapping[str, str] = {}
    body: bytes = b""
    truncated: bool = False

    def __repr__(self) -> str:
        return f"Page({self.status} {domain(self.url)}, {len(self.body)} bytes)"


class ImageDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A picture itself: its address, and its size in pixels."""

    url: str
    width: int | None = None
    height: int | None = None


class VideoDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How long a video is, whose it is, and how often it was seen."""

    seconds: int | None = None
    channel: str | None = None
    views: int | None = None


class PaperDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who wrote a paper, and where it appeared.

    ``doi`` begins with ``10.``; ``citations`` is how many others cite it, as the engine counts;
    ``pdf_url`` is where it may be read without paying.
    """

    authors: tuple[str, ...] = ()
    venue: str | None = None
    doi: str | None = None
    citations: int | None = None
    pdf_url: str | None = None


class CodeDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a repository, or of a question about programs.

    ``stars`` are a repository's, ``votes`` and ``answers`` a question's; ``is_answered`` says that
    one of the answers was taken. ``license`` is an SPDX identifier.
    """

    language: str | None = None
    tags: tuple[str, ...] = ()
    license: str | None = None
    stars: int | None = None
    votes: int | None = None
    answers: int | None = None
    is_answered: bool | None = None


class Hit(msgspec.Struct):
    """One result as the engine shows it, before anything is checked.

    ``engines`` are the upstream engines that a meta-search names, ``published_at`` is ISO 8601,
    ``thumbnail`` the address of a small picture. What else is known is of the result's kind.
    """

    title: str
    url: str
    snippet: str = ""
    published_at: str | None = None
    site_name: str | None = None
    engines: tuple[str, ...] = ()
    thumbnail: str | None = None
    image: ImageDetails | None = None
    video: VideoDetails | None = None
    paper: PaperDetails | None = None
    code: CodeDetails | None = None


class DirectAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an engine answers itself, beside its results: ``text``, and where it has that from."""

    text: str
    url: str = ""
    engine: str = ""


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine says beside its results: other searches it suggests, and its ``answers``.

    ``corrections`` are the query as it takes it to be meant.
    """

    suggestions: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    answers: tuple[DirectAnswer, ...] = ()


class SearchItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One result that is fit to show.

    ``rank`` is 1-based within its response. ``provider`` is the id that was asked, ``source``
    the upstream engine that a meta-search names, ``engines`` everyone who found the page. ``title``
    and ``snippet`` are plain text and may be empty: nothing is invented. ``thumbnail`` is the
    address of a small picture; ``image``, ``video``, ``paper`` and ``code`` are what is known of a
    result of that kind, and news have their publisher in ``site_name``.
    """

    title: str
    url: str
    snippet: str = ""
    provider: str
    rank: int
    published_at: str | None = None
    site_name: str | None = None
    source: str | None = None
    engines: tuple[str, ...] = ()
    thumbnail: str | None = None
    image: ImageDetails | None = None
    video: VideoDetails | None = None
    paper: PaperDetails | None = None
    code: CodeDetails | None = None

    @property
    def domain(self) -> str:
        """The host of the address, without ``www.``."""
        return domain(self.url)


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A failure as a value, for responses that carry on without the engine that failed."""

    type: str
    message: str
    retryable: bool
    engine: str = ""
    detail_code: str = ""
    hint: str = ""
    retry_after: float | None = None
    values: Mapping[str, str] = {}

    @classmethod
    def of(cls, error: CiteseekError) -> Failure:
        """Return what is safe to keep of ``error``."""
        return cls(
            type=error.error_code,
            message=error.message,
            retryable=error.retryable,
            engine=error.engine,
            detail_code=error.detail_code,
            hint=error.hint,
            retry_after=error.retry_after,
            values=error.values,
        )

    @property
    def error_code(self) -> str:
        """The kind, as errors name it."""
        return self.type

    def translate(self, say: Catalogue) -> Failure:
        """Return the same failure in the words of ``say``."""
        message, hint = say.explain(self)
        return structs.replace(self, message=message, hint=hint)


class SearchResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of the service, the same for every face.

    ``provider`` is the engine id that answered, several joined by ``+``. ``ignored`` names filters
    of the query that it could not do. ``errors`` are the engines that failed on the way.
    ``took_ms`` is the wall time of the search, 0 when ``cached``. ``pending`` names the engines
    that are still out in an answer that is not final yet. ``beside`` is what the engines say beside
    their results, for those of them that do.
    """

    query: Query
    provider: str
    items: tuple[SearchItem, ...]
    took_ms: int = 0
    cached: bool = False
    ignored: tuple[str, ...] = ()
    errors: tuple[Failure, ...] = ()
    provider_meta: Mapping[str, Any] = {}
    pending: tuple[str, ...] = ()
    beside: Beside = Beside()

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.items)
