"""Papers in Semantic Scholar, by its Academic Graph API (api.semanticscholar.org/api-docs)."""

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
    "title,url,abstract,venue,publicationDate,year,authors,citationCount,externalIds,openAccessPdf"
)


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for papers, the most relevant first."""
    params = {"query": query.text, "limit": str(query.count), "fields": FIELDS}
    if query.page > 1:
        params["offset"] = str((query.page - 1) * query.count)
    if isinstance(query.freshness, DateRange):
        params["publicationDateOrYear"] = f"{query.freshness.first}:{query.freshness.last}"
    return Request(
        url=f"{options.base_url}/graph/v1/paper/search",
        params=params,
        headers={"x-api-key": options.api_key} if options.api_key else {},
    )


def parse(page: Page) -> list[Hit]:
    """Return the papers."""
    answer = json_object(page)
    if answer.get("total") == 0 and "data" not in answer:
        return []
    return [_hit(paper) for paper in read_list(answer, "data", "Semantic Scholar's")]


def _hit(paper: dict[str, Any]) -> Hit:
    names = (string(each.get("name")) for each in dicts(paper.get("authors"))[:MAX_NAMES])
    venue = plain(paper.get("venue"))
    return Hit(
        title=plain(paper.get("title")),
        url=string(paper.get("url")),
        snippet=plain(paper.get("abstract")),
        published_at=string(paper.get("publicationDate")) or string(paper.get("year")) or None,
        site_name=venue or None,
        paper=PaperDetails(
            authors=tuple(filter(None, names)),
            venue=venue or None,
            doi=string(inner(paper, "externalIds", "DOI")) or None,
            citations=count(paper.get("citationCount")),
            pdf_url=string(inner(paper, "openAccessPdf", "url")) or None,
        ),
    )


ENGINE = Engine(
    id="semantic_scholar",
    label="Semantic Scholar",
    index="semantic_scholar",
    base_url="https://api.semanticscholar.org",
    request=request,
    parse=parse,
    key=Key(
        signup_url="https://www.semanticscholar.org/product/api",
        price="free; without a key all share one limit (2025)",
        required=False,
    ),
    supports=frozenset({"page", "freshness"}),
    categories={"papers": parse},
)
