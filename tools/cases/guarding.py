"""The guard: which addresses may be fetched, with the name server that a case describes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from citeseek.errors import CiteseekError, NetworkError
from citeseek.guard import Allowed, Guard
from tools.cases import Case
from tools.cases.expectations import differences


class Names:
    """A name server that answers as a case says, ``dns_sequence`` one answer after the other."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._answers: dict[str, list[list[str]]] = {
            host.removesuffix("."): [addresses] for host, addresses in given.get("dns", {}).items()
        } | {host: list(answers) for host, answers in given.get("dns_sequence", {}).items()}

    async def __call__(self, host: str) -> Sequence[str]:
        """Return the next answer for ``host``, the last one for ever."""
        answers = self._answers.get(host)
        if not answers:
            raise NetworkError(f"The host {host} was not found.")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def check(case: Case) -> list[str]:
    """Check ``url.guard``."""
    given = case["input"]
    guard = Guard(Allowed.of(tuple(given.get("allow_networks", ()))), resolver=Names(given))
    try:
        asyncio.run(guard.check(given["url"]))
        allowed = True
    except NetworkError:
        return [f"no answer for the name in {given['url']!r}"]
    except CiteseekError:
        allowed = False
    return differences(case["expect"], {"allowed": allowed})
