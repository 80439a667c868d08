"""Papers in OpenAlex, by its API (developers.openalex.org)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
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
)
from citeseek.query import DateRange, Query

FIELDS = (
    "id,doi,display_name,publication_date,authorships,primary_location,best_oa_location,"
    "cited_by_count,abstract_inverted_index"
)
DOI = "https://doi.org/"
# Of an abstract; its words come with their places.
MAX_WORDS = 1_000


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for works, the best match first."""
    params = {"search": query.text, "per-page": str(query.count), "select": FIELDS}
    if query.page > 1:
        params["page"] = str(query.page)
    if conditions := _conditions(query):
        params["filter"] = ",".join(conditions)
    if options.api_key:
        params["api_key"] = options.api_key
    return Request(url=f"{options.base_url}/works", params=params)


def parse(page: Page) -> list[Hit]:
    """Return the works."""
    return [_hit(work) for work in read_list(json_object(page), "results", "OpenAlex'")]


def _conditions(query: Query) -> list[str]:
    found = []
    language = query.language.partition("-")[0]
    if language != "auto":
        found.append(f"language:{language}")
    if isinstance(query.freshness, DateRange):
        found.append(f"from_publication_date:{query.freshness.first}")
        found.append(f"to_publication_date:{query.freshness.last}")
    return found


def _hit(work: dict[str, Any]) -> Hit:
    doi = string(work.get("doi"))
    landing = string(inner(work, "primary_location", "landing_page_url"))
    authors = dicts(work.get("authorships"))[:MAX_NAMES]
    names = (string(inner(each, "author", "display_name")) for each in authors)
    venue = plain(inner(work, "primary_location", "source", "display_name"))
    return Hit(
        title=plain(work.get("display_name")),
        url=landing or doi or string(work.get("id")),
        snippet=_abstract(work.get("abstract_inverted_index")),
        published_at=string(work.get("publication_date")) or None,
        site_name=venue or None,
        paper=PaperDetails(
            authors=tuple(filter(None, names)),
            venue=venue or None,
            doi=doi.removeprefix(DOI) or None,
            citations=count(work.get("cited_by_count")),
            pdf_url=string(inner(work, "best_oa_location", "pdf_url")) or None,
        ),
    )


def _abstract(places: object) -> str:
    """Return the text of which ``places`` tells where each word stands."""
    if not isinstance(places, dict):
        return ""
    found: dict[int, str] = {}
    for word, at in places.items():
        for place in at if isinstance(at, list) else ():
            if isinstance(place, int) and 0 <= place < MAX_WORDS:
                found[place] = string(word)
    return " ".join(word for _, word in sorted(found.items()))


ENGINE = Engine(
    id="openalex",
    label="OpenAlex",
    index="openalex",
    base_url="https://api.openalex.org",
    request=request,
    parse=parse,
    key=Key(
        signup_url="https://openalex.org/settings/api",
        price="free within a daily budget, a larger one with a key (2026)",
        required=False,
    ),
    supports=frozenset({"page", "language", "freshness"}),
    categories={"papers": parse},
)
