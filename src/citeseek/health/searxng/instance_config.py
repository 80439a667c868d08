"""What the configuration of an instance tells; every key may be missing or of another type."""

from __future__ import annotations

import re
from typing import Any

from citeseek.parsing.json_body import dicts, string


def general_engines(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the engines that a search for web pages asks."""
    return [engine for engine in dicts(facts.get("engines")) if _is_general(engine)]


def is_limited(facts: dict[str, Any]) -> bool:
    """Whether its limiter is on."""
    limiter = facts.get("limiter")
    return isinstance(limiter, dict) and limiter.get("enabled") is True


def is_unlimited(facts: dict[str, Any]) -> bool:
    """Whether it says that its limiter is off; older versions say nothing."""
    limiter = facts.get("limiter")
    return isinstance(limiter, dict) and limiter.get("enabled") is False


def release(facts: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return the day of the version; None for a version that is not named after a day."""
    match = re.match(r"(20\d\d)\.(\d{1,2})\.(\d{1,2})", string(facts.get("version")))
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def is_unknown(language: str, facts: dict[str, Any]) -> bool:
    """Whether engines name the languages that they know, and none of them this one."""
    code = language.partition("-")[0]
    known = set()
    for engine in general_engines(facts):
        for name in (engine.get("languages"), engine.get("regions")):
            names = name if isinstance(name, list) else []
            known |= {str(one).replace("_", "-").partition("-")[0] for one in names}
    return bool(known) and code not in known


def _is_general(engine: dict[str, Any]) -> bool:
    categories = engine.get("categories")
    is_general = isinstance(categories, list) and "general" in categories
    return is_general and engine.get("enabled") is True
