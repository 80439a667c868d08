"""The rules of the Compose specification that our file has to do with, checked without Docker."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

DURATION = re.compile(r"(\d+(us|ms|s|m|h))+")
PORT = re.compile(r"(?:(?P<host>[\d.]+):)?(?P<published>\d{1,5}):(?P<target>\d{1,5})")
VOLUME = re.compile(r"(?P<source>[\w./-]+):(?P<target>/[\w./-]+)(:(?P<mode>[a-zA-Z,]+))?")
IMAGE = re.compile(r"[a-z0-9.]+/[a-z0-9/-]+:(\$\{[A-Z_]+:-[\w.-]+\}|[\w.-]+)")
RESTART = {"no", "always", "on-failure", "unless-stopped"}
MODES = {"ro", "rw", "z", "Z"}


def faults(content: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the content of a compose file, nothing when all is well."""
    found = [f"unknown: {name}" for name in content if name not in TOP]
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", content.get("name", "x")):
        found.append("name")
    declared = set(content.get("volumes") or {})
    services = content.get("services") or {}
    if not services:
        found.append("no services")
    for name, service in services.items():
        found += [f"{name}: {fault}" for fault in _of_service(service, declared, set(services))]
    return found


def _of_service(service: Mapping[str, Any], volumes: set[str], services: set[str]) -> list[str]:
    found = [f"unknown: {key}" for key in service if key not in RULES]
    found += [key for key, rule in RULES.items() if key in service and not rule(service[key])]
    if "image" not in service:
        found.append("no image")
    for each in service.get("volumes", []):
        source = each.partition(":")[0]
        if not source.startswith((".", "/")) and source not in volumes:
            found.append(f"the volume {source} is not declared")
    found += [f"depends on {name}" for name in set(service.get("depends_on", [])) - services]
    return found


def _is_volume(text: str) -> bool:
    match = VOLUME.fullmatch(text)
    return bool(match) and set((match["mode"] or "rw").split(",")) <= MODES


def _is_port(text: object) -> bool:
    # A bare 22:22 would be read as a number to the base of 60.
    match = PORT.fullmatch(text) if isinstance(text, str) else None
    return bool(match) and all(0 < int(match[key]) < 65_536 for key in ("published", "target"))


def _is_healthcheck(check: Mapping[str, Any]) -> bool:
    test = check.get("test")
    return (
        set(check) <= {"test", "interval", "timeout", "retries", "start_period"}
        and isinstance(test, list)
        and test[0] in ("CMD", "CMD-SHELL")
        and (test[0] == "CMD" or len(test) == 2)
        and isinstance(check.get("retries", 1), int)
        and all(
            DURATION.fullmatch(check[key])
            for key in ("interval", "timeout", "start_period")
            if key in check
        )
    )


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


TOP = {"name", "services", "volumes"}
RULES: dict[str, Callable[[Any], bool]] = {
    "image": lambda image: bool(IMAGE.fullmatch(image)),
    "restart": lambda policy: policy in RESTART,
    "ports": lambda ports: all(map(_is_port, ports)),
    "volumes": lambda volumes: all(map(_is_volume, volumes)),
    # Without quotes, true and 1 would be refused or change their look.
    "environment": lambda env: all(isinstance(value, str) for value in env.values()),
    "healthcheck": _is_healthcheck,
    "command": _are_texts,
    "depends_on": _are_texts,
    "extra_hosts": lambda hosts: all(re.fullmatch(r"[\w.-]+:[\w.-]+", host) for host in hosts),
    "tmpfs": _are_texts,
    "logging": lambda logging: all(isinstance(v, str) for v in logging["options"].values()),
}
