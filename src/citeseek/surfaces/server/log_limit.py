"""Lines of the log that anybody on the network can cause, as often as they like."""

from __future__ import annotations

import logging
import time

from citeseek.surfaces.server.login_cookie import Clock

_SECONDS = 60.0


class OnceAMinute(logging.Filter):
    """Lets each warning of a logger through once a minute, whatever it is about."""

    def __init__(self, now: Clock = time.monotonic) -> None:
        super().__init__()
        self._now = now
        # The texts are those of our own code and of uvicorn's, so there are few.
        self._told: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether ``record`` is written."""
        if record.levelno != logging.WARNING:
            return True
        now, text = self._now(), str(record.msg)
        if now - self._told.get(text, -_SECONDS) < _SECONDS:
            return False
        self._told[text] = now
        return True
