"""The containers of this machine that may be a SearXNG, as Docker tells of them."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

from citeseek.parsing.json_body import string

SECONDS = 0.6
# The project's name in our docker-compose.yml.
PROJECT = "citeseek-searxng"
_LABEL = "com.docker.compose"
# Names and folders that can stand in a command and in a table of ours.
_PLAIN = re.compile(r"[\w][\w.-]*")


class Container(msgspec.Struct, frozen=True):
    """One container; ``folder`` and ``service`` are Compose's, empty when it was not started so."""

    name: str
    image: str
    ports: frozenset[int]
    is_running: bool
    folder: str
    service: str
    is_ours: bool


def _has_docker(env: Mapping[str, str]) -> bool:
    """Whether there is a program ``docker``."""
    return shutil.which("docker", path=env.get("PATH")) is not None


async def all_of(env: Mapping[str, str], *, is_alive: bool) -> list[Container] | None:
    """Return all containers; None when Docker does not tell us, or not in time.

    A Docker that is not running has none that ``is_alive``; of one that is not, nobody knows.
    """
    return await asyncio.to_thread(_asked, env, is_alive=is_alive) if _has_docker(env) else []


def serving(found: Iterable[Container], port: int, *, is_alive: bool) -> Container | None:
    """Return the container whose SearXNG is at ``port`` of this machine.

    A container that has stopped tells no port; unless a server ``is_alive`` there, it may be it.
    """
    searxngs = [c for c in found if "searxng" in c.image.lower()]
    running = (c for c in searxngs if port in c.ports)
    stopped = [c for c in searxngs if not c.is_running]
    likely = stopped[0] if len(stopped) == 1 and not is_alive else None
    return next(running, likely)


def _asked(env: Mapping[str, str], *, is_alive: bool) -> list[Container] | None:
    command = ("docker", "ps", "--all", "--no-trunc", "--format", "{{json .}}")
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(  # noqa: S603 - our own command
            command,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        if done.returncode == 0:
            read = (_read(line) for line in done.stdout.splitlines())
            return [container for container in read if container]
        return [] if is_alive and "denied" not in done.stderr.lower() else None
    return None


def _read(line: str) -> Container | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or not _PLAIN.fullmatch(string(told.get("Names"))):
        return None
    labels = dict(
        pair.partition("=")[::2] for pair in string(told.get("Labels")).split(",") if "=" in pair
    )
    return Container(
        name=string(told["Names"]),
        image=string(told.get("Image")),
        ports=frozenset(int(port) for port in re.findall(r":(\d+)->", string(told.get("Ports")))),
        is_running=string(told.get("State")) == "running",
        folder=labels.get(f"{_LABEL}.project.working_dir", ""),
        service=labels.get(f"{_LABEL}.service", ""),
        is_ours=labels.get(f"{_LABEL}.project") == PROJECT,
    )
