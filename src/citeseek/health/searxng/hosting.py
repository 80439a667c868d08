"""How and where a SearXNG runs, as far as this machine knows: it decides what mends it.

Its address is told as it may be shown, and as it is copied into commands.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import structs

from citeseek.health.connectivity import addresses
from citeseek.health.finding import Phrase, phrase
from citeseek.parsing.json_body import string
from citeseek.searxng_host.files import COMPOSE_FILE, SETTINGS_FILE
from citeseek.searxng_host.searxng_process import StateFile

# Started here without Docker; started here with it; somebody's container; a process of this machine
# that nobody here started; on this machine, and nothing more is known; on another machine.
Way: TypeAlias = Literal["native", "compose", "docker", "process", "local", "remote"]

_NAME_SECONDS = 0.5
HOST_OUTSIDE = "host.docker.internal"
# What Docker and Podman put into each container.
CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_DOCKER_SECONDS = 0.6
# The project's name in our docker-compose.yml.
PROJECT = "citeseek-searxng"
_LABEL = "com.docker.compose"
# Names and folders that can stand in a command and in a table of ours.
_PLAIN = re.compile(r"[\w][\w.-]*")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of it, as commands and the heads of files name it.

    ``folder`` is that of one that was started here, as an argument with a space before it, and
    ``settings`` its settings.yml.
    ``container``, ``compose`` and ``service`` are Docker's names; ``image`` is that of a container
    which no Compose started. ``outward`` is a proxy that leads to the Internet.
    """

    way: Way = "local"
    folder: str = ""
    settings: str | Phrase = SETTINGS_FILE
    container: str = "searxng"
    compose: str = "docker compose"
    service: str = "searxng"
    image: str = ""
    outward: str = ""


async def locate(
    base_url: str,
    *,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
    by_proxy: bool = False,
    is_alive: bool = True,
) -> Place:
    """Return where the SearXNG of ``base_url`` runs, within a second or so.

    ``home`` has the notes of what was started here; without ``env`` Docker is not asked. Unless it
    ``is_alive``, a container that has stopped may be it. With ``by_proxy`` no name is looked up.
    """
    host = urlsplit(base_url).hostname or ""
    if not await _is_here(host, look_up=not by_proxy):
        return Place(
            way="remote", settings=phrase("settings_on_host", file=SETTINGS_FILE, host=host)
        )
    if home and (settings := _find_own_settings(home, port_of(base_url))):
        return Place(
            way="native",
            folder=f" {shlex.quote(str(settings.parent))}",
            settings=str(settings),
        )
    if env is None:
        return Place()
    found = await list_containers(env, is_alive=is_alive)
    if found is None:
        return Place()
    container = container_at(found, port_of(base_url), is_alive=is_alive)
    return _in_docker(container) if container else Place(way="process")


async def host_outside(*, seconds: float) -> str | None:
    """Return the name of the machine around the container that this program runs in, if any."""
    is_inside = any(mark.exists() for mark in CONTAINER_MARKS)
    return HOST_OUTSIDE if is_inside and await addresses(HOST_OUTSIDE, seconds=seconds) else None


def with_way_out(place: Place, proxy: str | None) -> Place:
    """Return ``place`` with the ``proxy`` that this machine reaches the Internet through."""
    parts = urlsplit(proxy or "http://127.0.0.1:7890")
    host, port = parts.hostname or "", parts.port or 1080
    is_own = host in LOOPBACK
    if is_own and place.way in ("compose", "docker", "local"):
        host = HOST_OUTSIDE
    host = f"[{host}]" if ":" in host else host
    login = "USER:PASSWORD@" if parts.username else ""
    return structs.replace(place, outward=f"{parts.scheme}://{login}{host}:{port}")


async def _is_here(host: str, *, look_up: bool) -> bool:
    if host in LOOPBACK or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return _is_own(str(ipaddress.ip_address(host.partition("%")[0])))
    # A name of one word is one of Docker's more often than one of this machine's.
    if not look_up or "." not in host:
        return False
    ips = await addresses(host, seconds=_NAME_SECONDS)
    return bool(ips) and all(_is_own(ip) for ip in ips)


def _is_own(ip: str) -> bool:
    """Whether ``ip`` is an address of this machine: only those can be bound to."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trying:
        trying.bind((ip, 0))
        return True
    return False


def _find_own_settings(home: Path, port: int) -> Path | None:
    """Return the settings.yml of the SearXNG without Docker that has, or had, ``port``."""
    noted = StateFile(home.absolute() / "searxng" / "process.json").read()
    return Path(noted.settings) if noted and noted.port == port else None


def _in_docker(container: Container) -> Place:
    folder = Path(container.folder) if container.folder else None
    settings = folder / SETTINGS_FILE if folder else None
    place = Place(
        way="compose" if container.is_ours and folder else "docker",
        container=container.name,
        settings=str(settings) if settings and settings.is_file() else SETTINGS_FILE,
    )
    if folder is None or not (folder / COMPOSE_FILE).is_file():
        return structs.replace(place, way="docker", image=container.image)
    return structs.replace(
        place,
        folder=f" {shlex.quote(str(folder))}",
        compose=f"docker compose --project-directory {shlex.quote(str(folder))}",
        service=shlex.quote(container.service),
    )


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


async def list_containers(env: Mapping[str, str], *, is_alive: bool) -> list[Container] | None:
    """Return all containers; None when Docker does not tell us, or not in time.

    A Docker that is not running has none that ``is_alive``; of one that is not, nobody knows.
    """
    return await asyncio.to_thread(_run_docker, env, is_alive=is_alive) if _has_docker(env) else []


def container_at(found: Iterable[Container], port: int, *, is_alive: bool) -> Container | None:
    """Return the container whose SearXNG is at ``port`` of this machine.

    A container that has stopped tells no port; unless a server ``is_alive`` there, it may be it.
    """
    searxngs = [c for c in found if "searxng" in c.image.lower()]
    running = (c for c in searxngs if port in c.ports)
    stopped = [c for c in searxngs if not c.is_running]
    likely = stopped[0] if len(stopped) == 1 and not is_alive else None
    return next(running, likely)


def _run_docker(env: Mapping[str, str], *, is_alive: bool) -> list[Container] | None:
    command = ("docker", "ps", "--all", "--no-trunc", "--format", "{{json .}}")
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(  # noqa: S603 - our own command
            command,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_DOCKER_SECONDS,
            check=False,
        )
        if done.returncode == 0:
            read = (_read_container(line) for line in done.stdout.splitlines())
            return [container for container in read if container]
        return [] if is_alive and "denied" not in done.stderr.lower() else None
    return None


def _read_container(line: str) -> Container | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict) or not _PLAIN.fullmatch(string(entry.get("Names"))):
        return None
    labels = dict(
        pair.partition("=")[::2] for pair in string(entry.get("Labels")).split(",") if "=" in pair
    )
    return Container(
        name=string(entry["Names"]),
        image=string(entry.get("Image")),
        ports=frozenset(int(port) for port in re.findall(r":(\d+)->", string(entry.get("Ports")))),
        is_running=string(entry.get("State")) == "running",
        folder=labels.get(f"{_LABEL}.project.working_dir", ""),
        service=labels.get(f"{_LABEL}.service", ""),
        is_ours=labels.get(f"{_LABEL}.project") == PROJECT,
    )


LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PROXY_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
# Stands where a name and a password have to be written.
LOGIN = "USER:PASSWORD"


def bare(url: str) -> str:
    """Return ``url`` as it may be shown and copied into commands.

    It has no name and password, and nothing in it means something to a shell.
    """
    parts = urlsplit(url)
    without = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return quote(without.geturl(), safe="/:%[]@,+=~")


def with_login(url: str) -> str:
    """Return ``url`` as :func:`bare` does, with a place for name and password."""
    scheme, _, rest = bare(url).partition("://")
    return f"{scheme}://{LOGIN}@{rest}"


def has_login(url: str) -> bool:
    """Whether there are a name and a password in ``url``."""
    return "@" in urlsplit(url).netloc


def port_of(url: str) -> int:
    """Return the port that ``url`` leads to."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def proxy_port(url: str) -> int:
    """Return the port of the proxy at ``url``."""
    parts = urlsplit(url)
    return parts.port or _PROXY_PORTS[parts.scheme]


def bypass(old: str | None, *hosts: str) -> str:
    """Return NO_PROXY as it is written in a shell: ``old``, this machine and ``hosts``."""
    named = [name for name in map(str.strip, (old or "").split(",")) if name]
    return shlex.quote(",".join(dict.fromkeys((*named, *hosts, *LOOPBACK))))
