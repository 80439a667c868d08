"""The last line of a report: what its run sent out and brought in."""

from __future__ import annotations

from collections.abc import Iterator

from citeseek.citations import escaped
from citeseek.observing.receipt import EgressReceipt
from citeseek.research.wording import Words
from citeseek.text import byte_size


def closing(egress: EgressReceipt, words: Words) -> str:
    """Return the end of a report in Markdown; ``artifacts.egress`` names the hosts."""
    return f"\n---\n\n{' · '.join(_parts(egress, words))}\n"


def _parts(egress: EgressReceipt, words: Words) -> Iterator[str]:
    yield words.sent.format(
        requests=egress.requests,
        hosts=len(egress.hosts),
        sent=byte_size(egress.sent_bytes),
        received=byte_size(egress.received_bytes),
    )
    if egress.refused:
        yield words.refused.format(hosts=escaped(", ".join(egress.refused)))
    if model := egress.model:
        yield words.asked_model.format(name=escaped(model.name), calls=model.calls)
        if model.cost is not None:
            yield words.cost.format(cost=model.cost)
    if egress.resumed:
        yield words.resumed.format(count=egress.resumed)
