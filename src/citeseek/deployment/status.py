"""What runs: a SearXNG that was started here, and whether it is well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from citeseek.deployment import address
from citeseek.deployment.files import SETTINGS_FILE

if TYPE_CHECKING:
    from citeseek.deployment.docker import Docker
    from citeseek.deployment.native import Native


class Status(msgspec.Struct, frozen=True, omit_defaults=True):
    """A SearXNG that runs. ``since`` is a time, or Docker's words for it.

    ``pid`` is 0 for a container; ``url`` is empty when no port of this machine leads to it.
    """

    how: Literal["native", "docker"]
    healthy: bool
    url: str
    port: int
    since: str
    settings: str
    pid: int = 0
    log: str = ""


def of_native(native: Native) -> Status | None:
    """Return the status of the SearXNG without Docker, None when none runs."""
    if not (running := native.running()):
        return None
    return Status(
        how="native",
        healthy=address.is_well(running.port),
        url=address.url(running.port),
        port=running.port,
        since=running.since,
        settings=running.settings,
        pid=running.pid,
        log=str(native.log),
    )


def of_docker(docker: Docker) -> Status | None:
    """Return the status of the SearXNG in Docker, None when none runs."""
    if not (state := docker.state()):
        return None
    port = docker.port()
    return Status(
        how="docker",
        healthy=bool(port) and address.is_well(port),
        url=address.url(port) if port else "",
        port=port,
        since=str(state.get("Status", "")),
        settings=str((docker.folder / SETTINGS_FILE).absolute()),
    )
