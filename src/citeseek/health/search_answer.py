"""What an instance's answer to a search says of its engines."""

from __future__ import annotations

import json
import re

from citeseek.errors import WebParseError
from citeseek.health.finding import Finding
from citeseek.health.instance import CANARY, is_guarded
from citeseek.health.searxng_state import state
from citeseek.models import Page
from citeseek.payload import dicts, json_object
from citeseek.text import plain_line, shorten

_MANY = 8
# Words of SearXNG's own reasons, and the line that mends such a failure.
_REMEDIES = (
    (("captcha", "denied", "too many"), "@way_out"),
    (("timeout",), "@more_time"),
    (("connection", "network", "ssl", "proxy"), "@internet"),
    (("parsing", "crash", "http error"), "@update"),
    # Suspensions live in its memory.
    (("suspended",), "@restart"),
)


def read_answer(page: Page, base_url: str, *, language: str, took: float) -> list[Finding]:
    """Return the findings of an answer with status 200; ``took`` are its seconds."""
    try:
        answer = json_object(page)
    except WebParseError:
        if is_guarded(page):
            return [state("guarded", base_url)]
        return [state("api_not_enabled", base_url, kind=_kind(page))]
    if not isinstance(answer.get("results"), list):
        return [state("api_not_enabled", base_url, kind=_kind(page))]
    count = len(dicts(answer["results"]))
    failures = _failures(answer.get("unresponsive_engines"))
    if count:
        took_ms = round(took * 1000)
        well = state("ok", base_url, count=count, took_ms=took_ms, language=language)
        return [well, _engines("engines_failing", base_url, failures)] if failures else [well]
    if failures:
        return [_engines("engines_failed", base_url, failures)]
    return [state("nothing_found", base_url, canary=CANARY)]


def _engines(code: str, base_url: str, failures: dict[str, str]) -> Finding:
    shown = [f"{name} ({reason})" for name, reason in failures.items()]
    if len(shown) > _MANY:
        shown[_MANY:] = [f"… {len(shown)}"]
    reasons = " ".join(failures.values()).lower()
    remedies = [line for words, line in _REMEDIES if any(word in reasons for word in words)]
    disabled = "\n".join(f"  - name: {_quoted(name)}\n    disabled: true" for name in failures)
    off = f"# settings.yml：停用失败的引擎 (disable those that fail)\nengines:\n{disabled}"
    return state(code, base_url, failures="、".join(shown), more=(*remedies, off))


def _failures(value: object) -> dict[str, str]:
    """Return each engine that failed and why, both cut to what fits on a line."""
    pairs = [p for p in value if isinstance(p, list)] if isinstance(value, list) else []
    return {_short(pair[0]): _short(pair[1]) for pair in pairs if len(pair) > 1}


def _quoted(name: str) -> str:
    """Return ``name`` as YAML, in a text whose dollar signs stand for values."""
    plain = re.fullmatch(r"[\w][\w .-]*", name)
    return name if plain else json.dumps(name, ensure_ascii=False).replace("$", "$$")


def _short(value: object) -> str:
    return shorten(plain_line(str(value)), 60)


def _kind(page: Page) -> str:
    kind = page.headers.get("content-type", "").partition(";")[0].strip()
    return shorten(plain_line(kind), 60) or "空白 (nothing)"
