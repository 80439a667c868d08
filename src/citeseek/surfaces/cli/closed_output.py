"""Standard output that was closed before the program began (``>&-``)."""

from __future__ import annotations

import errno
import io
import os


class ClosedOutput(io.TextIOBase):
    """Takes the place of an output that is not there, so that what is lost is not lost in silence.

    A command that prints nothing works as ever; :meth:`write` fails, and :meth:`flush` after it.
    """

    def __init__(self) -> None:
        self._has_lost = False

    def writable(self) -> bool:
        """Say that it may be tried."""
        return True

    def write(self, _: str, /) -> int:
        """Raise OSError."""
        self._has_lost = True
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self) -> None:
        """Raise OSError when something was to be written, also where nobody heard of that."""
        if self._has_lost:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def close(self) -> None:
        """Close without :meth:`flush`: at the end of the program nobody hears of what it raises."""
        self._has_lost = False
        super().close()
