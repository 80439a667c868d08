"""What can be done at an address: said in full, whichever route or page would have answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.rest.serving import Served, served


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/api/v1/fetch", "POST"),
        ("GET", "/v1/chat/completions", "POST"),
        ("POST", "/v1/models", "GET"),
        ("OPTIONS", "/api/v1/sessions", "GET, POST"),
        ("PUT", "/api/v1/sessions/abc", "DELETE, GET, PATCH"),
        ("DELETE", "/search", "GET, POST"),
    ],
)
def test_other_methods_are_405_with_all_that_may_be_done(
    at: Served, method: str, path: str, allow: str
) -> None:
    refused = at.http(method, path)
    assert (refused.status, refused.headers["Allow"]) == (405, allow)
    assert f"这里只能用 {allow}。" in refused.text


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/v1/embeddings", "/v1/chat", "/api/x"])
def test_what_is_nowhere_is_404_to_programs_in_json(at: Served, path: str) -> None:
    missing = at.http("GET", path)
    assert missing.status == 404
    assert missing.headers["Content-Type"] in ("application/problem+json", "application/json")
    assert "Allow" not in missing.headers


def test_people_are_shown_a_page(at: Served) -> None:
    missing = at.http("GET", "/nowhere")
    assert (missing.status, missing.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
