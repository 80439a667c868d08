"""How often the token may be guessed."""

from __future__ import annotations

import math
import time
from collections import deque

from citeseek.surfaces.server.seal import Clock

MOST = 10
WINDOW_SECONDS = 60.0


class Tries:
    """Wrong tries of one process: at most 10 a minute, whoever makes them."""

    def __init__(self, now: Clock = time.monotonic) -> None:
        self._now = now
        self._failed: deque[float] = deque(maxlen=MOST)

    def wait(self) -> int:
        """Return the seconds until the next try; 0: now."""
        if len(self._failed) < MOST:
            return 0
        return max(0, math.ceil(self._failed[0] + WINDOW_SECONDS - self._now()))

    def fail(self) -> None:
        """Count a wrong try."""
        self._failed.append(self._now())
