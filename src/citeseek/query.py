"""The query: what is asked, cleaned and checked once, before any engine sees it."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal, Self, TypedDict, Unpack, get_args

import msgspec
from msgspec import structs

from citeseek.errors import InvalidInput
from citeseek.text import encodable, plain_line, trim

# What narrows a search, and what an engine may be unable to do.
Filter = Literal["category", "page", "language", "country", "freshness", "safesearch", "site"]
Category = Literal["web", "news", "images", "videos", "papers", "code"]
Safesearch = Literal["off", "moderate", "strict"]
Period = Literal["day", "week", "month", "year"]

FILTERS: tuple[Filter, ...] = get_args(Filter)
CATEGORIES: tuple[Category, ...] = get_args(Category)
SAFESEARCH: tuple[Safesearch, ...] = ("off", "moderate", "strict")
PERIODS: tuple[Period, ...] = ("day", "week", "month", "year")

# Longer than any search box accepts; a longer text is a mistake of the caller, not a query.
MAX_CHARS = 4_000
MAX_COUNT = 50
MAX_PAGE = 100

# Compiled where they are used: most queries need none of them.
_LANGUAGE = r"(?P<code>[a-z]{2,3})(?:[-_](?:[a-z]{4}[-_]?)?(?P<region>[a-z]{2})?)?"
_COUNTRY = r"[a-z]{2}"
_HOST = r"(?:[\w-]+\.)+[\w-]{2,}(?:/\S*)?"
_HAN = "[\u4e00-\u9fff]"
_KANA = "[\u3040-\u30ff]"


class DateRange(msgspec.Struct, frozen=True):
    """An inclusive range of days."""

    first: date
    last: date

    def __str__(self) -> str:
        return f"{self.first}..{self.last}"


class QueryFields(TypedDict, total=False):
    """What a caller may say beside the text, before it is checked. See :class:`Query`."""

    count: int
    category: str | None
    page: int
    language: str | None
    country: str | None
    freshness: str | DateRange | None
    safesearch: str | None
    site: str | None


class Query(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One search as every floor sees it. Build it with :meth:`of`, which cleans and checks.

    ``category`` is what kind of results is wanted: web pages, or one of the other five. ``count``
    is the number of results wanted (1-50), ``page`` the 1-based result page (1-100),
    ``language`` an ISO 639 code with an optional region (``zh``, ``zh-CN``) or ``auto``,
    ``country`` an ISO 3166 alpha-2 code in lower case, ``freshness`` how old a page may be,
    ``site`` a host to stay on. ``None`` leaves a choice to the engine.
    """

    text: str
    category: Category = "web"
    count: int = 10
    page: int = 1
    language: str = "auto"
    country: str | None = None
    freshness: Period | DateRange | None = None
    safesearch: Safesearch | None = None
    site: str | None = None

    @classmethod
    def of(cls, text: object, **fields: Unpack[QueryFields]) -> Query:
        """Return the cleaned, checked query; raise InvalidInput for what cannot be asked."""
        return cls(
            text=clean(text),
            category=_category(_text_or_none("category", fields.get("category"))),
            count=whole_number("count", fields.get("count", 10), 1, MAX_COUNT),
            page=whole_number("page", fields.get("page", 1), 1, MAX_PAGE),
            language=language(_text_or_none("language", fields.get("language"))),
            country=_country(_text_or_none("country", fields.get("country"))),
            freshness=_freshness(fields.get("freshness")),
            safesearch=_safesearch(_text_or_none("safesearch", fields.get("safesearch"))),
            site=_site(_text_or_none("site", fields.get("site"))),
        )

    @property
    def text_with_site(self) -> str:
        """The text with ``site`` as the operator that web engines share."""
        return f"{self.text} site:{self.site}" if self.site else self.text

    @property
    def region(self) -> str | None:
        """The country to search for: the one asked for, else the language's own, in lower case."""
        return self.country or self.language.partition("-")[2].lower() or None

    @property
    def accept_language(self) -> str:
        """The ``Accept-Language`` header that suits the query.

        With ``auto`` kana speak for Japanese, other Chinese characters for Chinese, anything else
        for English.
        """
        if self.language != "auto":
            return f"{self.language},{self.language.partition('-')[0]};q=0.9,en;q=0.5"
        if not self.text.isascii() and re.search(_KANA, self.text):
            return "ja,en;q=0.5"
        is_chinese = not self.text.isascii() and re.search(_HAN, self.text)
        return "zh-CN,zh;q=0.9,en;q=0.5" if is_chinese else "en-US,en;q=0.9"

    def filters(self) -> set[Filter]:
        """Name the filters that this query asks for and that an engine may be unable to do."""
        return {name for name in FILTERS if getattr(self, name) != _UNFILTERED[name]}

    def without(self, name: Filter) -> Self:
        """Return the same query without the filter ``name``."""
        return structs.replace(self, **{name: _UNFILTERED[name]})


# Each filter's value in a query that does not ask for it.
_UNFILTERED = {each.name: each.default for each in structs.fields(Query)}


def clean(text: object) -> str:
    """Return ``text`` on one line, white space of every kind folded to single spaces.

    Characters split into surrogate pairs are joined again, lone surrogates are dropped since no
    request can carry them; so are tag letters, and invisible signs at either
    end. Raise :class:`InvalidInput` when nothing is left to search for.
    """
    if not isinstance(text, str):
        raise InvalidInput(
            f"The query must be text, not {type(text).__name__}.",
            hint="Pass the words to search for as a string.",
            values={"case": "query_no_text"},
        )
    text = one_line(text)
    if not text:
        raise InvalidInput(
            "The query is empty.", hint="Write what to search for.", values={"case": "query_empty"}
        )
    if len(text) > MAX_CHARS:
        raise InvalidInput(
            f"The query has {len(text):,} characters; the limit is {MAX_CHARS:,}.",
            hint="Search for the few words that matter.",
            values={"case": "query_long", "chars": f"{len(text):,}", "most": f"{MAX_CHARS:,}"},
        )
    return text


def one_line(text: str) -> str:
    """Return ``text`` as :func:`clean` does; of one that has nothing to search for, nothing."""
    return trim(plain_line(encodable(text)))


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` when it is a whole number in the range, else raise InvalidInput."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(
            f"{name} must be a whole number from {low} to {high}, not {value!r:.60}.",
            values={
                "case": "no_whole_number",
                "name": name,
                "low": str(low),
                "high": str(high),
                "value": f"{value!r:.60}",
            },
        )
    return value


def seconds_within(value: object, low: float, high: float) -> float:
    """Return ``value`` when it is a number of seconds in the range, else raise InvalidInput."""
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return value
    raise InvalidInput(
        f"The timeout must be from {low:g} to {high:g} seconds, not {value!r:.40}.",
        values={
            "case": "no_seconds",
            "low": f"{low:g}",
            "high": f"{high:g}",
            "value": f"{value!r:.40}",
        },
    )


def _text_or_none(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InvalidInput(
        f"{name} must be text, not {value!r:.60}.",
        values={"case": "no_text", "name": name, "value": f"{value!r:.60}"},
    )


def _category(value: str | None) -> Category:
    if not value:
        return "web"
    for name in CATEGORIES:
        if value.lower() == name:
            return name
    raise InvalidInput(
        f"{value!r:.60} is not a category.",
        hint=f"Use {', '.join(CATEGORIES)}.",
        values={"case": "no_category", "value": f"{value!r:.60}", "known": ", ".join(CATEGORIES)},
    )


def language(value: str | None) -> str:
    """Return the code of a language (``zh``, ``zh-CN``, ``auto``); raise InvalidInput if none."""
    if not value or value.lower() == "auto":
        return "auto"
    match = re.fullmatch(_LANGUAGE, value, re.IGNORECASE | re.ASCII)
    if not match:
        raise InvalidInput(
            f"{value!r:.60} is not a language.",
            hint="Use a code such as zh, zh-CN or en, or auto.",
            values={"case": "no_language", "value": f"{value!r:.60}"},
        )
    code, region = match["code"].lower(), match["region"]
    return f"{code}-{region.upper()}" if region else code


def _country(value: str | None) -> str | None:
    if not value:
        return None
    if not re.fullmatch(_COUNTRY, value, re.IGNORECASE | re.ASCII):
        raise InvalidInput(
            f"{value!r:.60} is not a country.",
            hint="Use a code of two letters such as cn, us or de.",
            values={"case": "no_country", "value": f"{value!r:.60}"},
        )
    return value.lower()


def _freshness(value: str | DateRange | None) -> Period | DateRange | None:
    if not value:
        return None
    if isinstance(value, DateRange):
        return _order(value)
    value = _text_or_none("freshness", value) or ""
    for period in PERIODS:
        if value.lower() == period:
            return period
    try:
        first, last = value.split("..")
        return _order(DateRange(date.fromisoformat(first), date.fromisoformat(last)))
    except ValueError:
        raise InvalidInput(
            f"{value!r:.60} is not a freshness.",
            hint=f"Use {', '.join(PERIODS)}, or a range such as 2026-01-01..2026-01-31.",
            values={"case": "no_freshness", "value": f"{value!r:.60}", "known": ", ".join(PERIODS)},
        ) from None


def _order(value: DateRange) -> DateRange:
    if value.first > value.last:
        raise InvalidInput(
            f"The range {value} ends before it begins.",
            hint="Write the earlier day first.",
            values={"case": "range_backwards", "value": str(value)},
        )
    return value


def _safesearch(value: str | None) -> Safesearch | None:
    if not value:
        return None
    for level in SAFESEARCH:
        if value.lower() == level:
            return level
    raise InvalidInput(
        f"{value!r:.60} is not a safesearch level.",
        hint=f"Use {', '.join(SAFESEARCH)}.",
        values={"case": "no_safesearch", "value": f"{value!r:.60}", "known": ", ".join(SAFESEARCH)},
    )


def _site(value: str | None) -> str | None:
    if not value:
        return None
    host = value.strip().removeprefix("https://").removeprefix("http://").rstrip("/")
    if not re.fullmatch(_HOST, host, re.ASCII):
        raise InvalidInput(
            f"{value!r:.60} is not a host name.",
            hint="Use a host such as docs.python.org.",
            values={"case": "no_host", "value": f"{value!r:.60}"},
        )
    return host.lower()
