"""How much work on bytes of others may take."""

from __future__ import annotations

import os
from typing import Self

import msgspec

from citeseek.settings import Settings

MOST_WORKERS = 16


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """Allowance of one task, and of the processes that do the tasks.

    ``seconds`` of processor time and ``memory_mb`` of address space are one task's; a longer result
    than ``output_bytes`` is none. Of ``workers`` there is one more while a task takes long. A
    worker makes room for a new one after so many ``tasks``, or with ``kept_mb`` of memory.
    """

    workers: int = min(2, os.cpu_count() or 1)
    seconds: float = 10.0
    memory_mb: int = 768
    output_bytes: int = 48_000_000
    tasks: int = 500
    kept_mb: int = 256

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what ``settings`` say."""
        return cls(
            workers=settings.sandbox.workers or cls().workers,
            seconds=settings.sandbox.seconds,
            memory_mb=settings.sandbox.memory_mb,
        )
