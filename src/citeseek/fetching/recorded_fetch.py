"""What a fetch gets from outside of it, as a trace writes it down and gives it back.

Each class is the real one, which a client installs once; where nothing is recorded it costs a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from citeseek import trace
from citeseek.concurrency.clock import Deadline
from citeseek.errors import WebBlocked
from citeseek.extraction import Document
from citeseek.extras import Fault
from citeseek.fetching.fetcher import Fetcher
from citeseek.fetching.options import FetchOptions, Form
from citeseek.fetching.page_cache import PageCache
from citeseek.fetching.page_reader import Reader
from citeseek.fetching.politeness import Politeness
from citeseek.fetching.response import FetchResponse
from citeseek.fetching.robots import KnownRules, Robots
from citeseek.fetching.script_rendering import ScriptRendering
from citeseek.guard import Guard
from citeseek.http import Transports
from citeseek.models import Page
from citeseek.sandbox import Sandbox
from citeseek.searching.recorded_search import RecordedClock, RecordedFlights


def fetcher(options: FetchOptions, transports: Transports, sandbox: Sandbox) -> Fetcher:
    """Return a fetcher whose calls can be recorded and played back."""
    return Fetcher(
        options,
        transports.pages,
        sandbox=sandbox,
        guard=_Guard(options.allowed),
        politeness=_Politeness(options.delay_seconds),
        rules=_Rules(),
        reader=_Reader(sandbox),
        # What scripts ask for is no part of a trace: its guard is not recorded.
        rendering=_RecordedRendering(
            options, transports.browser, transports.render, Guard(options.allowed)
        ),
        cache=_PageCache(options.ttl_minutes * 60),
        flights=RecordedFlights(FetchResponse),
        clock=RecordedClock(),
    )


class _Guard(Guard):
    async def _look_up(self, host: str, *, seconds: float | None = None) -> Sequence[str]:
        look = partial(super()._look_up, host, seconds=seconds)
        return await trace.ask(f"addresses of {host}", look, list[str])


class _Politeness(Politeness):
    async def turn(self, host: str) -> None:
        await trace.sleep("turn", partial(super().turn, host))


class _Rules(KnownRules):
    def get(self, origin: str) -> Robots | None:
        return trace.draw("robots", super().get(origin), Robots | None)


class _Reader(Reader):
    async def text(self, page: Page, form: Form) -> Document:
        return await trace.wait("read", partial(super().text, page, form))

    async def challenge(self, page: Page, *, seconds: float) -> WebBlocked | None:
        look = partial(super().challenge, page, seconds=seconds)
        return await trace.wait("looked_at", look)

    def size(self, page: Page) -> int:
        # A secret may have been taken out of the page of a trace.
        return trace.measure("received_bytes", super().size(page))


class _RecordedRendering(ScriptRendering):
    def absence(self) -> Fault | None:
        return trace.draw("browser", super().absence(), Fault | None)

    def may_start_again(self, until: Deadline) -> bool:
        return trace.draw("start_again", super().may_start_again(until), bool)

    def seconds_since(self, began: float) -> float:
        return trace.measure("rendered_seconds", super().seconds_since(began))


class _PageCache(PageCache):
    def get(self, key: str, form: Form) -> FetchResponse | None:
        return trace.draw("kept", super().get(key, form), FetchResponse | None)
