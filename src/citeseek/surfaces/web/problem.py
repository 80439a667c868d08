"""A failure as the API tells it; nothing here needs the framework of the API."""

from __future__ import annotations

from typing import Any

import msgspec

MEDIA_TYPE = "application/problem+json"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A failure in the form of RFC 9457, with our own ``code`` and ``hint`` beside it."""

    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    detail_code: str = ""
    engine: str = ""
    retryable: bool = False
    earlier: tuple[Any, ...] = ()


class RunProblem(Problem, frozen=True, kw_only=True):
    """A run that was not ok; ``run`` is its result (docs/research.md)."""

    run: dict[str, Any]
