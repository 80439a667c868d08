"""What every text of a model passes through on its way in: a model is not trusted either."""

from __future__ import annotations

import msgspec


class AnswerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer of a model may take.

    ``seconds`` is the longest silence, ``total_seconds`` the longest answer, ``max_chars`` the most
    characters of text, thinking and arguments of calls. ``proxy`` is the one on the way, to name it
    where the way is broken.
    """

    seconds: float
    total_seconds: float
    max_chars: int
    proxy: str = ""
