"""What runs: a SearXNG that was started here, and whether searches on it can work."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from citeseek.concurrency.clock import Deadline
from citeseek.searxng_host import address
from citeseek.searxng_host.files import SETTINGS_FILE

if TYPE_CHECKING:
    from citeseek.searxng_host.docker import Docker
    from citeseek.searxng_host.native import Native
    from citeseek.searxng_host.searxng_process import Running

# Beside Docker's own words, that of a process which was started and never stopped.
DIED = "died"
# That of one which was stopped for a restart that did not come to its end.
STOPPED = "stopped"
SECONDS = 4.0
MAX_BYTES = 4_000_000
# The limiter always refuses this name, so that asking takes nothing from what an address may ask.
_HEADERS = {"User-Agent": "curl (citeseek)", "Accept": "application/json"}
_OK, _BAD_REQUEST, _FORBIDDEN, _LIMITED = 200, 400, 403, 429
_CHUNK = 65_536


class Status(msgspec.Struct, frozen=True, omit_defaults=True):
    """A SearXNG that was started here and not stopped. ``since`` is a time, or Docker's words.

    ``state`` is ``running``, ``died``, ``stopped`` or Docker's word for its container. ``problem``
    is what keeps searches from working, as a code of ``citeseek doctor``. ``pid`` is 0 for a
    container; ``url`` is empty when no port of this machine leads to it.
    """

    how: Literal["native", "docker"]
    running: bool
    state: str
    healthy: bool
    url: str
    port: int
    since: str
    settings: str
    problem: str = ""
    pid: int = 0
    log: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing left that could come back by itself."""
        return self.state in (DIED, STOPPED, "created", "exited", "dead", "removing")


def of_native(native: Native, running: Running) -> Status:
    """Return the status of the SearXNG without Docker, alive or not."""
    is_alive = running.is_alive
    ended = STOPPED if running.stopped else DIED
    problem = search_problem(running.port) if is_alive else ""
    return Status(
        how="native",
        running=is_alive,
        state="running" if is_alive else ended,
        healthy=is_alive and not problem,
        url=address.url(running.port),
        port=running.port,
        since=running.since,
        settings=running.settings,
        problem=problem,
        pid=running.pid,
        log=str(native.log),
    )


def of_docker(docker: Docker) -> Status | None:
    """Return the status of the SearXNG in Docker, None when there is no container of it.

    Raise DeploymentFailed when Docker does not tell.
    """
    if not (container := docker.container()):
        return None
    port = docker.port() if container.runs else 0
    problem = search_problem(port) if port else ""
    return Status(
        how="docker",
        running=container.runs,
        state=container.state,
        healthy=bool(port) and not problem,
        url=address.url(port) if port else "",
        port=port,
        since=container.status,
        settings=str((docker.folder / SETTINGS_FILE).absolute()),
        problem=problem,
    )


def search_problem(port: int, *, seconds: float = SECONDS) -> str:
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
    body = _json(config)
    engines = body.get("engines") if isinstance(body, dict) else None
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
