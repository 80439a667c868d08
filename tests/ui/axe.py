"""What axe-core, a checker of accessibility, says of a page. It needs a tab with bypass_csp."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def violations(page: Page, *, without: str = "") -> list[str]:
    """Return a line for each element that breaks a rule, empty for a page without fault.

    The rule called ``without`` is left out.
    """
    options: dict[str, Any] = {
        "runOnly": {"type": "tag", "values": TAGS},
        "rules": {without: {"enabled": False}} if without else {},
        "resultTypes": ["violations"],
    }
    found: dict[str, Any] = Axe().run(page, options=options).response
    assert found["passes"], "axe looked at nothing"
    return [
        f"{rule['id']}: {node['html']:.120} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
