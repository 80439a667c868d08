"""Whether something can be kept in a folder or a file, as its permissions say; nothing is tried."""

from __future__ import annotations

import os
from pathlib import Path

_HAS_EFFECTIVE = os.access in os.supports_effective_ids


def find_unwritable(folder: Path) -> Path | None:
    """Return what keeps files from being made in ``folder``, None when they can be.

    That is the folder itself, or the nearest one above it that is there, in which it would be made.
    """
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    return None if there.is_dir() and _may(there, os.W_OK | os.X_OK) else there


def find_unwritable_file(file: Path) -> Path | None:
    """Return what keeps ``file`` from being written, itself or a folder; None when it can be.

    SQLite makes files beside its own, so the folder counts as well.
    """
    if os.path.lexists(file) and not (file.is_file() and _may(file, os.R_OK | os.W_OK)):
        return file
    return find_unwritable(file.parent)


def _may(path: Path, how: int) -> bool:
    return os.access(path, how, effective_ids=_HAS_EFFECTIVE)
