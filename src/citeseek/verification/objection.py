"""A reason against a claim."""

from __future__ import annotations

import msgspec


class Objection(msgspec.Struct, frozen=True):
    """A reason, whether it refutes the claim or only weakens it, and the words concerned."""

    reason: str
    refutes: bool
    words: tuple[str, ...] = ()
