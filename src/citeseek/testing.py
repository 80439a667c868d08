"""The contract that every engine keeps, as checks for any test runner.

::

    import pytest
    from citeseek.testing import contract

    @pytest.mark.parametrize("check", contract(ENGINE), ids=str)
    def test_contract(check):
        check()

A check raises AssertionError with a sentence that says what is wrong.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

from citeseek.client import Client
from citeseek.engine import AnyEngine, Engine, EngineOptions
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    WebBlocked,
    WebParseError,
)
from citeseek.models import Page, SearchResponse
from citeseek.query import CATEGORIES, Category, DateRange, Filter, Query
from citeseek.searching import judge
from citeseek.searching.request import prepare
from citeseek.settings import Settings

OPTIONS = EngineOptions(base_url="https://engine.example", api_key="key-for-the-contract")
PLAIN = Query.of("tea house", count=10)
# A query that differs from PLAIN in one filter alone, in one way or another.
FILTERED: dict[Filter, tuple[Query, ...]] = {
    "page": (Query.of("tea house", page=2),),
    "language": (Query.of("tea house", language="de"), Query.of("tea house", language="zh-CN")),
    "country": (Query.of("tea house", country="de"),),
    "freshness": (
        Query.of("tea house", freshness="week"),
        Query.of("tea house", freshness=DateRange(date(2026, 1, 1), date(2026, 1, 31))),
    ),
    "safesearch": (
        Query.of("tea house", safesearch="strict"),
        Query.of("tea house", safesearch="off"),
    ),
    "site": (Query.of("tea house", site="example.com"),),
}
STATUSES: dict[int, tuple[type[SearchFailed], ...]] = {
    401: (AuthError,),
    403: (WebBlocked, AuthError),
    429: (WebBlocked,),
    500: (BadGateway,),
    502: (BadGateway,),
    503: (BadGateway,),
    504: (BadGateway,),
}
LOGIN_PAGE = b"<html><title>Sign in</title><form action='/login'><input name='user'></form></html>"
JUNK: dict[str, bytes] = {
    "an empty object": b"{}",
    "null": b"null",
    "an empty list": b"[]",
    "an empty body": b"",
    "an empty page": b"<html><body></body></html>",
    "a login page": LOGIN_PAGE,
    "cut JSON": b'{"results": [{"title": "a',
    "undecoded bytes": bytes(range(256)),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One rule of the contract, ready to run."""

    name: str
    run: Callable[[], None]

    def __call__(self) -> None:
        """Raise AssertionError when the engine breaks the rule."""
        self.run()

    def __str__(self) -> str:
        return self.name


def contract(engine: AnyEngine) -> list[Check]:
    """Return the checks for ``engine``, in its full or its plain form."""
    checks = [Check("id", partial(_check_id, engine.id))]
    if isinstance(engine, Engine):
        return [*checks, *_checks_of_value(engine)]
    return [
        *checks,
        Check("answers", partial(_check_answers, engine)),
        Check("honours_count", partial(_check_count, engine)),
    ]


def _checks_of_value(engine: Engine) -> Iterator[Check]:
    yield Check("request_is_deterministic", partial(_check_deterministic, engine))
    yield Check("request_uses_base_url", partial(_check_base_url, engine))
    for each in FILTERED:
        yield Check(f"supports_{each}", partial(_check_filter, engine, each))
    for category in CATEGORIES[1:]:
        yield Check(f"category_{category}", partial(_check_category, engine, category))
    if engine.via == "local":
        return
    yield Check("key_is_described", partial(_check_key, engine))
    for status, errors in STATUSES.items():
        page = Page(url=OPTIONS.base_url, status=status)
        yield Check(f"http_{status}", partial(_check_failure, engine, page, errors))
    for name, body in JUNK.items():
        page = Page(url=OPTIONS.base_url, body=body)
        yield Check(
            f"junk_{name.replace(' ', '_')}",
            partial(_check_failure, engine, page, (WebParseError,)),
        )


def _check_id(engine_id: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_-]*", engine_id), f"{engine_id!r} is not a plain id"


def _check_deterministic(engine: Engine) -> None:
    first, second = (prepare(engine, PLAIN, OPTIONS) for _ in range(2))
    assert first == second, "two requests for one query differ"


def _check_base_url(engine: Engine) -> None:
    if engine.via == "local":
        return
    request, _ = prepare(engine, PLAIN, OPTIONS)
    assert request.url.startswith(OPTIONS.base_url), f"{request.url} is not under the base URL"


def _check_filter(engine: Engine, name: Filter) -> None:
    plain, _ = prepare(engine, PLAIN, OPTIONS)
    changes = False
    for query in FILTERED[name]:
        request, ignored = prepare(engine, query, OPTIONS)
        changes |= request != plain
        assert (name in ignored) == (request == plain), f"{name} is not reported"
    supported = name in engine.supports
    assert changes == supported, (
        f"{name} {'is' if supported else 'is not'} in supports, "
        f"and the request {'changes' if changes else 'does not change'} with it"
    )


def _check_category(engine: Engine, category: Category) -> None:
    plain, _ = prepare(engine, PLAIN, OPTIONS)
    request, ignored = prepare(engine, Query.of("tea house", category=category), OPTIONS)
    if not engine.has(category):
        assert "category" in ignored, f"{category} is not reported"
        assert request == plain, f"the request changes with {category}, which is not declared"
        return
    assert "category" not in ignored, f"{category} is declared and reported as ignored"
    is_told_apart = request != plain or engine.categories[category] is not engine.parse
    assert is_told_apart or len(engine.categories) == 1, f"{category} is asked for as the web is"
    for name, body in JUNK.items():
        page = Page(url=OPTIONS.base_url, body=body)
        try:
            found = judge.read(engine, page, category=category)
        except WebParseError:
            continue
        raise AssertionError(f"{name} is read as {category}: {found!r}")


def _check_key(engine: Engine) -> None:
    if engine.key and engine.key.required:
        assert engine.key.signup_url.startswith("https://"), "no address to sign up at"
        assert engine.key.price, "no word on the price"
        request, _ = prepare(engine, PLAIN, OPTIONS)
        assert OPTIONS.api_key is not None
        assert OPTIONS.api_key not in repr(request), "the key shows in the request's repr"


def _check_failure(engine: Engine, page: Page, errors: tuple[type[SearchFailed], ...]) -> None:
    try:
        found = judge.read(engine, page)
    except SearchFailed as error:
        got: object = error
    else:
        got = found
    wanted = " or ".join(kind.__name__ for kind in errors)
    assert isinstance(got, errors), f"expected {wanted}, got {got!r}"
    assert got.engine == engine.id, "the error does not name the engine"


def _check_answers(engine: AnyEngine) -> None:
    response = _search(engine, count=10)
    assert response.items, "no results with a title and a web address"
    assert response.provider == engine.id
    for item in response.items:
        assert item.title, f"no title for {item.url}"


def _check_count(engine: AnyEngine) -> None:
    assert _search(engine, count=1).count == 1, "more than one result for count=1"


def _search(engine: AnyEngine, *, count: int) -> SearchResponse:
    async def search() -> SearchResponse:
        settings = Settings.load(config={}, agents={}, env={})
        async with Client(settings, engines=[engine]) as client:
            return await client.search("tea house", engine=engine.id, count=count)

    return asyncio.run(search())
