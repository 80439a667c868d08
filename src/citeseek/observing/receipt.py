"""What was sent out and brought in for one answer: hosts, bytes, kept answers, refusals, tokens."""

from __future__ import annotations

import msgspec


class HostTraffic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went to one host and came from it.

    ``sent_bytes`` are those of addresses, headers and bodies as this program writes them,
    ``received_bytes`` those of bodies after decompression. ``failed`` requests had no answer.
    """

    host: str
    requests: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    failed: int = 0


class ModelUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The calls of a language model: ``host`` is where, empty when it runs in this program.

    The tokens are those that its server counts, None when it did not say for every call; ``cost``
    is theirs by the prices of the settings.
    """

    name: str
    host: str = ""
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


class EgressReceipt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was sent out and brought in for one answer, its model's connection aside.

    ``cached`` searches and pages were kept from before, ``shared`` ones fetched by an equal call
    that was under way. ``refused`` are the hosts of pages that were asked for and not fetched,
    since their addresses, or those that they led to, are not public. ``resumed`` are the answers
    that a report took over from an earlier run of it: what they cost is in the receipt of that run.
    """

    hosts: tuple[HostTraffic, ...] = ()
    requests: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    redirects: int = 0
    cached: int = 0
    shared: int = 0
    refused: tuple[str, ...] = ()
    resumed: int = 0
    model: ModelUse | None = None
