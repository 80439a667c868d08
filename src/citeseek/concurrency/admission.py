"""Places for work that takes long, of which there is a limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citeseek.errors import Busy
from citeseek.text import how_many

RETRY_SECONDS = 5.0


class Places:
    """Room for ``most`` things of a kind at the same time, each of which is a ``report``, say.

    ``setting`` is the name of the setting that ``most`` comes from; ``hint`` says what else those
    can do who find no room.
    """

    def __init__(self, most: int, kind: str, setting: str, *, hint: str = "") -> None:
        self._most = most
        self._kind = kind
        self._hint = hint or f"Try again in a moment, or raise {setting}."
        self.taken = 0

    def take(self) -> None:
        """Take a place; raise Busy when there is none."""
        if self.taken >= self._most:
            raise Busy(
                f"No more than {how_many(self._most, self._kind)} at a time.",
                hint=self._hint,
                detail_code=f"too_many_{self._kind}s",
                retry_after=RETRY_SECONDS,
            )
        self.taken += 1

    def leave(self) -> None:
        """Give the place to somebody else."""
        self.taken -= 1

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold a place; raise Busy when there is none."""
        self.take()
        try:
            yield
        finally:
            self.leave()
