"""One search tried on an instance, and what its answer says of the instance and its engines."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from citeseek.errors import SearchFailed, Timeout, WebParseError
from citeseek.health.finding import Finding, Phrase
from citeseek.health.searxng.instance_config import general_engines, is_unlimited
from citeseek.health.searxng.probe import CANARY, LIMITED, OK, Instance, is_guarded
from citeseek.health.searxng.unreachable import asks_for_password, follow
from citeseek.models import Failure, Page
from citeseek.parsing.json_body import dicts, json_object, string
from citeseek.text import plain_line, shorten

SLOW_SECONDS = 3.0
BAD_REQUEST, UNAUTHORIZED, FORBIDDEN = 400, 401, 403
_MANY = 8
# Why a refusal is not SearXNG's own.
_LIMITER_OFF = Phrase("limiter_off")
_JSON_ON = Phrase("json_on")
# What is wrong with an answer that is meant to be JSON.
_EMPTY = Phrase("is_empty")
_CUT = Phrase("is_cut")
_NO_LIST = Phrase("has_no_results")
_INTO_LIST = (
    "# ${inside_the_existing_engines_as_entries}\n"
    "# ${where_the_list_has_the_name}\n"
    "# ${is_there_none_write_engines_first}"
)
# What is done with the answer to see that.
_LENGTH = ("wc -c  # ", Phrase("shows_0"))
_PLACE = ("python3 -m json.tool  # ", Phrase("shows_where_it_is_broken"))
_BEGINNING = ("head -c 300  # ", Phrase("whose_answer"))
# Words of SearXNG's own reasons for failures on the way to a site.
_OF_THE_NETWORK = ("connection", "network", "ssl", "proxy", "protocol")
_UNREACHED = (*_OF_THE_NETWORK, "timeout")
# Words of its reasons, and the line that mends such a failure.
_REMEDIES = (
    (("captcha", "denied", "too many", *_OF_THE_NETWORK), "@way_out"),
    (("timeout",), "@more_time"),
    (_OF_THE_NETWORK, "@internet"),
    (("parsing", "crash", "http error"), "@update"),
)


async def try_search(instance: Instance, facts: dict[str, Any], *, language: str) -> list[Finding]:
    """Search once and say what came of it; ``facts`` are the instance's configuration, if known."""
    seconds = instance.left
    began = time.monotonic()
    try:
        page = await instance.search(language=language)
    except Timeout:
        return [instance.state("search_timeout", seconds=f"{seconds:.1f}")]
    except SearchFailed as error:
        return [instance.state("search_failed", problem=Failure.of(error))]
    # A search follows redirects on the same host as well.
    led_to = await follow(instance, page)
    if isinstance(led_to, Finding):
        return [led_to]
    page = led_to
    took = time.monotonic() - began
    if page.status != OK:
        return [await _refusal_finding(instance, page, facts, language)]
    found = _read(page, instance, language=language, took=took)
    if found[0].code == "nothing_found" and facts and not general_engines(facts):
        return [instance.state("no_engines")]
    if took > SLOW_SECONDS:
        found.append(instance.state("slow", took=f"{took:.1f}"))
    return found


async def _refusal_finding(
    instance: Instance, page: Page, facts: dict[str, Any], language: str
) -> Finding:
    """Tell the refusals of a search apart."""
    status = page.status
    if status == LIMITED:
        if is_unlimited(facts):
            return instance.state("refused_before", reason=_LIMITER_OFF, status=status)
        return instance.state("limiter")
    if is_guarded(page):
        return instance.state("guarded")
    if status in (UNAUTHORIZED, FORBIDDEN):
        return await _not_let_in(instance, status)
    if status == BAD_REQUEST and "language" in _error(page):
        return instance.state("language_refused", language=language)
    return instance.state("search_failed", problem=f"HTTP {status}")


async def _not_let_in(instance: Instance, status: int) -> Finding:
    """Tell JSON that is off from a login, and from others that refuse."""
    if status == FORBIDDEN and await instance.takes_json():
        return instance.state("refused_before", reason=_JSON_ON, status=status)
    is_json = status == FORBIDDEN and await instance.answers_as_html()
    return instance.state("json_format_disabled" if is_json else "access_refused", status=status)


def _read(page: Page, instance: Instance, *, language: str, took: float) -> list[Finding]:
    """Return the findings of an answer with status 200; ``took`` are its seconds."""
    try:
        answer = json_object(page)
    except WebParseError:
        return [_no_json(page, instance)]
    if not isinstance(answer.get("results"), list):
        return [instance.state("damaged_answer", damage=_NO_LIST, look=_BEGINNING)]
    count = len(dicts(answer["results"]))
    failures = _failures(answer.get("unresponsive_engines"))
    if count:
        took_ms = round(took * 1000)
        well = instance.state("ok", count=count, took_ms=took_ms, language=language)
        return [well, _some_failed(instance, failures)] if failures else [well]
    if failures:
        return [_all_failed(instance, failures)]
    return [instance.state("nothing_found", canary=CANARY)]


def _no_json(page: Page, instance: Instance) -> Finding:
    """Tell JSON that is damaged from what is none, and from pages that stand in the way."""
    start = page.body.lstrip()[:1]
    if not start:
        return instance.state("damaged_answer", damage=_EMPTY, look=_LENGTH)
    if start in (b"{", b"[") or "json" in _kind(page):
        if _is_json(page.body):
            return instance.state("damaged_answer", damage=_NO_LIST, look=_BEGINNING)
        return instance.state("damaged_answer", damage=_CUT, look=_PLACE)
    if is_guarded(page):
        return instance.state("guarded")
    if asks_for_password(page):
        return instance.state("login_wall", found=instance.base_url)
    return instance.state("api_not_enabled", kind=_kind(page) or Phrase("no_type"))


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _some_failed(instance: Instance, failures: dict[str, str]) -> Finding:
    disabled = "\n".join(f"  - name: {_quote(name)}\n    disabled: true" for name in failures)
    off = f"# ${{disable_those_that_fail}}\n{_INTO_LIST}\n{disabled}"
    # A restart reads the new lines, and ends suspensions, which live in memory.
    more = (*_remedies(failures), off, "@restart")
    return instance.state("engines_failing", failures=_list_failures(failures), more=more)


def _all_failed(instance: Instance, failures: dict[str, str]) -> Finding:
    """Tell a way to the Internet that there is not from sites that refuse or have changed."""
    reasons = [reason.lower() for reason in failures.values()]
    if all(any(word in reason for word in _UNREACHED) for reason in reasons):
        return instance.state("engines_unreachable", failures=_list_failures(failures))
    more = (*_remedies(failures), "@restart")
    return instance.state("engines_failed", failures=_list_failures(failures), more=more)


def _remedies(failures: dict[str, str]) -> tuple[str, ...]:
    reasons = " ".join(failures.values()).lower()
    return tuple(line for words, line in _REMEDIES if any(word in reasons for word in words))


def _list_failures(failures: dict[str, str]) -> str:
    shown = [f"{name} ({reason})" for name, reason in failures.items()]
    if len(shown) > _MANY:
        shown[_MANY:] = [f"… {len(shown)}"]
    return "、".join(shown)


def _failures(value: object) -> dict[str, str]:
    """Return each engine that failed and why, both cut to what fits on a line."""
    pairs = [p for p in value if isinstance(p, list)] if isinstance(value, list) else []
    return {_short(pair[0]): _short(pair[1]) for pair in pairs if len(pair) > 1}


def _quote(name: str) -> str:
    """Return ``name`` as YAML, in a text whose dollar signs stand for values."""
    plain = re.fullmatch(r"[\w][\w .-]*", name)
    return name if plain else json.dumps(name, ensure_ascii=False).replace("$", "$$")


def _short(value: object) -> str:
    return shorten(plain_line(str(value)), 60)


def _kind(page: Page) -> str:
    kind = page.headers.get("content-type", "").partition(";")[0].strip()
    return shorten(plain_line(kind), 60)


def _error(page: Page) -> str:
    try:
        return string(json_object(page).get("error"))
    except WebParseError:
        return ""
