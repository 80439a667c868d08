"""What files refuse, they refuse to an ordinary user: root is made one for a moment."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65_534


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Give an empty folder that is this user's own; root is nobody within."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(folder, _NOBODY, -1)
            os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
