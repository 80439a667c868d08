"""Addresses: what a result links to, and whether two of them are one page."""

from __future__ import annotations

from citeseek.urls import same_page_key, target
from tools.cases import Case, unequal, unknown_keys
from tools.cases.names import engine_named


def result(case: Case) -> list[str]:
    """Check ``url.result``."""
    given, expect = case["input"], case["expect"]
    engine = engine_named(given["engine"])
    url = target(given["raw"], given["page_url"], engine.wrappers)
    found = unknown_keys(expect, {"url", "url_any", "drop"})
    if "drop" in expect:
        found += unequal("drop", expect["drop"], url is None)
    if "url" in expect:
        found += unequal("url", expect["url"], url)
    if "url_any" in expect and url not in expect["url_any"]:
        found.append(f"expected one of {expect['url_any']}, got {url!r}")
    return found


def same_page(case: Case) -> list[str]:
    """Check ``url.same_page``."""
    same = same_page_key(case["input"]["a"]) == same_page_key(case["input"]["b"])
    return unequal("same", case["expect"]["same"], same)
