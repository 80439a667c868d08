"""Questions on Stack Overflow, by the Stack Exchange API (api.stackexchange.com/docs)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed, WebBlocked
from citeseek.models import CodeDetails, Hit, Page, Request
from citeseek.parsing.json_body import count, json_object, moment, plain, read_list, string, strings
from citeseek.query import DateRange, Query

# Failures share the status 400 and are told apart by their names.
THROTTLED = "throttle_violation"
BAD_KEYS = ("access_token_required", "invalid_access_token", "access_denied", "key_required")


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for questions with their text, the most relevant first."""
    params = {
        "q": query.text,
        "site": "stackoverflow",
        "order": "desc",
        "sort": "relevance",
        "filter": "withbody",
        "pagesize": str(query.count),
    }
    if query.page > 1:
        params["page"] = str(query.page)
    if isinstance(query.freshness, DateRange):
        first = datetime.combine(query.freshness.first, time(), UTC)
        last = datetime.combine(query.freshness.last, time(), UTC) + timedelta(days=1, seconds=-1)
        params |= {"fromdate": f"{first.timestamp():.0f}", "todate": f"{last.timestamp():.0f}"}
    if options.api_key:
        params["key"] = options.api_key
    return Request(url=f"{options.base_url}/2.3/search/advanced", params=params)


def parse(page: Page) -> list[Hit]:
    """Return the questions."""
    return [_hit(each) for each in read_list(json_object(page), "items", "Stack Exchange's")]


def refusal(page: Page) -> SearchFailed | None:
    """Tell haste and a bad key apart, which share a status."""
    name = string(json_object(page).get("error_name"))
    if name == THROTTLED:
        return WebBlocked(
            "Stack Exchange refuses further requests for now.",
            hint="Wait, or set STACKEXCHANGE_API_KEY.",
            detail_code="http_429",
            values={"case": "stackexchange_rate"},
        )
    if name in BAD_KEYS:
        return AuthError(
            "Stack Exchange does not accept the key.",
            hint="Check STACKEXCHANGE_API_KEY.",
            detail_code="http_401",
            values={"case": "stackexchange_key"},
        )
    return None


def _hit(question: dict[str, Any]) -> Hit:
    is_answered = question.get("is_answered")
    return Hit(
        title=plain(question.get("title")),
        url=string(question.get("link")),
        # Paragraphs separate words, and the text of markup would join them.
        snippet=plain(string(question.get("body")).replace("<p>", " <p>")),
        published_at=moment(question.get("creation_date")),
        site_name="Stack Overflow",
        code=CodeDetails(
            tags=strings(question.get("tags")),
            votes=count(question.get("score")),
            answers=count(question.get("answer_count")),
            is_answered=is_answered if isinstance(is_answered, bool) else None,
        ),
    )


ENGINE = Engine(
    id="stackexchange",
    label="Stack Overflow",
    index="stackexchange",
    base_url="https://api.stackexchange.com",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url="https://stackapps.com/apps/oauth/register",
        price="free: 300 searches a day, 10,000 with a key (2026)",
        required=False,
    ),
    supports=frozenset({"page", "freshness"}),
    categories={"code": parse},
)
