"""A backend of the contract that somebody else wrote, made an engine of the one service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from citeseek.tools.outputs import item_list


class Backend(Protocol):
    """What answers searches: an id, and one coroutine that does the work.

    It returns ``{"items": […]}``, each item a mapping with ``title``, ``url`` and ``snippet``; the
    rest of the contract is done for it. It raises :class:`~citeseek.errors.SearchFailed`; any other
    exception is reported as :class:`~citeseek.errors.WebProviderError`.
    """

    id: str

    async def search(self, query: str, *, max_results: int, timeout_ms: int) -> Any:
        """Return up to ``max_results`` results for ``query`` within ``timeout_ms``."""
        ...


class BackendEngine:
    """``backend`` as a plain engine that gives it ``timeout_ms`` with each search."""

    def __init__(self, backend: Backend, timeout_ms: int) -> None:
        self.id = backend.id
        self._backend = backend
        self._timeout_ms = timeout_ms

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        """Return the backend's items as they are."""
        found = await self._backend.search(
            query, max_results=num_results, timeout_ms=self._timeout_ms
        )
        return item_list(found, self.id)
