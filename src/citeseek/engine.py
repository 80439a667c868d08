"""The engine contract: a frozen value with two pure functions.

``request`` says what to send, ``parse`` reads what came back. Neither has a clock, a client or an
environment; the runner does everything else once for all engines. A third party that would rather
do its own work implements :class:`SearchEngine` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from citeseek.errors import SearchFailed
from citeseek.models import Beside, Hit, Page, Request
from citeseek.query import Category, Filter, Query
from citeseek.urls import Wrapper

TransportKind = Literal["pyreqwest", "primp", "browser"]
HTTP_CLIENTS: tuple[TransportKind, ...] = ("pyreqwest", "primp")


class EngineOptions(msgspec.Struct, frozen=True):
    """What the settings say for one engine.

    ``base_url`` has no trailing slash. ``api_key`` never shows in ``repr``.
    """

    base_url: str = ""
    api_key: str | None = None

    def __repr__(self) -> str:
        return f"EngineOptions(key {'set' if self.api_key else 'not set'})"


class Key(msgspec.Struct, frozen=True):
    """Where an engine's key comes from and what it costs. It is set as ``<ID>_API_KEY``."""

    signup_url: str
    price: str
    required: bool = True


class Markers(msgspec.Struct, frozen=True):
    """How a page without results is told apart.

    ``blocked`` maps a CSS selector to the ``detail_code`` of the refusal that it proves, and
    ``blocked_redirects`` a host, or a host and a path, that the site sends suspects to. ``empty``
    lists selectors of the plain "nothing found" note. They are looked at only when a page holds no
    results: a result about CAPTCHAs is a result. ``current_page`` finds the number of the page that
    is shown: sites show their last page again to those who go past it.
    """

    blocked: Mapping[str, str] = {}
    blocked_redirects: Mapping[str, str] = {}
    empty: Sequence[str] = ()
    current_page: str = ""


class Engine(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An engine as a value.

    Adding one is one file with one of these, called ``ENGINE``, and one line in
    ``engines/__init__``, which also gives its other names.

    ``index`` names whose crawl it shows: engines of one index have one vote in a merge.
    ``parse`` gives the hits in their order; of a generator no more are taken than are wanted.
    ``supports`` lists the filters that change the request; others are reported as ignored.
    ``categories`` are what it finds beside web pages, each with how such an answer is read; a
    request for any other is the one for the web, and ``category`` is reported as ignored.
    ``follow`` is given what a request brought: where that holds no results but what asking for them
    takes, such as a token, it returns the request for them, else None. An empty list from an API
    (``kind``, and ``api_categories`` of an html engine) is an honest one; an html page without
    results needs one of its ``markers`` to be understood. ``refusal`` may read a status of 400 and
    above better than the general table; it returns None to leave it alone. ``wrappers`` are the
    redirect addresses that results hide behind. ``notices`` names what a page with results says it
    did not do, such as ``query_relaxed``, ``beside`` reads what it says beside its results.
    ``max_chars`` and ``max_words`` are the longest query that it takes.
    """

    id: str
    label: str
    request: Callable[[Query, EngineOptions], Request]
    parse: Callable[[Page], Iterable[Hit]]
    base_url: str = ""
    via: Literal["http", "browser", "local"] = "http"
    kind: Literal["api", "html"] = "api"
    key: Key | None = None
    index: str = ""
    supports: frozenset[Filter] = frozenset()
    categories: Mapping[Category, Callable[[Page], Iterable[Hit]]] = {}
    api_categories: frozenset[Category] = frozenset()
    markers: Markers = Markers()
    wrappers: tuple[Wrapper, ...] = ()
    refusal: Callable[[Page], SearchFailed | None] | None = None
    follow: Callable[[Page, Request], Request | None] | None = None
    notices: Callable[[Page], tuple[str, ...]] | None = None
    beside: Callable[[Page], Beside] | None = None
    max_chars: int | None = None
    max_words: int | None = None

    def has(self, category: Category) -> bool:
        """Whether it finds results of ``category``; every engine answers a search for the web."""
        return category == "web" or category in self.categories

    def is_api(self, category: Category) -> bool:
        """Whether an API tells what it finds of ``category``; its empty list is an honest one."""
        return self.kind == "api" or category in self.api_categories

    @property
    def key_env(self) -> str:
        """The variable that the key is read from."""
        return f"{self.id.upper()}_API_KEY"


@runtime_checkable
class SearchEngine(Protocol):
    """The plain form of an engine: an id and one coroutine that does all the work.

    Results are mappings or objects with ``title``, ``url`` and ``snippet``, and ``published_at``
    (ISO 8601, or a date) if it is known. Errors are raised; any exception that is not a
    :class:`~citeseek.errors.SearchFailed` is reported as
    :class:`~citeseek.errors.WebProviderError`, with its text on one line.
    """

    id: str

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        """Return up to ``num_results`` results for ``query``, best first."""
        ...


AnyEngine: TypeAlias = Engine | SearchEngine
