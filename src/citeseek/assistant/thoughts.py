"""What a model thinks aloud for one answer, and for how long."""

from __future__ import annotations

from citeseek.assistant.events import Thinking
from citeseek.concurrency.clock import Clock


class Thoughts:
    """Collects the pieces; the time runs from each one to what is said or done next."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pieces: list[str] = []
        self._since: float | None = None
        self._seconds = 0.0

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    @property
    def ms(self) -> int:
        """How long it took, 0 without a thought."""
        return self._clock.in_ms(self._seconds) if self._pieces else 0

    def think(self, text: str) -> Thinking:
        """Take the next piece."""
        self.end()
        self._since = self._clock.now()
        self._pieces.append(text)
        return Thinking(text=text)

    def end(self) -> None:
        """Take note that something else is said or done."""
        if self._since is not None:
            self._seconds += self._clock.now() - self._since
            self._since = None
