"""Documents that are ZIP archives: their parts, read within limits before any library sees them."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Mapping

from citeseek.extraction.documents.document_reader import Unreadable

SIGNATURE = b"PK\x03\x04"
MAX_ENTRIES = 5_000
# Of all parts together, and how much longer one may be than it is packed.
MAX_BYTES = 60_000_000
MAX_RATIO = 200
# Shorter parts may be packed to nothing.
FREE_BYTES = 1_000_000
_CHUNK = 1 << 16
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def parts(body: bytes, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    """Return the parts of an archive whose names are ``wanted``, by name.

    Raise Unreadable: ``too_complex`` for more than may be unpacked, ``locked`` for a password.
    """
    found: dict[str, bytes] = {}
    left = MAX_BYTES
    with _open(body) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or not wanted(entry.filename):
                continue
            if entry.flag_bits & 1:
                raise Unreadable("locked")
            if entry.compress_type not in _PACKED:
                raise Unreadable("broken")
            found[entry.filename] = _unpack(archive, entry, left)
            left -= len(found[entry.filename])
    return found


def names(body: bytes) -> frozenset[str]:
    """Return the names of the parts of an archive, none where ``body`` is no archive."""
    if not body.startswith(SIGNATURE):
        return frozenset()
    try:
        with _open(body) as archive:
            return frozenset(archive.namelist())
    except (Unreadable, zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return frozenset()


def pack(found: Mapping[str, bytes]) -> io.BytesIO:
    """Return an archive of ``found``: a library sees what was looked at, and nothing else."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, part in found.items():
            archive.writestr(name, part)
    packed.seek(0)
    return packed


def resolve(base: str, target: str) -> str:
    """Return the name of the part that ``target`` means in the part ``base``."""
    if target.startswith("/"):
        return target[1:]
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target))


def _open(body: bytes) -> zipfile.ZipFile:
    archive = zipfile.ZipFile(io.BytesIO(body))
    if len(archive.infolist()) > MAX_ENTRIES:
        raise Unreadable("too_complex")
    return archive


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """Return what ``entry`` holds, counting what comes out and not what is said to."""
    most = min(left, max(FREE_BYTES, MAX_RATIO * entry.compress_size))
    unpacked = bytearray()
    try:
        with archive.open(entry) as part:
            while chunk := part.read(_CHUNK):
                unpacked += chunk
                if len(unpacked) > most:
                    raise Unreadable("too_complex")
    except zlib.error:
        raise Unreadable("broken") from None
    return bytes(unpacked)
