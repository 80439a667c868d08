"""The guard: which addresses a page may be fetched from, decided before anything is sent.

:func:`read` takes an address apart and refuses what two programs could read differently.
:class:`Guard` looks its name up once and returns the addresses that may be connected to; whoever
connects uses these and no other, so that a second look-up cannot lead elsewhere.
"""

from __future__ import annotations

from citeseek.guard.allowed import Allowed
from citeseek.guard.guard import Checked, Guard
from citeseek.guard.resolver import Resolver
from citeseek.guard.target import Target, read

__all__ = ["Allowed", "Checked", "Guard", "Resolver", "Target", "read"]
