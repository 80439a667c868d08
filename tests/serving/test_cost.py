"""Which requests are counted: all of every face, but for those that ask nobody anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.conftest import settings

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.mcp.http import http_app
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rate_limit import is_free
from citeseek.surfaces.server.rules import Rules

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# A route that is not here is counted. Whoever adds one says here that it asks nobody anything.
FREE = {
    ("GET", "/"),
    ("HEAD", "/"),
    ("GET", "/c/{session_id}"),
    ("HEAD", "/c/{session_id}"),
    ("GET", "/c/{session_id}/events"),
    ("GET", "/reports"),
    ("HEAD", "/reports"),
    ("GET", "/reports/rows"),
    ("GET", "/reports/events"),
    ("GET", "/reports/{report_id}"),
    ("HEAD", "/reports/{report_id}"),
    ("GET", "/reports/{report_id}/events"),
    ("GET", "/s/{link}"),
    ("HEAD", "/s/{link}"),
    ("GET", "/guide"),
    ("HEAD", "/guide"),
    ("GET", "/static/{name:path}"),
    ("HEAD", "/static/{name:path}"),
    ("GET", "/api/v1/health"),
    ("GET", "/api/v1/status"),
    ("GET", "/status"),
    ("HEAD", "/status"),
    # It shows what a page of ours names, and asks for nothing that it has not signed.
    ("GET", "/api/v1/image"),
    ("GET", "/healthz"),
    ("HEAD", "/healthz"),
}


def application() -> FastAPI:
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "stub"})
    return create_app(lambda: loaded, store=MemoryStore())


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Yield each method and path that the application answers: described ones, and the others."""
    for path, methods in app.openapi()["paths"].items():
        yield from ((method.upper(), path) for method in methods)
    found = [*app.routes]
    while found:
        route = found.pop()
        found += getattr(route, "routes", None) or getattr(
            getattr(route, "original_router", None), "routes", []
        )
        if getattr(route, "include_in_schema", True) is False:
            path, methods = getattr(route, "path", ""), getattr(route, "methods", None)
            yield from ((method, path) for method in methods or ())


def test_whatever_is_not_named_as_free_is_counted() -> None:
    app = application()
    known = set(routes(app))
    assert {path for _, path in known} >= {"/report", "/search", "/api/v1/fetch", "/{path:path}"}
    assert known >= FREE
    scopes = {
        (method, path): {
            "method": method,
            "path": path.replace("{session_id}", "abc").replace("{name:path}", "page.css"),
            "query_string": b"",
        }
        for method, path in itertools.chain(known, FREE)
    }
    assert {route for route, scope in scopes.items() if is_free(scope)} == FREE


@pytest.mark.parametrize(
    ("method", "path", "free"),
    [
        ("GET", "/api/v1/health?max_age=60", True),
        ("GET", "/api/v1/health?max_age=0", False),
        ("GET", "/api/v1/health?max_age=60&max_age=0", False),
        ("GET", "/api/v1/health?max_age=nan", False),
        ("GET", "/report", False),
        ("GET", "/report?max_age=60", True),
        ("GET", "/report?max_age=x", False),
        ("POST", "/report?max_age=60", False),
        ("DELETE", "/mcp", True),
        ("POST", "/mcp", False),
        ("GET", "/mcp", False),
        ("POST", "/healthz", False),
    ],
)
def test_a_look_that_is_kept_is_free_and_a_new_one_is_not(
    method: str, path: str, *, free: bool
) -> None:
    where, _, query = path.partition("?")
    scope = {"method": method, "path": where, "query_string": query.encode()}
    assert is_free(scope) is free


def test_nothing_that_costs_goes_on_once_the_number_is_used_up() -> None:
    app = application()
    with TestClient(guard_app(app, rules=Rules(per_minute=1)), base_url="http://localhost") as call:
        assert call.get("/api/v1/engines").status_code == 200
        for method, path in routes(app):
            if (method, path) in FREE or path.startswith("/{"):
                continue
            filled = path.replace("{", "").replace("}", "")
            body = {"json": {}} if method in ("POST", "PATCH") and path != "/search" else {}
            if path.endswith(("/files", "/archive")):
                body = {"content": b"x", "headers": {"Content-Type": "application/octet-stream"}}
            if path.endswith("/batches"):
                body = {"content": b'"x"', "headers": {"Content-Type": "application/jsonl"}}
            answer = call.request(method, filled, **body)
            assert answer.status_code == 429, (method, path)
        # The page is read all the same.
        assert call.get("/").status_code == 200


def test_the_end_of_a_session_of_mcp_is_not_counted() -> None:
    with TestClient(http_app(settings(), Rules(per_minute=1)), base_url="http://localhost") as call:
        assert call.delete("/mcp").status_code != 429
        assert call.get("/mcp").status_code != 429
        assert call.delete("/mcp").status_code != 429
        assert call.get("/mcp").status_code == 429
