"""A store that keeps nothing, for answers of which the asker keeps everything."""

# ruff: noqa: ARG002 - what it is told is forgotten

from __future__ import annotations

from citeseek.assistant.session import Record, Summary, Turn


class Nowhere:
    """Takes conversations and forgets them."""

    async def get(self, session_id: str) -> Record | None:
        """Return None: there is no conversation."""

    async def put(self, record: Record) -> None:
        """Forget it."""

    async def add_turn(self, session_id: str, turn: Turn) -> None:
        """Forget it."""

    async def clear(self, session_id: str) -> None:
        """Do nothing."""

    async def list(self, limit: int, before: tuple[float, str] | None = None) -> list[Summary]:
        """Return no conversation."""
        return []

    async def count(self) -> int:
        """Return 0."""
        return 0

    async def drop_empty(self, keep: int) -> None:
        """Do nothing."""

    async def rename(self, session_id: str, title: str) -> bool:
        """Return False: there is none."""
        return False

    async def delete(self, session_id: str) -> bool:
        """Return False: there is none."""
        return False

    async def close(self) -> None:
        """Do nothing."""
