"""What keeps a SearXNG on this machine from answering searches, found without a search engine."""

from __future__ import annotations

import http.client
import json
from typing import Any

from citeseek.concurrency.deadline import Deadline
from citeseek.searxng_host import address

SECONDS = 4.0
MAX_BYTES = 4_000_000
# The limiter always refuses this name, so that asking takes nothing from what an address may ask.
_HEADERS = {"User-Agent": "curl (citeseek)", "Accept": "application/json"}
_OK, _BAD_REQUEST, _FORBIDDEN, _LIMITED = 200, 400, 403, 429
_CHUNK = 65_536


def problem(port: int, *, seconds: float = SECONDS) -> str:
    """Return what keeps searches from working, as the code of ``citeseek doctor``; empty: nothing.

    It says that it is well, has engines that are on, and answers a search without words in JSON:
    that asks no engine. Whether the engines answer is not looked at. All of it takes ``seconds`` at
    most.
    """
    deadline = Deadline.after(seconds)
    try:
        if _get(port, "/healthz", deadline)[1].strip() != address.WELL:
            return "not_searxng"
        status, config = _get(port, "/config", deadline)
        if status == _LIMITED:
            return "limiter_enabled"
        if status == _OK and not _has_engines(config):
            return "no_engines"
        return _of_search(*_get(port, "/search?format=json", deadline))
    except TimeoutError:
        return "timeout"
    except (OSError, http.client.HTTPException):
        return "refused"


def _of_search(status: int, body: bytes) -> str:
    """Read the answer to a search in JSON that has no words."""
    if status == _BAD_REQUEST and isinstance(_json(body), dict):
        return ""
    codes = {_FORBIDDEN: "json_format_disabled", _LIMITED: "limiter", _OK: "api_not_enabled"}
    return codes.get(status, "search_failed")


def _has_engines(config: bytes) -> bool:
    """Whether an engine for general searches is on; a configuration of another shape has some."""
    told = _json(config)
    engines = told.get("engines") if isinstance(told, dict) else None
    if not isinstance(engines, list):
        return True
    return any(
        isinstance(each, dict) and each.get("enabled") and "general" in each.get("categories", ())
        for each in engines
    )


def _get(port: int, path: str, deadline: Deadline) -> tuple[int, bytes]:
    """Return status and body, read before ``deadline``."""
    connection = http.client.HTTPConnection(address.HOST, port, timeout=deadline.left())
    try:
        connection.request("GET", path, headers=_HEADERS)
        answer = connection.getresponse()
        body = bytearray()
        while len(body) < MAX_BYTES and (chunk := answer.read1(_CHUNK)):
            body += chunk
            if connection.sock is not None:
                connection.sock.settimeout(deadline.left())
        return answer.status, bytes(body)
    finally:
        connection.close()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
