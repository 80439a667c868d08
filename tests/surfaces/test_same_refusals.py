"""What cannot be asked is refused alike on every surface, before anything is sent."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.loopback import LoopbackServer
from tests.surfaces.asking import SURFACES, Surface, all_at

# Query, options, a word of the sentence that says what is wrong, in English or Chinese.
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("", {}, "query|搜索什么"),
    (" \u3000\n\t", {}, "query|搜索什么"),
    ("x" * 4_001, {}, "4,000"),
    ("tea", {"count": "many"}, "count"),
    ("tea", {"freshness": "soon"}, "freshness|时间范围"),
    ("tea", {"freshness": "2026-02-01..2026-01-01"}, "ends before|结束早于开始"),
    ("tea", {"country": "germany"}, "country|国家"),
    ("tea", {"category": "general"}, "category|类别"),
    ("tea", {"engine": "nowhere"}, "nowhere"),
    ("tea", {"language": "klingon!"}, "language|语言"),
    ("tea", {"site": "not a host"}, "host|主机"),
    ("tea", {"page": 0}, "page"),
    ("tea", {"safesearch": "maybe"}, "safesearch|安全搜索"),
)
# These take what is no number for a word of their own.
WORDS = {("tool contract", "count"): "max_results"}
CASES = [
    pytest.param(surface, *case, id=f"{surface.name}-{number}")
    for surface in SURFACES
    for number, case in enumerate(REFUSED)
    if case[1].keys() <= surface.takes
]


@pytest.mark.parametrize(("surface", "query", "options", "word"), CASES)
async def test_what_cannot_be_asked_is_refused(
    surface: Surface, query: str, options: dict[str, Any], word: str, server: LoopbackServer
) -> None:
    refused = await surface.ask(all_at(server.base_url), query, **options)
    assert refused.code == "InvalidInput"
    assert refused.detail_code == ""
    assert not refused.retryable
    assert re.search(WORDS.get((surface.name, word), word), refused.message)
    assert not server.requests


def test_every_surface_is_tried() -> None:
    assert {case.values[0] for case in CASES} == set(SURFACES)
