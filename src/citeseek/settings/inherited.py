"""What a process that reads bytes of others gets of the environment: no key is among it."""

from __future__ import annotations

import os

# Where libraries are, how text is written, where files go for a moment.
_NAMES = (
    "LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH DYLD_LIBRARY_PATH SYSTEMROOT TEMP TMP TMPDIR TZ".split()
)


def inherited() -> dict[str, str]:
    """Return the variables that it gets."""
    return {name: os.environ[name] for name in _NAMES if name in os.environ}
