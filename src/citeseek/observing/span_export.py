"""Where spans go: to the provider of the program, or to an exporter of our own."""

from __future__ import annotations

import logging
import sys
import threading
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from citeseek.extras import Fault, faults, install
from citeseek.i18n import Catalogue
from citeseek.observing.log_lines import for_people

if TYPE_CHECKING:
    from citeseek.observing.operation import Watcher

PROGRAM = "on"
_CONSOLE = "console"
# Under these names packages offer exporters to any program.
_OFFERS = "opentelemetry_traces_exporter"
_EXPORTER = "opentelemetry-exporter-otlp-proto-http"

log = logging.getLogger(__name__)

_made: dict[str, tuple[Watcher, ...]] = {}
_lock = threading.Lock()


def spans(wanted: str) -> tuple[Watcher, ...]:
    """Return who makes the spans that the setting ``telemetry.spans`` asks for, once a process.

    Nobody when it cannot be done, which is logged: no search fails for want of its span.
    """
    with _lock:
        if wanted not in _made:
            _made[wanted] = _watchers(wanted)
        return _made[wanted]


def _without_spans(library: Fault, say: Catalogue) -> str:
    return say("log.no_spans", reason=library.explain(say))


def _watchers(wanted: str) -> tuple[Watcher, ...]:
    if wrong := [one for one in faults("otel") if one.state != "old"]:
        for one in wrong:
            log.warning(
                "no spans are made: %s. %s",
                one,
                one.repair,
                extra=for_people(partial(_without_spans, one)),
            )
        return ()
    from citeseek.observing.otel_spans import Spans  # noqa: PLC0415 - may not be installed

    if wanted == PROGRAM:
        return (Spans(),)
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import (  # noqa: PLC0415
        BatchSpanProcessor,
        ConsoleSpanExporter,
        SpanExporter,
    )

    exporter: SpanExporter
    if wanted == _CONSOLE:
        # Standard output is for data.
        exporter = ConsoleSpanExporter(out=sys.stderr)
    else:
        offered = {offer.name: offer for offer in entry_points(group=_OFFERS)}
        if wanted not in offered:
            known, repair = ", ".join(sorted(offered)), install(_EXPORTER)
            log.warning(
                "no spans are made: there is no exporter %r; known: %s. %s",
                wanted,
                known,
                repair,
                extra=for_people(
                    lambda say: say("log.no_exporter", name=wanted, known=known, repair=repair)
                ),
            )
            return ()
        exporter = offered[wanted].load()()
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say it otherwise.
    provider = TracerProvider(resource=Resource.create({"service.name": "citeseek"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return (Spans(provider),)
