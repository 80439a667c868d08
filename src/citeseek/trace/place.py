"""Where a trace is written: beside its place and then into it, and over nothing but a trace."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from citeseek.errors import InvalidInput
from citeseek.trace.record import FORMAT

# A trace says in its first member what it is.
_HEAD_BYTES = 4096
_HEAD = re.compile(rf'\s*\{{.*"format"\s*:\s*"{FORMAT}"'.encode(), re.DOTALL)


def check(path: Path) -> None:
    """Raise InvalidInput when nothing may be written to ``path``; what is there stays."""
    try:
        place = _place(path)
        if not _is_special(place):
            _beside(place).unlink()
    except OSError as reason:
        raise _not_written(path, reason) from None


def put(content: bytes, path: Path) -> None:
    """Write ``content`` to ``path``, for its owner to read; all of it, or nothing is changed.

    Raise InvalidInput when it cannot be written, or when something is there that is no trace.
    """
    try:
        place = _place(path)
        if _is_special(place):
            place.write_bytes(content)
            return
        beside = _beside(place)
        try:
            beside.write_bytes(content)
            beside.replace(place)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as reason:
        raise _not_written(path, reason) from None


def _place(path: Path) -> Path:
    """Return where ``path`` leads, which is free, or holds a trace that may be written over."""
    # A pipe has a name that leads to it, and none of its own.
    if _is_special(path):
        return path
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        return place
    # To replace a file asks for rights over its folder alone.
    with place.open("r+b") as file:
        head = file.read(_HEAD_BYTES)
    if head and not _HEAD.match(head):
        raise InvalidInput(
            f"{path} is there already and is not a trace of Citeseek; it was left as it is.",
            hint="Name another file.",
        )
    return place


def _is_special(place: Path) -> bool:
    """Whether ``place`` is a pipe or a device, which is written to and never replaced."""
    return place.exists() and not place.is_file() and not place.is_dir()


def _beside(place: Path) -> Path:
    descriptor, name = mkstemp(dir=place.parent, prefix=".citeseek-trace-")
    os.close(descriptor)
    return Path(name)


def _not_written(path: Path, reason: OSError) -> InvalidInput:
    return InvalidInput(f"The trace {path} cannot be written ({reason.strerror}).")
