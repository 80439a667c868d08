"""A fetcher over real connections, whose names lead to loopback servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from citeseek.errors import NetworkError
from citeseek.extraction import extract
from citeseek.fetching import Fetcher, FetchOptions
from citeseek.guard import Allowed, Guard
from citeseek.http import Transports
from citeseek.models import Page
from citeseek.sandbox import Sandbox

LOOPBACK = ("127.0.0.0/8",)


class Names:
    """A name server that gives each name its answers one after the other, the last for ever."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {host: list(several) for host, several in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host not in self._answers:
            raise NetworkError(f"The host {host} was not found.", detail_code="name_not_found")
        answers = self._answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


@asynccontextmanager
async def fetcher(
    names: Mapping[str, Sequence[Sequence[str]]] | None = None,
    *,
    allow: tuple[str, ...] = LOOPBACK,
    **options: Any,
) -> AsyncIterator[Fetcher]:
    """Give a fetcher that may read from loopback and asks no host twice in a row for nothing."""
    transports = Transports()
    guard = Guard(Allowed.of(allow), resolver=Names(names or {}))
    chosen = FetchOptions(**{"delay_seconds": 0.0, "seconds": 5.0, **options})
    sandbox = Sandbox()
    # Its libraries are imported by then: on a busy machine that takes longer than a fetch may.
    await sandbox.run(extract, page=Page(url="https://tea.example/", body=b"<p>Tea."))
    try:
        yield Fetcher(chosen, transports.pages, sandbox=sandbox, guard=guard)
    finally:
        await sandbox.close()
        await transports.close()
