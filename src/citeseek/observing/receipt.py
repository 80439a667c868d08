"""What one answer sends out and brings in: hosts, bytes, kept answers, refusals, tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import structs

from citeseek.observing.egress_budget import BudgetRefusal, Limit, limit_of
from citeseek.observing.operation import Operation

_REFUSED = "ssrf_blocked"
_MILLION = 1_000_000
N = TypeVar("N", int, float)


class HostTraffic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went to one host and came from it.

    ``sent_bytes`` are those of addresses, headers and bodies as this program writes them,
    ``received_bytes`` those of bodies after decompression. ``failed`` requests had no answer. What
    scripts of a rendered page ask for is counted by connections, and by what they carried.
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

    def add(self, later: ModelUse) -> ModelUse:
        """Return these calls and those of ``later``, which are of the same model."""
        return ModelUse(
            name=self.name,
            host=later.host,
            calls=self.calls + later.calls,
            input_tokens=_sum((self.input_tokens, later.input_tokens)),
            output_tokens=_sum((self.output_tokens, later.output_tokens)),
            cost=_sum((self.cost, later.cost)),
        )


class EgressReceipt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was sent out and brought in for one answer, its model's connection aside.

    ``cached`` searches and pages were kept from before, ``shared`` ones fetched by an equal call
    that was under way. ``refused`` are the hosts of pages that were asked for and not fetched,
    since their addresses, or those that they led to, are not public; ``over_budget`` says what a
    budget kept from being sent, or from being read. ``resumed`` are the answers
    that a report took over from an earlier run of it: what they cost is in the receipt of that run.
    ``other_models`` are those that were asked beside ``model``, such as the judge of citations.
    """

    hosts: tuple[HostTraffic, ...] = ()
    requests: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    redirects: int = 0
    cached: int = 0
    shared: int = 0
    refused: tuple[str, ...] = ()
    over_budget: tuple[BudgetRefusal, ...] = ()
    resumed: int = 0
    model: ModelUse | None = None
    other_models: tuple[ModelUse, ...] = ()

    def add_models(self, later: EgressReceipt) -> EgressReceipt:
        """Return the receipt with the calls of models in ``later`` as well."""
        uses: dict[str, ModelUse] = {}
        for use in (*self._models, *later._models):
            uses[use.name] = uses[use.name].add(use) if use.name in uses else use
        first, *others = uses.values() or (None,)
        return structs.replace(self, model=first, other_models=tuple(filter(None, others)))

    @property
    def _models(self) -> tuple[ModelUse, ...]:
        return (self.model, *self.other_models) if self.model else self.other_models


class Prices(msgspec.Struct, frozen=True):
    """What a million tokens cost, None when nobody said."""

    tokens_in: float | None = None
    tokens_out: float | None = None

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return what these tokens cost, None when it is not known."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION


class _Row:
    """The requests to one host so far."""

    def __init__(self) -> None:
        self.requests = self.sent = self.received = self.failed = 0


class Ledger:
    """A watcher that makes the receipt of one answer; ``prices`` are those of its model."""

    def __init__(self, prices: Prices | None = None) -> None:
        self._prices = prices or Prices()
        self._rows: dict[str, _Row] = {}
        self._redirects = self._cached = self._shared = 0
        # In the order in which they were refused, each once.
        self._refused: dict[str, None] = {}
        self._over_budget: Counter[tuple[str, Limit]] = Counter()
        self._calls: list[Operation] = []

    def began(self, operation: Operation) -> None:
        """Do nothing: what counts is known at the end."""

    def ended(self, operation: Operation) -> None:
        """Add what ``operation`` did."""
        self._over_budget.update(over_budget(operation))
        if limit_of(operation.detail_code) and operation.kind in ("request", "model"):
            return
        match operation.kind:
            case "request":
                self._add_request(operation)
            case "search" | "fetch":
                self._cached += operation.is_cached
                self._shared += operation.is_shared
                if operation.detail_code == _REFUSED:
                    self._refused[operation.name] = None
            case "model":
                self._calls.append(operation)

    def receipt(self) -> EgressReceipt:
        """Return what was added up until now."""
        hosts = tuple(
            HostTraffic(
                host=host,
                requests=row.requests,
                sent_bytes=row.sent,
                received_bytes=row.received,
                failed=row.failed,
            )
            for host, row in self._rows.items()
        )
        models = tuple(self._models())
        return EgressReceipt(
            hosts=hosts,
            requests=sum(host.requests for host in hosts),
            sent_bytes=sum(host.sent_bytes for host in hosts),
            received_bytes=sum(host.received_bytes for host in hosts),
            redirects=self._redirects,
            cached=self._cached,
            shared=self._shared,
            refused=tuple(self._refused),
            over_budget=tuple(
                BudgetRefusal(host, limit, times)
                for (host, limit), times in self._over_budget.items()
            ),
            model=next(iter(models), None),
            other_models=models[1:],
        )

    def _add_request(self, operation: Operation) -> None:
        self._redirects += operation.is_redirect
        if operation.reached is not None:
            for host, exchanged in operation.reached.items():
                row = self._rows.setdefault(host, _Row())
                row.requests += exchanged.connections
                row.sent += exchanged.sent_bytes
                row.received += exchanged.received_bytes
            return
        row = self._rows.setdefault(operation.host, _Row())
        row.requests += 1
        row.sent += operation.sent_bytes
        row.received += operation.received_bytes
        row.failed += not operation.status

    def _models(self) -> Iterator[ModelUse]:
        """Yield the models in the order in which they were asked; the prices are the first's."""
        prices = self._prices
        for name in dict.fromkeys(call.name for call in self._calls):
            calls = [call for call in self._calls if call.name == name]
            tokens_in = _sum([call.input_tokens for call in calls])
            tokens_out = _sum([call.output_tokens for call in calls])
            yield ModelUse(
                name=name,
                host=calls[-1].host,
                calls=len(calls),
                input_tokens=tokens_in,
                output_tokens=tokens_out,
                cost=prices.cost(tokens_in, tokens_out),
            )
            prices = Prices()


def over_budget(operation: Operation) -> Mapping[tuple[str, Limit], int]:
    """Return what limits of budgets ``operation`` came to, by host, and how often."""
    limit = limit_of(operation.detail_code)
    if limit is None or operation.kind not in ("request", "model"):
        return operation.refused
    return {(operation.host or operation.name, limit): 1}


def _sum(counts: Sequence[N | None]) -> N | None:
    """Return the sum, None when one of ``counts`` is not known."""
    known = [one for one in counts if one is not None]
    return sum(known[1:], start=known[0]) if known and len(known) == len(counts) else None
