"""When a page was published and updated, and where it says so.

What it tells machines goes before what stands beside its title, that before its address, and what
is of another text (a comment, a teaser, a notice of the site) is no date of the page at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.metas import Metas
from citeseek.extraction.stated_dates import Kind, in_elements, in_linked, in_metas, iso
from citeseek.extraction.surroundings import Surroundings
from citeseek.extraction.visible_dates import SeenDate, order_of_days, visible_dates
from citeseek.parsing.months import MONTH_OF
from citeseek.text import day_of

Source: TypeAlias = Literal["json-ld", "meta", "markup", "text", "address", "script"]

_EARLIEST = 1600
_EPOCH = "1970-01-01"
# Clocks of sites run ahead, and days begin elsewhere.
_AHEAD = timedelta(days=2)
_SAME = timedelta(minutes=2)
_PATH = re.compile(
    r"(?<!\d)(?P<year>19[6-9]\d|20\d\d)[-/_.]?(?P<month>0[1-9]|1[0-2])[-/_.]?"
    r"(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
    r"|/(?P<of>20\d\d)/(?P<name>[a-z]{3,9})/(?P<at>\d{1,2})(?!\d)",
    re.IGNORECASE,
)
# What scripts are given to build the page from, and JSON-LD that is broken.
_KEYS = re.compile(
    r"[\"']?\b(?:datePublished|publishedAt|published_at|publishedDate|publishDate|publish_date"
    r"|publishTime|publish_time|firstPublished\w{0,4}|pubDate|pub_date|datePosted|releaseDate)\\?"
    r"[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']([^\"'\\<>]{8,40})"
)
_LONGEST_SCRIPT = 2_000_000


class Dated(msgspec.Struct, frozen=True):
    """A day, or a time, as ISO 8601, and where on the page it stands."""

    value: str
    source: Source


class Dates(msgspec.Struct, frozen=True):
    """When a page was published and when it was last changed, as far as it says."""

    published: Dated | None = None
    updated: Dated | None = None


def dates_of(
    document: LexborHTMLParser,
    metas: Metas,
    linked: list[dict[str, Any]],
    url: str,
    *,
    heading: LexborNode | None,
    now: datetime | None,
) -> Dates:
    """Return the dates of the page at ``url``.

    ``heading`` is the element of its title. What lies after ``now``, when the page was sent, is no
    date of it.
    """
    around = Surroundings(heading)

    @cache
    def day_first() -> bool | None:
        return order_of_days(document, url)

    def possible(source: Source, values: Iterable[str]) -> Iterator[Dated]:
        # The order takes a look at the whole page, and few dates need it.
        found = (iso(value) or iso(value, day_first=day_first()) for value in values if value)
        return (Dated(day, source) for day in found if day and _is_possible(day, now))

    def find_stated(kind: Kind) -> Dated | None:
        return _most_local(
            [
                *possible("json-ld", in_linked(linked, kind)),
                *possible("meta", in_metas(metas, around, kind)),
                *possible("markup", in_elements(document, around, kind)),
            ]
        )

    published, updated = find_stated("published"), find_stated("updated")
    if published is None:
        seen = visible_dates(document, heading, around, now=now, day_first=day_first())
        days = [one for one in seen if _is_possible(one.day, now)]
        published = _choose_seen(days, "published", lambda one: one.is_told)
        published = published or next(possible("address", _in_addresses(document, url)), None)
        published = published or _choose_seen(days, "published", lambda one: not one.is_told)
        published = published or _only(possible("script", _in_scripts(document)))
        updated = updated or _choose_seen(days, "updated", lambda _: True)
    if published and updated and day_of(updated.value) < day_of(published.value):
        updated = None
    return Dates(published, updated)


def _choose_seen(
    seen: Iterable[SeenDate], kind: Kind, is_wanted: Callable[[SeenDate], bool]
) -> Dated | None:
    wanted = (one for one in seen if one.kind == kind and is_wanted(one))
    best = min(wanted, key=lambda one: one.rank, default=None)
    return Dated(best.day, "markup" if best.is_markup else "text") if best else None


def _most_local(found: list[Dated]) -> Dated | None:
    """Return the first date of ``found``, by the clock of the site where another tells that."""
    if not found or not found[0].value.endswith("+00:00"):
        return found[0] if found else None
    moment = datetime.fromisoformat(found[0].value)
    for one in found[1:]:
        other = datetime.fromisoformat(one.value)
        if other.utcoffset() and abs(other - moment) < _SAME:
            return one
    return found[0]


def _only(found: Iterator[Dated]) -> Dated | None:
    """Return the one date of ``found``, None where they are of several days."""
    dates = list(found)
    return dates[0] if len({day_of(one.value) for one in dates}) == 1 else None


def _is_possible(value: str, now: datetime | None) -> bool:
    day = date.fromisoformat(day_of(value))
    is_ahead = now is not None and day > (now + _AHEAD).date()
    return day.year >= _EARLIEST and not value.startswith(_EPOCH) and not is_ahead


def _in_addresses(document: LexborHTMLParser, url: str) -> Iterator[str]:
    named = document.css("link[rel=canonical], meta[property='og:url']")
    own = (node.attributes.get("href") or node.attributes.get("content") or "" for node in named)
    for address in (url, *own):
        with suppress(ValueError):
            for match in _PATH.finditer(urlsplit(address).path):
                if match["year"]:
                    yield "-".join(match.group("year", "month", "day"))
                elif month := MONTH_OF.get(match["name"].lower()):
                    yield f"{match['of']}-{month:02}-{int(match['at']):02}"


def _in_scripts(document: LexborHTMLParser) -> Iterator[str]:
    for script in document.css("script:not([src])"):
        source = script.text()
        if len(source) <= _LONGEST_SCRIPT:
            yield from _KEYS.findall(source)
