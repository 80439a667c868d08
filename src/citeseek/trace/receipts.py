"""Receipts as a trace writes them down and gives them back: a replay sends nothing."""

from __future__ import annotations

from citeseek.observing.receipt import EgressReceipt, Ledger
from citeseek.trace.inputs import drawn


class RecordedLedger(Ledger):
    """A ledger whose receipt is the one of then."""

    def receipt(self) -> EgressReceipt:
        """Return what was added up until now, or was then."""
        return drawn("egress", super().receipt(), EgressReceipt)
