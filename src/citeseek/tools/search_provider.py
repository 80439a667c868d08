"""``web.search``, the tool of the provider contract: one name, one input, one output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citeseek import formats
from citeseek.choosing import engine_name
from citeseek.client import Client
from citeseek.errors import ToolNotFound
from citeseek.faces import AUTO, CONTRACT, OPEN, Face
from citeseek.planning import SearchFields
from citeseek.query import whole_number
from citeseek.registry import folded
from citeseek.settings import Settings
from citeseek.tools import reserved
from citeseek.tools.backend import Backend, BackendEngine
from citeseek.tools.definitions import CONTRACT_WEB_SEARCH, MAX_RESULTS, Definition
from citeseek.tools.options import deadline
from citeseek.tools.over_client import OverClient

MIN_MS, MAX_MS = 100, 120_000


class WebProvider(OverClient):
    """Answers ``web.search``; ``id`` names the engine that is asked, several joined by ``+``.

    ``backend`` is the name of an engine or a :class:`~citeseek.tools.backend.Backend`; ``engines``
    are several names, asked at the same time. Without either the settings of ``face`` decide, of
    which the contract's lead to the offline stub until ``WEB_SEARCH_BACKEND`` says otherwise.
    ``timeout_ms`` (100 to 120,000) is the deadline of a search, by default that of the settings.

    ``client`` does the searching; without one, or for a backend of one's own, a client is opened
    over ``settings`` and closed with the provider. Raise InvalidInput for a name that nobody knows.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        settings: Settings | None = None,
        backend: str | Backend | None = None,
        timeout_ms: int | None = None,
        face: Face = CONTRACT,
        engines: Iterable[str] = (),
    ) -> None:
        if timeout_ms is not None:
            whole_number("timeout_ms", timeout_ms, MIN_MS, MAX_MS)
        self._seconds = None if timeout_ms is None else timeout_ms / 1000
        self._face = face
        if backend is None or isinstance(backend, str):
            super().__init__(client, settings)
            names = (backend,) if backend else tuple(engines)
        else:
            settings = settings or (client.settings if client else Settings.load())
            limit = timeout_ms or round(settings.face(face).seconds.value * 1000)
            super().__init__(None, settings, engines=(BackendEngine(backend, limit),))
            names = (backend.id,)
        self._names = tuple(map(folded, names))
        for name in self._names:
            if name != AUTO:
                self._client.registry.get(name)
        self.id = "+".join(self._names or self._chosen())

    def tools(self) -> tuple[Definition, ...]:
        """Return what this provider answers to."""
        return (CONTRACT_WEB_SEARCH,)

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Search for ``query`` and return ``{"items": […]}``, at most ``max_results`` of them.

        ``locale`` or ``lang``, ``time_range`` and ``site_filter`` are used where the engine can,
        ``budget_ms`` may shorten the deadline; these and unknown fields are never an error. Raise
        ToolNotFound, InvalidInput or SearchFailed.
        """
        if name != CONTRACT_WEB_SEARCH.name:
            raise ToolNotFound(f"There is no tool {name!r:.60} here, only web.search.")
        asked: SearchFields = {"face": self._face}
        asked.update(reserved.asked(arguments))  # type: ignore[typeddict-item]
        if (most := arguments.get("max_results")) is not None:
            asked["count"] = whole_number("max_results", most, 1, MAX_RESULTS)
        if self._names:
            asked["engines"] = self._names
        if (seconds := self._limit(arguments)) is not None:
            asked["seconds"] = seconds
        return formats.contract(await self._client.search(arguments.get("query"), **asked))  # type: ignore[arg-type]

    def _limit(self, arguments: Mapping[str, Any]) -> float | None:
        """Return the deadline where it differs from that of the settings."""
        budget = reserved.budget(arguments)
        if budget is None:
            return self._seconds
        if self._seconds is not None:
            return min(budget, self._seconds)
        settings = self._client.settings
        seconds = settings.face(self._face).seconds.value
        engine = self._client.registry.find(self.id)
        return min(budget, deadline(settings, engine, seconds) if engine else seconds)

    def _chosen(self) -> tuple[str, ...]:
        """Return the names that the settings lead to."""
        settings = self._client.settings
        is_open = self._face.id == OPEN.id
        several: tuple[str, ...] = settings.get("open.engines").value if is_open else ()
        face = settings.face(self._face)
        return several or (engine_name(face, self._client.registry, settings).value,)
