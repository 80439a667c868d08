"""What runs: a SearXNG that was started here, and whether searches on it can work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from citeseek.searxng_host import address, probe
from citeseek.searxng_host.files import SETTINGS_FILE

if TYPE_CHECKING:
    from citeseek.searxng_host.docker import Docker
    from citeseek.searxng_host.native import Native
    from citeseek.searxng_host.state import Running

# Beside Docker's own words, that of a process which was started and never stopped.
DIED = "died"
# That of one which was stopped for a restart that did not come to its end.
STOPPED = "stopped"


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
    problem = probe.problem(running.port) if is_alive else ""
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
    problem = probe.problem(port) if port else ""
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
