"""Addresses: what a result links to, and whether two of them are one page."""

from __future__ import annotations

from citeseek.urls import same_page_key, target
from tools.cases import Case
from tools.cases.expectations import differences
from tools.cases.names import engine_named


def result(case: Case) -> list[str]:
    """Check ``url.result``."""
    given = case["input"]
    engine = engine_named(given["engine"])
    url = target(given["raw"], given["page_url"], engine.wrappers)
    return differences(case["expect"], {"url": url, "drop": url is None})


def same_page(case: Case) -> list[str]:
    """Check ``url.same_page``."""
    same = same_page_key(case["input"]["a"]) == same_page_key(case["input"]["b"])
    return differences(case["expect"], {"same": same})
