"""What is under ``deploy``, read: the containers of the compose file and of the manifests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
SECRET = DEPLOY / "kubernetes/secret.yaml.example"
# Where the image of the Dockerfile is built to, or pushed to.
OURS = ("localhost/citeseek", "registry.example.org/citeseek")

_UNITS = {"s": 1, "m": 60, "h": 3600}
_VARIABLE = re.compile(r"\$\{(\w+)(?:(:[?-])([^}]*))?\}")
_REFERENCE = re.compile(r"\$\((\w+)\)")


@dataclass(frozen=True)
class Container:
    """One container, whoever runs it.

    ``environment`` has every variable, with None for a value that stands elsewhere; ``command`` is
    what an entrypoint gets; ``grace`` are the seconds between SIGTERM and SIGKILL.
    """

    where: str
    name: str
    image: str
    command: tuple[str, ...]
    environment: Mapping[str, str | None]
    grace: float
    replicas: int = 1
    # Seconds of the grace that pass before SIGTERM.
    waits: float = 0
    keys: frozenset[str] = field(default_factory=frozenset)

    def __str__(self) -> str:
        return f"{self.where}-{self.name}"

    @property
    def is_ours(self) -> bool:
        """Whether it runs the image of our Dockerfile."""
        return self.image.rpartition(":")[0] in OURS

    @property
    def parts(self) -> frozenset[str]:
        """The variables that are there to be put into others."""
        values = filter(None, self.environment.values())
        return frozenset(name for value in values for name in _REFERENCE.findall(value))


@cache
def compose() -> Any:
    """Return the compose file as it is written, its merges done."""
    return yaml.safe_load(COMPOSE.read_text())


def variables() -> Iterator[tuple[str, str, str]]:
    """Yield what the compose file takes from ``.env``: name, ``:?``, ``:-`` or nothing, more."""
    for name, how, rest in _VARIABLE.findall(COMPOSE.read_text()):
        yield name, how, rest
    for service in compose()["services"].values():
        for name, value in service.get("environment", {}).items():
            if value is None:
                yield name, "", ""


def filled(text: str, secret: str) -> str:
    """Return ``text`` with a value for each variable: its own, else ``secret``."""
    done = _VARIABLE.sub(lambda found: found[3] if found[2] == ":-" else secret, text)
    return _REFERENCE.sub(secret, done)


@cache
def resources() -> tuple[tuple[str, Any], ...]:
    """Return each resource of the manifests, with the name of its file."""
    return tuple(
        (path.name, resource)
        for path in MANIFESTS
        for resource in yaml.safe_load_all(path.read_text())
    )


def of_kind(kind: str) -> list[Any]:
    """Return the resources of a kind."""
    return [resource for _, resource in resources() if resource["kind"] == kind]


def workloads() -> list[Any]:
    """Return what has pods."""
    return [*of_kind("Deployment"), *of_kind("StatefulSet")]


def containers_of(workload: Any) -> list[Any]:
    """Return all containers of a workload, those that come first as well."""
    spec = workload["spec"]["template"]["spec"]
    return [*spec.get("initContainers", ()), *spec["containers"]]


@cache
def containers() -> tuple[Container, ...]:
    """Return all containers of both."""
    return (*_of_compose(), *_of_kubernetes())


def seconds(text: str) -> float:
    """Return a duration such as ``1m30s``."""
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([smh])", text))


def _of_compose() -> Iterator[Container]:
    for name, service in compose()["services"].items():
        yield Container(
            "compose",
            name,
            service["image"],
            tuple(service.get("command", ())),
            service.get("environment", {}),
            seconds(service["stop_grace_period"]),
            service.get("deploy", {}).get("replicas", 1),
        )


def _of_kubernetes() -> Iterator[Container]:
    maps = {one["metadata"]["name"]: one["data"] for one in of_kind("ConfigMap")}
    for workload in workloads():
        spec = workload["spec"]["template"]["spec"]
        for one in containers_of(workload):
            environment: dict[str, str | None] = {}
            for source in one.get("envFrom", ()):
                environment |= maps[source["configMapRef"]["name"]]
            keys = set()
            for variable in one.get("env", ()):
                environment[variable["name"]] = variable.get("value")
                reference = variable.get("valueFrom", {}).get("secretKeyRef", {})
                keys |= {reference["key"]} if reference else set()
            sleep = one.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
            yield Container(
                "kubernetes",
                one["name"],
                one["image"],
                (*one.get("command", ()), *one.get("args", ())),
                environment,
                spec["terminationGracePeriodSeconds"],
                workload["spec"]["replicas"],
                float(sleep[1]) if sleep else 0,
                frozenset(keys),
            )
