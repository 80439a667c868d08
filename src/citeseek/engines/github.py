"""Repositories on GitHub, by its REST API (docs.github.com/rest/search)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import SearchFailed, WebBlocked
from citeseek.models import CodeDetails, Hit, Page, Request
from citeseek.parsing.json_body import count, inner, json_object, plain, read_list, string, strings
from citeseek.query import DateRange, Query

# What the licence field says of a file that it does not know.
NO_LICENSE = "NOASSERTION"


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for repositories, the best match first."""
    text = query.text
    if isinstance(query.freshness, DateRange):
        text = f"{text} pushed:{query.freshness}"
    params = {"q": text, "per_page": str(query.count)}
    if query.page > 1:
        params["page"] = str(query.page)
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if options.api_key:
        headers["Authorization"] = f"Bearer {options.api_key}"
    return Request(url=f"{options.base_url}/search/repositories", params=params, headers=headers)


def parse(page: Page) -> list[Hit]:
    """Return the repositories."""
    return [_hit(each) for each in read_list(json_object(page), "items", "GitHub's")]


def refusal(page: Page) -> SearchFailed | None:
    """Tell haste from a refused key, which may share the status 403."""
    is_limit = page.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in page.headers
    if page.status != 403 or not is_limit:  # noqa: PLR2004 - HTTP's number
        return None
    return WebBlocked(
        "GitHub refuses further requests for now (HTTP 403).",
        hint="Wait a minute, or set GITHUB_API_KEY.",
        detail_code="http_429",
        values={"case": "github_rate"},
    )


def _hit(repository: dict[str, Any]) -> Hit:
    name = string(inner(repository, "license", "spdx_id"))
    return Hit(
        title=string(repository.get("full_name")),
        url=string(repository.get("html_url")),
        snippet=plain(repository.get("description")),
        published_at=string(repository.get("pushed_at")) or None,
        site_name="GitHub",
        thumbnail=string(inner(repository, "owner", "avatar_url")) or None,
        code=CodeDetails(
            language=string(repository.get("language")) or None,
            tags=strings(repository.get("topics")),
            license=None if name == NO_LICENSE else name or None,
            stars=count(repository.get("stargazers_count")),
        ),
    )


ENGINE = Engine(
    id="github",
    label="GitHub repositories",
    index="github",
    base_url="https://api.github.com",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url="https://github.com/settings/tokens",
        price="free: 10 searches a minute, 30 with a token (2026)",
        required=False,
    ),
    supports=frozenset({"page", "freshness"}),
    categories={"code": parse},
)
