"""What Docker Compose prints, in the shapes of its versions, as values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from citeseek.searxng_host import DeploymentFailed
from citeseek.searxng_host.address import MAX_PORT

_SHOWN = 80


class ComposeContainer(msgspec.Struct, frozen=True):
    """One container: its service, its state in Docker's word, and more of it in Docker's words."""

    service: str
    state: str
    status: str

    @property
    def runs(self) -> bool:
        """Whether it serves."""
        return self.state == "running"

    @property
    def has_ended(self) -> bool:
        """Whether it does nothing any more, or never began."""
        return self.state in ("created", "exited", "dead", "removing")


def containers(printed: str) -> list[ComposeContainer]:
    """Read ``docker compose ps --format json``. Raise DeploymentFailed for anything else."""
    found = []
    for each in _objects(printed):
        state, service = each.get("State"), each.get("Service")
        if not isinstance(state, str) or not isinstance(service, str):
            raise _not_understood("ps", printed)
        words = each.get("Status") or state
        found.append(ComposeContainer(service=service, state=state.lower(), status=str(words)))
    return found


def published_port(printed: str, service: str, target: int) -> int:
    """Read ``docker compose config --format json``: the port of this machine, 0 for none.

    Raise DeploymentFailed for anything else.
    """
    try:
        content = json.loads(printed)
        ports = content["services"][service].get("ports") or []
        return next(filter(None, (_read_published(each, target) for each in ports)), 0)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _not_understood("config", printed) from None


def number(text: str) -> int:
    """Return the port that ``text`` is, 0 when it is none."""
    is_port = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_PORT))
    return int(text) if is_port and int(text) <= MAX_PORT else 0


def _objects(printed: str) -> Iterator[dict[str, Any]]:
    """Yield what is printed: a list in older versions, a line for each in newer ones."""
    try:
        whole = json.loads(printed) if printed.strip() else []
    except (ValueError, RecursionError):
        try:
            whole = [json.loads(line) for line in printed.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise _not_understood("ps", printed) from None
    for each in whole if isinstance(whole, list) else [whole]:
        if each is None:
            continue
        if not isinstance(each, dict):
            raise _not_understood("ps", printed)
        yield each


def _read_published(port: Any, target: int) -> int:
    """Return the port of this machine when ``port``, an object or its short form, is ``target``."""
    if isinstance(port, dict):
        matches, published = str(port.get("target")) == str(target), port.get("published", "")
    else:
        rest, _, inside = str(port).rpartition(":")
        matches, published = inside.partition("/")[0] == str(target), rest.rpartition(":")[2]
    return number(str(published)) if matches else 0


def _not_understood(question: str, printed: str) -> DeploymentFailed:
    lines = printed.strip().splitlines()
    shown = repr(lines[0][:_SHOWN]) if lines else "nothing"
    return DeploymentFailed(
        f"docker compose {question} printed what is not understood ({shown}).",
        hint="`docker compose version` shows its version; 2.0 or newer is needed.",
        values={"case": "compose_odd", "command": question, "shown": shown},
    )
