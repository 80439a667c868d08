"""A recorded call run again with what the world gave then: no network, no keys, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeseek import trace
from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.errors import CiteseekError
from citeseek.registry import Registry
from citeseek.replay.kinds import rerun_of
from citeseek.settings import Settings
from citeseek.trace.record import Trace


async def replay(recorded: Trace, *, engines: Iterable[AnyEngine] = ()) -> Trace:
    """Return the trace of ``recorded`` as the program of today runs it.

    ``engines`` are those of the caller, as :class:`~citeseek.client.Client` takes them; engines in
    the plain form need not be there. Nothing is sent and nobody waits. Raise InvalidInput for a
    kind of call that cannot be run again.
    """
    run = rerun_of(recorded.call.kind)
    told = recorded.settings
    settings = Settings.load(
        config=told.get("config", {}), agents=told.get("agents", {}), env=told.get("env", {})
    )
    own = tuple(engines)
    async with Client(settings, engines=(*own, *_stand_ins(recorded, own))) as client:
        with trace.into(None, recorded) as destination:
            try:
                await run(recorded.call.asked, client)
            except CiteseekError:
                if not destination.traces:
                    raise
    return destination.traces[0]


class _StandIn:
    """A plain engine that was installed then; what it found is in the trace."""

    def __init__(self, id_: str) -> None:
        self.id = id_

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        """Find nothing: nobody asks it."""
        del query, num_results
        return ()


def _stand_ins(recorded: Trace, own: Sequence[AnyEngine]) -> list[AnyEngine]:
    known = Registry(own)
    ids = dict.fromkeys(
        str(part.asked.get("engine", ""))
        for part in (recorded.call, *recorded.call.inner("search"))
        for part in part.inner("engine")
        if part.asked.get("kind") == "plain"
    )
    return [_StandIn(id_) for id_ in ids if id_ and known.find(id_) is None]
