"""The dates that a page tells to machines: in JSON-LD, in its head, in attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeAlias

from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.linked_data import text_in
from citeseek.extraction.metas import Metas
from citeseek.extraction.surroundings import Surroundings
from citeseek.parsing import iso_dates
from citeseek.text import plain_line

Kind: TypeAlias = Literal["published", "updated"]

_LINKED: dict[Kind, tuple[str, ...]] = {
    "published": ("datePublished", "dateCreated", "uploadDate"),
    "updated": ("dateModified",),
}
# Names of ``meta`` elements, in whichever attribute they stand, the most exact first.
_NAMES: dict[Kind, list[str]] = {
    "published": (
        "article:published_time og:article:published_time article:published og:published_time"
        " article:published_date article:publicationdate article:post_date og:release_date"
        " og:pubdate og:publish_date og:datepublished video:release_date"
        " datepublished date_published rnews:datepublished article.published article.created"
        " parsely-pub-date sailthru.date cxenseparse:recs:publishtime bt:pubdate rbpubdate"
        " vr:published_time mediator_published_time shareaholic:article_published_time"
        " originalpublicationdate article_date_original twt-published-at displaydate dateposted"
        " pubdate pub_date publishdate publish_date publish-date publish_time publishtime"
        " publicationdate publication_date publication-date published-date published_date"
        " publisheddate published_time published_at published firstpublished release_date"
        " dc.date.issued dcterms.issued dc.issued dc.date.publication dcterms.dateaccepted"
        " citation_publication_date citation_online_date citation_date prism.publicationdate"
        " eprints.date dc.date dcterms.date dc:date dc.date.created dcterms.created dc.created"
        " dc:created article:create_at weibo:article:create_at content_create_date datecreated"
        " date-created date_created creation_date created pdate ptime gentime date"
    ).split(),
    "updated": (
        "article:modified_time og:article:modified_time article:modified article:modified_date"
        " og:modified_time og:updated_time article:updated_time datemodified dateupdated"
        " date_modified dcterms.modified dc.date.modified dc.modified article.updated bt:moddate"
        " modified_time modified updated_time last-modified lastmodified last_modified lastmod"
        " revised revision_date"
    ).split(),
}
_RANKS = {kind: {name: rank for rank, name in enumerate(names)} for kind, names in _NAMES.items()}
_ELEMENTS: dict[Kind, str] = {
    "published": (
        "[itemprop~=datePublished], [property~='datePublished'],"
        " [property~='schema:datePublished'], [itemprop~=dateCreated], time[pubdate],"
        " .dt-published, time.published, abbr.published,"
        " time.entry-date:not(.updated)"
    ),
    "updated": (
        "[itemprop~=dateModified], [property~='dateModified'], [property~='schema:dateModified'],"
        " .dt-updated, time.updated:not(.published), abbr.updated, time.modified"
    ),
}
_ATTRIBUTES = ("datetime", "content", "title")
_LONGEST = 100
_MOST = 2_000
_SECONDS = re.compile(r"(\d{10})(?:\d{3})?")


def iso(value: str, *, day_first: bool | None = None) -> str | None:
    """Return ``value``, a date in one of the ways of machines or people, as ISO 8601."""
    value = value.strip()[:64]
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d|(?:19|20)\d{6}", value, re.ASCII):
            return date.fromisoformat(value).isoformat()
        if re.match(r"\d{4}-?\d\d-?\d\d[T ]\d", value, re.ASCII):
            return datetime.fromisoformat(value.replace(" +", "+").replace(" UTC", "Z")).isoformat()
        if re.match(r"[A-Z][a-z]{2}, ", value):
            return parsedate_to_datetime(value).isoformat()
        if match := _SECONDS.fullmatch(value):
            return datetime.fromtimestamp(int(match[1]), UTC).isoformat()
    except (ValueError, OverflowError):
        pass
    return iso_dates.find_date(value, day_first=day_first)


def in_linked(linked: list[dict[str, Any]], kind: Kind) -> Iterator[str]:
    """Yield what the JSON-LD of a page says."""
    for key in _LINKED[kind]:
        for item in linked:
            value = item.get(key)
            # Seconds or milliseconds since 1970.
            is_number = isinstance(value, int) and not isinstance(value, bool)
            yield str(value) if is_number else text_in(item, key)


def in_metas(metas: Metas, around: Surroundings, kind: Kind) -> Iterator[str]:
    """Yield what ``meta`` elements say, the most exact first."""
    known = _RANKS[kind]
    found = []
    for one in metas:
        ranks = [known[name] for name in one.names.values() if name in known]
        if ranks and not around.is_of_others(one.node):
            found.append((min(ranks), one.content))
    yield from (value for _, value in sorted(found, key=lambda one: one[0]))


def in_elements(document: LexborHTMLParser, around: Surroundings, kind: Kind) -> Iterator[str]:
    """Yield what elements say that are marked as dates, for machines before for people."""
    nodes = [
        node for node in document.css(_ELEMENTS[kind])[:_MOST] if not around.is_of_others(node)
    ]
    for node in nodes:
        yield from filter(None, (node.attributes.get(name) for name in _ATTRIBUTES))
        text = plain_line(node.text(separator=" "))
        if len(text) <= _LONGEST:
            yield text
