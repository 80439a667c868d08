"""One search tried on an instance, and what its answer says of the instance and its engines."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from citeseek.errors import SearchFailed, Timeout, WebParseError
from citeseek.health.facts import general_engines
from citeseek.health.finding import Finding
from citeseek.health.instance import CANARY, LIMITED, OK, Instance, is_guarded
from citeseek.health.searxng_state import state
from citeseek.models import Page
from citeseek.payload import dicts, json_object, string
from citeseek.text import plain_line, shorten

SLOW_SECONDS = 3.0
BAD_REQUEST, UNAUTHORIZED, FORBIDDEN = 400, 401, 403
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


async def try_search(instance: Instance, facts: dict[str, Any], *, language: str) -> list[Finding]:
    """Search once and say what came of it; ``facts`` are the instance's configuration, if known."""
    url, seconds = instance.base_url, instance.left
    began = time.monotonic()
    try:
        page = await instance.search(language=language)
    except Timeout:
        return [state("search_timeout", url, seconds=f"{seconds:.1f}")]
    except SearchFailed as error:
        return [state("search_failed", url, problem=error.message)]
    took = time.monotonic() - began
    if page.status != OK:
        return [await _refused(instance, page, language)]
    found = _read(page, url, language=language, took=took)
    if found[0].code == "nothing_found" and facts and not general_engines(facts):
        return [state("no_engines", url)]
    if took > SLOW_SECONDS:
        found.append(state("slow", url, took=f"{took:.1f}"))
    return found


async def _refused(instance: Instance, page: Page, language: str) -> Finding:
    """Tell the refusals of a search apart."""
    url, status = instance.base_url, page.status
    if status == LIMITED:
        return state("limiter", url)
    if is_guarded(page):
        return state("guarded", url)
    if status == FORBIDDEN and await instance.answers_as_html():
        return state("json_format_disabled", url, status=status)
    if status in (UNAUTHORIZED, FORBIDDEN):
        return state("access_refused", url, status=status)
    if status == BAD_REQUEST and "language" in _error(page):
        return state("language_refused", url, language=language)
    return state("search_failed", url, problem=f"HTTP {status}")


def _read(page: Page, base_url: str, *, language: str, took: float) -> list[Finding]:
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


def _error(page: Page) -> str:
    try:
        return string(json_object(page).get("error"))
    except WebParseError:
        return ""
