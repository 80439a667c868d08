"""A run put together: the client's own tools, the journal of the run, the model if there is one."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from citeseek import observing, trace
from citeseek.client import Client
from citeseek.faces import CONTRACT, OPEN, Face
from citeseek.observing.receipt import EgressReceipt
from citeseek.research.gathering import Watch
from citeseek.research.inquiry import Inquiry
from citeseek.research.journal import Journal, Remembered, RememberedWriter
from citeseek.research.outcome import RunResult
from citeseek.research.run import Research
from citeseek.research.writer import Writer
from citeseek.settings import Settings
from citeseek.settings.sources import DEFAULT
from citeseek.tools.contract import WebProvider
from citeseek.tools.fetch_provider import WEB, WebFetchProvider
from citeseek.tools.runtime import Runtime


async def research(
    inquiry: Inquiry,
    client: Client,
    *,
    engines: Iterable[str] = (),
    writer: Writer | None = None,
    journal: Journal | None = None,
    watch: Watch = lambda _: None,
) -> RunResult:
    """Return how the run for ``inquiry`` went, over ``client``.

    ``engines`` are asked instead of those of the settings: that of the tool contract if it is set
    (``WEB_SEARCH_BACKEND``), else those of the open face. What ``journal`` holds is not asked for
    again. Raise InvalidInput for engines that nobody knows; other failures are in the result.
    """
    kept = journal or Journal()
    ledger = client.ledger()
    names = tuple(engines)
    asked = {
        "question": inquiry.question,
        "inquiry": inquiry,
        "engines": names,
        "model": writer.name if writer else "",
    }

    def receipt() -> EgressReceipt:
        sent = structs.replace(ledger.receipt(), resumed=kept.resumed)
        return trace.drawn("egress", sent, EgressReceipt)

    async with client.recording("report", asked):
        search = WebProvider(client, face=_face(client.settings), engines=names)
        runtime = Runtime(
            Remembered(search, kept), Remembered(WebFetchProvider(client, backend=WEB), kept)
        )
        desk = RememberedWriter(writer, kept) if writer else None
        since = trace.drawn("kept since", kept.since)
        run = Research(runtime, writer=desk, watch=watch, since=since, receipt=receipt)
        with observing.watching(ledger):
            result = await run.run(inquiry)
        trace.result(result)
        return result


def _face(settings: Settings) -> Face:
    # The stub of a contract that nobody set up is of no use to a report.
    is_set = settings.face(CONTRACT).engine.origin != DEFAULT
    return CONTRACT if is_set else OPEN
