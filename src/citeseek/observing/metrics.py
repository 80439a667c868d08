"""The metrics of a server: where they are, who counts them, and why nobody may."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citeseek.extras import Fault, fault

if TYPE_CHECKING:
    from citeseek.i18n import Catalogue
    from citeseek.observing.meters import Meters, Standing

# The library reads it when it is loaded: the folder in which several processes count.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
PATHS = ("/metrics", "/api/v1/metrics")
_OFF = "off"


def meters_of(wanted: str, standings: Callable[[], Mapping[str, Standing]]) -> Meters | None:
    """Return what counts, None where the setting ``server.metrics`` is off or a library missing.

    ``standings`` says how the engines stand when somebody looks.
    """
    if wanted == _OFF or _unusable():
        return None
    from citeseek.observing.meters import Meters  # noqa: PLC0415 - an extra

    return Meters(standings, os.environ.get(FOLDER))


def why_nothing(say: Catalogue) -> str:
    """Return in the words of ``say`` why nothing is counted, and what mends it."""
    wrong = _unusable()
    return wrong.explain(say) if wrong else say("refusal.no_metrics.off")


def _unusable() -> Fault | None:
    wrong = fault("prometheus-client")
    return wrong if wrong and wrong.state != "old" else None
