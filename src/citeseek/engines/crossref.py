"""Papers that publishers registered at Crossref, by its REST API (api.crossref.org)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions
from citeseek.models import Hit, Page, PaperDetails, Request
from citeseek.parsing.json_body import (
    MAX_NAMES,
    count,
    dicts,
    inner,
    json_object,
    plain,
    read_list,
    string,
    strings,
)
from citeseek.query import DateRange, Query

MAX_YEAR = 9999
FIELDS = "DOI,URL,title,author,container-title,publisher,is-referenced-by-count,issued,abstract"


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for the works whose bibliographic data match best."""
    params = {"query.bibliographic": query.text, "rows": str(query.count), "select": FIELDS}
    if query.page > 1:
        params["offset"] = str((query.page - 1) * query.count)
    if isinstance(query.freshness, DateRange):
        first, last = query.freshness.first, query.freshness.last
        params["filter"] = f"from-pub-date:{first},until-pub-date:{last}"
    return Request(url=f"{options.base_url}/works", params=params)


def parse(page: Page) -> list[Hit]:
    """Return the works."""
    message = inner(json_object(page), "message")
    works = read_list(message if isinstance(message, dict) else {}, "items", "Crossref's")
    return [_hit(work) for work in works]


def _hit(work: dict[str, Any]) -> Hit:
    doi = string(work.get("DOI"))
    return Hit(
        title=plain(next(iter(strings(work.get("title"))), "")),
        url=string(work.get("URL")) or (doi and f"https://doi.org/{doi}"),
        snippet=plain(work.get("abstract")),
        published_at=_issued(work),
        site_name=plain(work.get("publisher")) or None,
        paper=PaperDetails(
            authors=tuple(filter(None, map(_author, dicts(work.get("author"))[:MAX_NAMES]))),
            venue=plain(next(iter(strings(work.get("container-title"))), "")) or None,
            doi=doi or None,
            citations=count(work.get("is-referenced-by-count")),
        ),
    )


def _author(author: dict[str, Any]) -> str:
    names = (
        string(author.get("given")),
        string(author.get("family")) or string(author.get("name")),
    )
    return " ".join(filter(None, names))


def _issued(work: dict[str, Any]) -> str | None:
    """Return the day, the month or the year, as exactly as it is known."""
    parts = inner(work, "issued", "date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [part for part in first[:3] if isinstance(part, int) and 0 < part <= MAX_YEAR]
    return "-".join(f"{number:02}" for number in numbers) or None


ENGINE = Engine(
    id="crossref",
    label="Crossref",
    index="crossref",
    base_url="https://api.crossref.org",
    request=request,
    parse=parse,
    supports=frozenset({"page", "freshness"}),
    categories={"papers": parse},
)
