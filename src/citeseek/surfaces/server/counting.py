"""Who counts the requests of a server."""

from __future__ import annotations

from typing import Protocol

from citeseek.observing.operation import Watcher


class Counting(Watcher, Protocol):
    """A watcher that is told of the server's own requests as well."""

    def served(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request whose answer began after ``seconds``."""
        ...
